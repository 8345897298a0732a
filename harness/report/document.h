/// A report independent of its format: pages of sections, which have paragraphs, lists, tables and charts. All content
/// is decided here; html.h and markdown.h only render it.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab::report {

/// The colour class of a verdict. The word is always shown, too.
enum class Emphasis { kPlain, kGood, kWeak, kBad, kOpen };

/// A way to another place.
struct Link {
  std::string text;
  /// An id of this report ("table-errata", the name of a page), an address with a scheme, or of a live page
  /// "./VIEW?QUERY", percent-encoded.
  std::string to;
};

struct TableCell {
  TableCell(std::string shown = "", Emphasis how = Emphasis::kPlain) : text(std::move(shown)), emphasis(how) {}
  TableCell(const char* shown) : text(shown) {}

  std::string text;
  Emphasis emphasis = Emphasis::kPlain;  ///< other than plain: rendered as a badge
  std::string link = {};                 ///< where the text leads: an id of this report, or an address; "": nowhere
  /// (title, text) of each paragraph that the page folds below the text; the Markdown summary leaves them out.
  std::vector<std::pair<std::string, std::string>> details = {};
};

struct TableColumn {
  /// kVerdict, kBenchmark: the row's filter keys; kName: an identifier; kNumber: aligned on the decimal point.
  enum class Kind { kText, kShort, kVerdict, kName, kBenchmark, kNumber };

  std::string title;
  Kind kind = Kind::kText;
  bool is_detail = false;  ///< a page without the room for all columns begins without it; the reader can show it
  bool is_below = false;   ///< of a last column: its cells have a line of their own below the others of their row
};
using enum TableColumn::Kind;

struct Table {
  /// Rows below one heading.
  struct Group {
    std::size_t first_row = 0;
    std::string title;
  };

  /// Removes the columns without text in any row.
  void drop_empty_columns();

  std::string name;  ///< unique in the report and stable across reports: links refer to it
  std::string caption;
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows = {};
  /// Each row's benchmarks, for a table without a kBenchmark column.
  std::vector<std::vector<std::string>> benchmarks = {};
  std::vector<Group> groups = {};  ///< in the order of the rows; the first begins with row 0. Empty: no headings
  std::vector<std::size_t> summary_rows = {};  ///< the rows that the Markdown summary has; empty: all
};

/// `text` with '-' for each character that is not safe in a file name or URL.
std::string identifier(std::string_view text);

/// One chart: a specification (page/charts/<spec>.json) and its rows. Filters match a row's "benchmark" and
/// "verdict".
struct Chart {
  Chart(std::string specification, std::string_view unique_name);

  std::string spec;          ///< name of the specification
  std::string name;          ///< unique and stable as a table's name, an identifier; the SVG file is <name>.svg
  std::string title;         ///< the finding or the question
  std::string note;          ///< how to read it, one sentence
  std::string text;          ///< text alternative for readers who cannot see the chart
  boost::json::object data;  ///< data set name -> rows
  /// Lines that the page can draw instead (page.js, `choose`); empty: none. "points": what the rows of every line have
  /// in common. "lines": {"driver", "columns", "values"}; a row is a point with its line's "driver", "order" and, as
  /// "value", its value. A point whose value is null has no row.
  boost::json::object choices = {};
  /// The rows' values of "variant", of which the page draws one that the reader selects. A drawing has the first.
  /// Empty: all rows are drawn.
  std::vector<std::string> variants = {};
  /// The rows' values of "variant" that the page draws until a reader asks for all. A drawing for the page has these, a
  /// file has all. Empty: all rows are drawn.
  std::vector<std::string> first = {};
  /// What the page draws behind the rows when a reader asks for each process: by the row's "phase" and "variant", a
  /// pair (block, value) for each process. Empty: it cannot.
  boost::json::object processes = {};
  std::optional<Table> table = {};  ///< its values, folded below the drawing; only the page has it
  std::string sketch = {};  ///< an <svg class="sketch"> that a page without drawings has until its scripts have drawn
  boost::json::object replay = {};  ///< steps that the page replays above the drawing (page/replay.js); empty: none
  std::vector<std::pair<std::string, std::string>> words;          ///< replace {{key}} in the specification
  std::vector<std::pair<std::string, boost::json::value>> values;  ///< replace strings that consist of {{key}} alone
};

/// Most rows that a ranked chart shows first, and from how many on it leaves out any.
inline constexpr std::size_t kFirstRows = 10, kManyRows = 13;

/// The values of "variant" in the order of the rows: the first kFirstRows and those of `kept`. Empty if there are fewer
/// than kManyRows.
std::vector<std::string> first_of(const boost::json::array& rows, const std::vector<std::string>& kept);

/// A picture in a file format that browsers show.
struct Picture {
  std::string name;  ///< unique and stable as a chart's name, an identifier; its file is <name>.png
  std::string title;
  std::string note;
  std::string text;                ///< text alternative
  std::string png;                 ///< the file's content
  unsigned width = 0, height = 0;  ///< in pixels; 0 if the content is no PNG
};

/// Pictures shown side by side.
struct Pictures {
  std::vector<Picture> pictures;
};

/// Pictures of one thing in several ways: shown side by side, and any two of them over each other (page/compare.js).
struct PictureComparison {
  std::string name;  ///< unique and stable as a chart's name, an identifier
  std::string title;
  std::string note;
  std::vector<Picture> pictures;  ///< a picture may be in several comparisons
};

struct Paragraph {
  std::string text;
  Emphasis emphasis = Emphasis::kPlain;
  std::vector<Link> links = {};  ///< after the text
};

struct List {
  std::vector<std::string> items;
};

/// Items of which a reader sees one line each, which opens the rest.
struct Folds {
  struct Fold {
    std::string line;
    std::string text;                                               ///< "": none
    std::string command;                                            ///< "": none
    std::vector<std::pair<std::string, std::string>> details = {};  ///< as TableCell::details
  };

  std::string name;  ///< unique and stable as a table's name
  std::string caption;
  TableCell mark = {};  ///< of every line
  std::vector<Fold> folds = {};
};

/// Charts shown side by side.
struct Charts {
  std::vector<Chart> charts;
};

/// Preformatted output or a command.
struct Preformatted {
  std::string text;
};

/// A table that is too large to read whole: the page searches it and renders what is in sight.
struct Matrix {
  std::string name;  ///< unique and stable as a table's name; its file is <name>.csv
  std::string caption;
  boost::json::object data;  ///< atlas_matrix.cpp
  std::string csv;           ///< the whole table
};

/// Every benchmark on every machine of a farm, a row of small lines for each benchmark: only a live page draws it, from
/// what `serve` answers (page/grid.js).
struct FarmGrid {
  std::string name;          ///< unique, an identifier: the element's id
  boost::json::object data;  ///< the answer to api/grid, so that the first picture needs no other request
};

using Element =
    std::variant<Paragraph, List, Folds, Table, Charts, Pictures, PictureComparison, Preformatted, Matrix, FarmGrid>;

struct Section {
  std::string id;
  std::string title;
  std::vector<Element> elements = {};
  std::vector<Section> sections = {};
  bool folded = false;  ///< the page shows its title, which opens it

  /// Adds an element, unless it is a list, a table, charts or pictures without any.
  void add(Element element);
};

/// Adds a section, unless it has nothing.
void add(std::vector<Section>& sections, Section section);

/// A problem that makes the findings less reliable; shown before all findings.
struct Alert {
  std::string text;
  std::string section;  ///< id of the section with the details
};

/// What one file of the report shows.
struct Page {
  std::string name;   ///< an identifier, unique among pages and ids: its file is <name>.html
  std::string title;  ///< as in the contents
  std::string lead = {};
  std::vector<Section> sections = {};
};

/// The name of the first page.
inline constexpr const char* kFirstPage = "index";

struct Document {
  std::optional<Link> above = {};  ///< what the report is a part of, shown before its title; none: it stands alone
  std::string title;
  std::string lead;  ///< the one sentence to remember
  std::vector<Alert> alerts;
  std::vector<std::pair<std::string, std::string>> facts;  ///< machine, commit, time
  std::string progress;                                    ///< "5 of 12 blocks so far"; "" after the session
  std::vector<Page> pages = {{kFirstPage, "Findings"}};
};

/// Every section that is in no other, in reading order.
std::vector<const Section*> sections_of(const Document& document);

/// By id (of sections, tables, figures, matrices and pages), the name of its page.
std::map<std::string, std::string, std::less<>> places_of(const Document& document);

/// Every chart of a page or of all pages, in reading order.
std::vector<const Chart*> charts_of(const Page& page);
std::vector<const Chart*> charts_of(const Document& document);

/// Every matrix, in reading order.
std::vector<const Matrix*> matrices_of(const Page& page);
std::vector<const Matrix*> matrices_of(const Document& document);

/// Every grid of the document, in reading order.
std::vector<const FarmGrid*> grids_of(const Document& document);

/// Every picture of the document, once.
std::vector<const Picture*> pictures_of(const Document& document);

}  // namespace lab::report
