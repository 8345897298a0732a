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
  enum class Kind { kText, kShort, kName, kNumber };

  std::string title;
  Kind kind = Kind::kText;  ///< kName: an identifier; kNumber: right-aligned on its decimal point
};

struct Table {
  std::string caption;
  std::vector<Heading> columns;
  std::vector<std::vector<Cell>> rows;
};

/// One drawing of one chart: a specification (page/charts/<spec>.json) and the rows it is drawn from.
struct Chart {
  /// What cannot stand in a file's name becomes '-' in the chart's.
  Chart(std::string specification, std::string_view unique_name);

  std::string spec;                                        ///< which of the chart table
  std::string name;                                        ///< unique in the report; the SVG file is <name>.svg
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

struct Document {
  std::string title;
  std::string lead;                                        ///< the one sentence to remember
  std::vector<std::pair<std::string, std::string>> facts;  ///< what machine, what commit, when
  std::string progress;                                    ///< "5 of 12 blocks so far"; "" when the session is over
  std::vector<Section> sections;
};

/// Every chart of the document, in reading order.
std::vector<const Chart*> charts_of(const Document& document);

}  // namespace lab::report
