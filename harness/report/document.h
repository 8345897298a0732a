/// A report before it is HTML or Markdown: sections of paragraphs, lists, tables and charts. What is said is decided
/// once; html.h and markdown.h only set it.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab::report {

/// What a verdict means to the eye. The word always stands beside it.
enum class Tone { kPlain, kGood, kWeak, kBad, kOpen };

struct Cell {
  Cell(std::string shown = "", Tone how = Tone::kPlain) : text(std::move(shown)), tone(how) {}
  Cell(const char* shown) : text(shown) {}

  std::string text;
  Tone tone = Tone::kPlain;  ///< other than plain: set as a badge
};

struct Heading {
  /// kVerdict, kBenchmark: what filters know a row by; kName: an identifier; kNumber: right-aligned on its decimal
  /// point.
  enum class Kind { kText, kShort, kVerdict, kName, kBenchmark, kNumber };

  std::string title;
  Kind kind = Kind::kText;
};

struct Table {
  /// Takes out the columns in which nothing is said.
  void drop_empty_columns();

  std::string name;  ///< unique in the report and the same in the next one: links name the table by it
  std::string caption;
  std::vector<Heading> columns;
  std::vector<std::vector<Cell>> rows;
  /// The benchmarks that each row is about, where no column of kBenchmark says it.
  std::vector<std::vector<std::string>> benchmarks = {};
};

/// `text` with '-' for each character that cannot stand in a file's name or an address.
std::string identifier(std::string_view text);

/// One drawing of one chart: a specification (page/charts/<spec>.json) and the rows it is drawn from. Filters know a
/// row by its "benchmark" and "verdict".
struct Chart {
  Chart(std::string specification, std::string_view unique_name);

  std::string spec;                                        ///< which of the chart table
  std::string name;                                        ///< as a table's, an identifier; the SVG file is <name>.svg
  std::string title;                                       ///< the finding or the question
  std::string note;                                        ///< how to read it, one sentence
  std::string text;                                        ///< what a reader who cannot see it is told
  boost::json::object data;                                ///< data set name -> rows
  std::vector<std::pair<std::string, std::string>> words;  ///< replace {{key}} in the specification
  std::vector<std::pair<std::string, boost::json::array>> lists;  ///< replace strings that are nothing but {{key}}
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::kPlain;
};

struct List {
  std::vector<std::string> items;
};

/// Charts that are read beside each other.
struct Charts {
  std::vector<Chart> charts;
};

/// Output or a command, set as it is.
struct Verbatim {
  std::string text;
};

using Block = std::variant<Paragraph, List, Table, Charts, Verbatim>;

struct Section {
  std::string id;
  std::string title;
  std::vector<Block> blocks;
  std::vector<Section> sections;
};

/// What spoils the findings, said before any of them.
struct Alert {
  std::string text;
  std::string section;  ///< the id of the one that says more
};

struct Document {
  std::string title;
  std::string lead;  ///< the one sentence to remember
  std::vector<Alert> alerts;
  std::vector<std::pair<std::string, std::string>> facts;  ///< what machine, what commit, when
  std::string progress;                                    ///< "5 of 12 blocks so far"; "" when the session is over
  std::vector<Section> sections;
};

/// Every chart of the document, in reading order.
std::vector<const Chart*> charts_of(const Document& document);

}  // namespace lab::report
