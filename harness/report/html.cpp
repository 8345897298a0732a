#include "harness/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <set>

#include "harness/base/base64.h"
#include "harness/base/fit.h"
#include "harness/base/hash.h"
#include "harness/report/charts.h"
#include "harness/report/resources.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// The widest table whose last column is below the others: the style has a class for each number of columns, because a
/// live page may have no style of its own.
constexpr std::size_t kMostColumns = 24;

constexpr std::string_view kFigureSpace = "\u2007";       // as wide as a digit
constexpr std::string_view kPunctuationSpace = "\u2008";  // as wide as a full stop

std::string_view class_of(Emphasis emphasis) {
  constexpr std::string_view kClasses[] = {"", "good", "weak", "bad", "open"};
  return kClasses[static_cast<std::size_t>(emphasis)];
}

std::string_view class_of(TableColumn::Kind kind) {
  constexpr std::string_view kClasses[] = {"text", "short", "verdict", "name", "name", "number"};
  return kClasses[static_cast<std::size_t>(kind)];
}

/// Escapes a script for a <script> element. Text that would end the element occurs only inside a string or a regular
/// expression, where the added backslash has no effect.
std::string inside_script(std::string_view script) {
  std::string safe;
  safe.reserve(script.size());
  for (std::size_t at = 0; at < script.size(); ++at) {
    safe += script[at];
    const std::string_view rest = script.substr(at);
    if (rest.starts_with("</script") || rest.starts_with("<!--")) safe += '\\';
  }
  return safe;
}

/// JSON without '<', so that no text in it can end the surrounding element.
std::string inside_script(const json::value& value) {
  const std::string text = json::serialize(value);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The number of digits after the decimal point; -1 without a point, -2 if `text` is not a number.
int decimals(std::string_view text) {
  if (text.empty() || !is_digit(text.back()) || text.find(' ') != std::string_view::npos) return -2;
  const std::size_t point = text.rfind('.');
  if (point == std::string_view::npos) return -1;
  return static_cast<int>(text.size() - point - 1);
}

/// The padding after `text` that aligns its decimal point with that of a number with `most` decimals.
std::string padding(std::string_view text, int most) {
  const int own = decimals(text);
  std::string pad;
  if (own == -2 || most < 0) return pad;
  if (own == -1) pad += kPunctuationSpace;
  for (int i = std::max(own, 0); i < most; ++i) pad += kFigureSpace;
  return pad;
}

/// How many characters of a note are in sight: whole sentences of about two lines, or all if little would be left.
std::size_t sentences_in_sight(std::string_view note) {
  constexpr std::size_t kInSight = 200, kLittle = 80;
  if (note.size() <= kInSight + kLittle) return note.size();
  std::size_t shown = 0;
  for (std::size_t end = note.find(". "); end != std::string_view::npos; end = note.find(". ", end + 1)) {
    if (shown > 0 && end > kInSight) break;
    shown = end + 1;
  }
  return shown == 0 || note.size() - shown < kLittle ? note.size() : shown;
}

/// Text that may wrap inside its identifiers, after an underscore and before an inner capital: a cell of numbers may
/// name variants, a heading functions.
std::string breakable_words(std::string_view text) {
  std::string out;
  char before = ' ';
  for (const char c : text) {
    if (before == '_' || (before >= 'a' && before <= 'z' && c >= 'A' && c <= 'Z')) out += "<wbr>";
    out += escape_html(std::string_view(&c, 1));
    before = c;
  }
  return out;
}

/// A name that may wrap after each of its parts: "family/variant", "commit..commit"; and inside a long part.
std::string breakable(std::string_view name) {
  constexpr std::size_t kLongPart = 24;
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t slash = std::min(name.find('/', at), name.size() - 1);
    const std::size_t dots = std::min(name.find("..", at), name.size() - 1);
    const std::size_t end = slash < dots ? slash + 1 : std::min(dots + 2, name.size());
    const std::string_view part = name.substr(at, end - at);
    out += part.size() > kLongPart ? breakable_words(part) : escape_html(part);
    at = end;
    if (at < name.size()) out += "<wbr>";
  }
  return out;
}

std::string link_to(std::string_view id, std::string_view what) {
  return fmt::format("\u00a0<a class=\"anchor\" href=\"#{}\" aria-label=\"Link to {}\">#</a>", escape_html(id),
                     escape_html(what));
}

/// The column that identifies a row: the first name column, otherwise the first column that is no verdict.
std::size_t row_heading(const std::vector<TableColumn>& columns) {
  const auto is_name = [](const TableColumn& column) { return column.kind == kName || column.kind == kBenchmark; };
  auto found = std::find_if(columns.begin(), columns.end(), is_name);
  if (found == columns.end())
    found =
        std::find_if(columns.begin(), columns.end(), [](const TableColumn& column) { return column.kind != kVerdict; });
  return found == columns.end() ? 0 : static_cast<std::size_t>(found - columns.begin());
}

/// The words of a text as a part of an address: "Idea, cost" becomes "Idea-cost". A long text is cut after a word.
std::string address_words(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string words;
  for (const char c : identifier(text)) {
    if (c == '-' && (words.empty() || words.back() == '-')) continue;
    if (c == '-' && words.size() >= kMost) break;
    words += c;
  }
  while (words.ends_with('-') || words.ends_with('.')) words.pop_back();
  return words;
}

/// The title of the row's group; "" without one.
std::string_view group_of(const Table& table, std::size_t row) {
  std::string_view title;
  for (const Table::Group& group : table.groups)
    if (group.first_row <= row) title = group.title;
  return title;
}

/// Each row's name in its address: by what its table says of it, so that it is the same in the next report. Its
/// heading; where several rows have the same, also their group; then also their other texts. What is still equal gets a
/// number.
std::vector<std::string> row_names(const Table& table) {
  const std::size_t head = row_heading(table.columns), count = table.rows.size();
  std::vector<std::string> names(count);
  for (std::size_t row = 0; row < count; ++row) names[row] = address_words(table.rows[row][head].text);
  const auto tell_apart = [&](auto more) {
    std::map<std::string, int> uses;
    for (const std::string& name : names) ++uses[name];
    for (std::size_t row = 0; row < count; ++row)
      if (uses[names[row]] > 1)
        if (const std::string words = address_words(more(row)); !words.empty()) names[row] += "-" + words;
  };
  tell_apart([&](std::size_t row) { return group_of(table, row); });
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (i != head && table.columns[i].kind != kNumber && table.columns[i].kind != kVerdict)
      tell_apart([&](std::size_t row) -> std::string_view { return table.rows[row][i].text; });
  std::set<std::string> taken;
  for (std::string& name : names) {
    const std::string words = name;
    for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}", words, i);
  }
  return names;
}

/// The row's filter keys as attributes; "" for a row without a benchmark.
std::string keys_of(const Table& table, std::size_t at) {
  std::vector<std::string> benchmarks;
  std::string verdict;
  if (at < table.benchmarks.size()) benchmarks = table.benchmarks[at];
  for (std::size_t i = 0; i < table.rows[at].size(); ++i) {
    if (table.columns[i].kind == kBenchmark) benchmarks.push_back(table.rows[at][i].text);
    if (table.columns[i].kind == kVerdict) verdict = table.rows[at][i].text;
  }
  if (benchmarks.empty()) return "";
  std::string keys = fmt::format(" data-benchmark=\"{}\"", escape_html(fmt::format("{}", fmt::join(benchmarks, " "))));
  if (!verdict.empty()) keys += fmt::format(" data-verdict=\"{}\"", escape_html(verdict));
  return keys;
}

/// Where links lead, as seen from one page.
class Addresses {
 public:
  /// `page` "": all pages are in one file.
  Addresses(const Document& document, std::string page) : places_(places_of(document)), page_(std::move(page)) {}

  /// The address of an id of the report; another address as it is.
  std::string of(std::string_view to) const {
    if (to.starts_with("./") || to.starts_with("../")) return std::string(to);
    const auto place = places_.find(to.substr(0, to.find('?')));
    if (place == places_.end())
      return to.find(':') == std::string_view::npos ? fmt::format("#{}", to) : std::string(to);
    if (page_.empty() || place->second == page_) return fmt::format("#{}", to);
    return to == place->second ? fmt::format("{}.html", to) : fmt::format("{}.html#{}", place->second, to);
  }

  std::string link(std::string_view to, std::string_view text) const {
    return fmt::format("<a href=\"{}\">{}</a>", escape_html(of(to)), escape_html(text));
  }

 private:
  std::map<std::string, std::string, std::less<>> places_;
  std::string page_;
};

class HtmlWriter {
 public:
  HtmlWriter(const std::map<std::string, std::string>& drawings, const Addresses& addresses)
      : drawings_(drawings), addresses_(addresses) {}

  /// All of a page, one of several in a file.
  void page(const Page& page) {
    if (page.name == kFirstPage) {
      put("<article id=\"{}\" aria-label=\"{}\">\n", kFirstPage, escape_html(page.title));
      for (const Section& section : page.sections) this->section(section, 2);
      out_ += "</article>\n";
      return;
    }
    put("<article id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2><span id=\"{0}-title\">{1}</span>{2}</h2>\n",
        escape_html(page.name), escape_html(page.title), link_to(page.name, page.title));
    if (!page.lead.empty()) put("<p class=\"lead\">{}</p>\n", escape_html(page.lead));
    for (const Section& section : page.sections) this->section(section, 3);
    out_ += "</article>\n";
  }

  void section(const Section& section, int level) {
    // A link inside of what opens a part would be two controls in one; the contents have the part's address.
    const std::string heading =
        fmt::format("<h{1}><span id=\"{0}-title\">{2}</span>{3}</h{1}>", escape_html(section.id), std::min(level, 6),
                    escape_html(section.title), section.folded ? "" : link_to(section.id, section.title));
    put("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n", escape_html(section.id));
    if (section.folded)
      put("<details class=\"part\"><summary>{}</summary>\n", heading);
    else
      put("{}\n", heading);
    for (const Element& element : section.elements)
      std::visit([this](const auto& one) { this->element(one); }, element);
    for (const Section& inner : section.sections) this->section(inner, level + 1);
    out_ += section.folded ? "</details>\n</section>\n" : "</section>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void element(const Paragraph& paragraph) {
    std::string text = escape_html(paragraph.text);
    for (const Link& link : paragraph.links)
      text += fmt::format("{}{}", text.empty() ? "" : " ", addresses_.link(link.to, link.text));
    if (paragraph.emphasis == Emphasis::kPlain)
      put("<p>{}</p>\n", text);
    else
      put("<p class=\"note {}\">{}</p>\n", class_of(paragraph.emphasis), text);
  }

  void element(const List& list) {
    out_ += "<ul>\n";
    for (const std::string& item : list.items) put("<li>{}</li>\n", escape_html(item));
    out_ += "</ul>\n";
  }

  void element(const Folds& folds) {
    const std::string id = "list-" + identifier(folds.name);
    put("<div class=\"folds\" id=\"{0}\" role=\"group\" aria-labelledby=\"{0}-title\">\n<p "
        "id=\"{0}-title\">{1}{2}</p>\n",
        id, escape_html(folds.caption), link_to(id, "the list"));
    for (const Folds::Fold& fold : folds.folds) {
      put("<details><summary><span class=\"badge {}\">{}</span> {}</summary>\n", class_of(folds.mark.emphasis),
          escape_html(folds.mark.text), escape_html(fold.line));
      if (!fold.text.empty()) put("<p>{}</p>\n", escape_html(fold.text));
      if (!fold.command.empty()) put("<pre tabindex=\"0\">{}</pre>\n", escape_html(fold.command));
      parts(fold.details);
      out_ += "</details>\n";
    }
    out_ += "</div>\n";
  }

  void element(const Preformatted& preformatted) {
    put("<pre tabindex=\"0\">{}</pre>\n", escape_html(preformatted.text));
  }

  // These roles are the elements' defaults. The page shows rows as cards on a narrow screen, which removes the
  // defaults. The caption is before the table, whose role allows no links in it.
  void element(const Table& table) {
    const std::string id = "table-" + identifier(table.name);
    put("<div class=\"table\" id=\"{0}\">\n<div class=\"caption\"><p><span id=\"{0}-title\">{2}</span>{3}</p></div>\n"
        "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-labelledby=\"{0}-title\">\n"
        "<table role=\"table\" aria-labelledby=\"{0}-title\"{1}>\n<thead role=\"rowgroup\"><tr role=\"row\">",
        id, layout_of(table), escape_html(table.caption), link_to(id, "the table"));
    for (const TableColumn& column : table.columns)
      put("<th scope=\"col\" role=\"columnheader\" class=\"{}\"{}>{}</th>", class_of(column.kind),
          column.is_detail ? " data-detail" : "", breakable_words(column.title));
    out_ += "</tr></thead>\n<tbody role=\"rowgroup\">\n";
    rows(table);
    out_ += "</tbody>\n</table>\n</div>\n</div>\n";
  }

  static std::string layout_of(const Table& table) {
    if (table.columns.size() == 2) return " class=\"pairs\"";
    if (table.columns.empty() || !table.columns.back().is_below) return "";
    return fmt::format(" class=\"two-lines columns-{}\"", std::min(table.columns.size() - 1, kMostColumns));
  }

  void rows(const Table& table) {
    std::vector<int> most(table.columns.size(), -1);
    for (const auto& row : table.rows)
      for (std::size_t i = 0; i < row.size(); ++i) most[i] = std::max(most[i], decimals(row[i].text));
    const std::vector<std::string> names = row_names(table);
    const std::size_t head = row_heading(table.columns);
    auto group = table.groups.begin();
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
      for (; group != table.groups.end() && group->first_row == at; ++group)
        put("{}<tr role=\"row\" class=\"group\"><th scope=\"rowgroup\" role=\"rowheader\" "
            "colspan=\"{}\"><span>{}</span></th></tr>\n",
            at == 0 ? "" : "</tbody>\n<tbody role=\"rowgroup\">\n", table.columns.size(), escape_html(group->title));
      const std::vector<TableCell>& row = table.rows[at];
      put("<tr role=\"row\" id=\"row-{}-{}\"{}>", identifier(table.name), names[at], keys_of(table, at));
      for (std::size_t i = 0; i < row.size(); ++i) cell(row[i], table.columns[i], i == head, most[i]);
      out_ += "</tr>\n";
    }
  }

  void cell(const TableCell& cell, const TableColumn& column, bool heads_row, int most) {
    const std::string_view tag = heads_row ? "th" : "td";
    put("<{} {} class=\"{}\"", tag, heads_row ? "scope=\"row\" role=\"rowheader\"" : "role=\"cell\"",
        class_of(column.kind));
    if (cell.text.empty()) {
      put("></{}>", tag);
      return;
    }
    put(" data-label=\"{}\">", escape_html(column.title));
    const bool name = column.kind == kName || column.kind == kBenchmark;
    if (!cell.link.empty()) put("<a href=\"{}\">", escape_html(addresses_.of(cell.link)));
    if (cell.emphasis != Emphasis::kPlain)
      put("<span class=\"badge {}\">{}</span>", class_of(cell.emphasis), escape_html(cell.text));
    else
      out_ += name                     ? breakable(cell.text)
              : column.kind == kNumber ? breakable_words(cell.text)
                                       : escape_html(cell.text);
    if (!cell.link.empty()) out_ += "</a>";
    if (column.kind == kNumber) out_ += padding(cell.text, most);
    details(cell);
    put("</{}>", tag);
  }

  void details(const TableCell& cell) {
    if (cell.details.empty()) return;
    out_ += "<details class=\"basis\"><summary>Why this decides it</summary>";
    parts(cell.details);
    out_ += "</details>";
  }

  void parts(const std::vector<std::pair<std::string, std::string>>& parts) {
    for (const auto& [title, text] : parts)
      put("<p><strong>{}.</strong> {}.</p>", escape_html(title), escape_html(text));
  }

  /// A long note has its first sentences in sight; a reader opens the others.
  static std::string caption(const std::string& id, const std::string& title, const std::string& note) {
    const std::size_t shown = sentences_in_sight(note);
    return fmt::format(
        "<figcaption><strong>{}{}</strong><span>{}</span>{}</figcaption>", escape_html(title),
        link_to(id, "the figure"), escape_html(note.substr(0, shown)),
        shown == note.size()
            ? ""
            : fmt::format("<details class=\"basis\"><summary>How to read it</summary><p>{}</p></details>",
                          escape_html(note.substr(note.find_first_not_of(' ', shown)))));
  }

  void element(const Charts& group) {
    put("<div class=\"charts{}\">\n", group.charts.size() == 1 ? " single" : "");
    for (const Chart& chart : group.charts) {
      const auto drawn = drawings_.find(chart.name);
      const std::string id = "figure-" + chart.name;
      put("<figure id=\"{}\" data-chart=\"{}\">\n{}\n"
          "{}{}<div class=\"plot\" role=\"img\" aria-label=\"{}\">{}</div>\n",
          id, chart.name, caption(id, chart.title, chart.note),
          chart.replay.empty() ? ""
                               : fmt::format("<div class=\"replay\" data-replay=\"{}\" hidden></div>\n", chart.name),
          variant_select(chart), escape_html(chart.text), drawn == drawings_.end() ? chart.sketch : drawn->second);
      if (chart.table) {
        out_ += "<details>\n<summary>All values as a table</summary>\n";
        element(*chart.table);
        out_ += "</details>\n";
      }
      out_ += "</figure>\n";
    }
    out_ += "</div>\n";
  }

  static std::string variant_select(const Chart& chart) {
    if (chart.variants.size() < 2) return "";
    std::string options;
    for (const std::string& variant : chart.variants)
      options += fmt::format("<option>{}</option>", escape_html(variant));
    return fmt::format("<label class=\"variant\" hidden>Variant <select>{}</select></label>\n", options);
  }

  void element(const Matrix& matrix) {
    const std::string id = "matrix-" + identifier(matrix.name);
    put("<div class=\"matrix\" id=\"{0}\" data-matrix=\"{2}\">\n<p id=\"{0}-title\">{1} The whole table: <a "
        "href=\"{2}.csv\">{2}.csv</a>.{3}</p>\n"
        "<form role=\"search\" aria-label=\"Filter the matrix\" hidden>\n"
        "<label>Query <input type=\"search\" name=\"text\" placeholder=\"256x64, BC7, mip levels\" "
        "autocomplete=\"off\" "
        "spellcheck=\"false\"></label>\n",
        id, escape_html(matrix.caption), escape_html(matrix.name), link_to(id, "the matrix"));
    for (const std::string_view field : {"driver", "chip", "format", "size"})
      put("<label>{} <select name=\"{}\"><option value=\"\">all</option></select></label>\n",
          capitalized(std::string(field)), field);
    put("<button type=\"reset\" name=\"clear\" hidden>Clear</button>\n</form>\n"
        "<p class=\"matrix-static\">This table needs JavaScript. The file has all of it.</p>\n"
        "<p class=\"matrix-status\" role=\"status\"></p>\n"
        "<div class=\"scroll matrix-window\" role=\"table\" tabindex=\"0\" aria-labelledby=\"{}-title\" hidden></div>\n"
        "</div>\n",
        id);
  }

  void element(const FarmGrid& grid) {
    const json::value* machines = grid.data.if_contains("machines");
    const json::value* benchmarks = grid.data.if_contains("benchmarks");
    const auto count = [](const json::value* all) {
      return all != nullptr && all->is_array() ? all->as_array().size() : std::size_t{0};
    };
    put("<div class=\"grid\" id=\"{}\" data-grid>\n<p class=\"grid-static\">{} benchmarks on {} machines. The grid "
        "needs "
        "JavaScript.</p>\n</div>\n",
        identifier(grid.name), count(benchmarks), count(machines));
  }

  void element(const Pictures& group) {
    put("<div class=\"charts{}\">\n", group.pictures.size() == 1 ? " single" : "");
    for (const Picture& picture : group.pictures) {
      const std::string id = "figure-" + picture.name;
      put("<figure id=\"{}\">\n{}\n"
          "<img class=\"picture\" alt=\"{}\" src=\"data:image/png;base64,{}\">\n</figure>\n",
          id, caption(id, picture.title, picture.note), escape_html(picture.text), base64(picture.png));
    }
    out_ += "</div>\n";
  }

  void element(const PictureComparison& comparison) {
    const std::string id = "pictures-" + comparison.name;
    put("<figure id=\"{}\" class=\"comparison\">\n{}\n<ul "
        "class=\"compared\">\n",
        id, caption(id, comparison.title, comparison.note));
    for (const Picture& picture : comparison.pictures)
      put("<li><svg class=\"picture\" role=\"img\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} "
          "{2}\">{3}</svg><span>{4}</span></li>\n",
          escape_html(picture.text), picture.width, picture.height, image_of(picture), escape_html(picture.title));
    put("</ul>\n{}</figure>\n", comparison.pictures.size() > 1 ? "<div class=\"compare\" hidden></div>\n" : "");
  }

  /// A page has the bytes of each picture once; another comparison refers to them.
  std::string image_of(const Picture& picture) {
    const std::string id = "picture-" + picture.name;
    if (!embedded_.insert(picture.name).second) return fmt::format("<use href=\"#{}\"/>", id);
    return fmt::format("<image id=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/>", id,
                       picture.width, picture.height, base64(picture.png));
  }

  const std::map<std::string, std::string>& drawings_;
  const Addresses& addresses_;
  std::set<std::string> embedded_;  ///< pictures of comparisons
  std::string out_;
};

std::string facts_of(const Document& document) {
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : document.facts)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(name), escape_html(value));
  return out + "</dl>\n";
}

std::string alerts_of(const Document& document, const Addresses& addresses) {
  std::string out;
  for (const Alert& alert : document.alerts)
    out +=
        fmt::format("<p class=\"alert\">{} {}</p>\n", escape_html(alert.text), addresses.link(alert.section, "More"));
  return out;
}

std::string above_of(const Document& document, const Addresses& addresses) {
  return document.above ? addresses.link(document.above->to, document.above->text) : "";
}

/// What the first page begins with: the report's title, what spoils its findings, and its lead.
std::string header_of_report(const Document& document, const Addresses& addresses) {
  std::string out = document.above ? fmt::format("<p class=\"above\">{}</p>\n", above_of(document, addresses)) : "";
  out +=
      fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", escape_html(document.title), escape_html(document.lead));
  out += alerts_of(document, addresses);
  if (!document.progress.empty())
    out += fmt::format("<p class=\"progress\" role=\"status\">{}</p>\n", escape_html(document.progress));
  return out;
}

/// What another page begins with.
std::string header_of(const Page& page, const Document& document, const Addresses& addresses) {
  std::string out =
      fmt::format("<p class=\"above\">{}{}{}</p>\n<h1>{}</h1>\n", above_of(document, addresses),
                  document.above ? " / " : "", addresses.link(kFirstPage, document.title), escape_html(page.title));
  if (!page.lead.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(page.lead));
  out += alerts_of(document, addresses);
  return out;
}

/// The pages of the report, and below `shown` its sections. Null: all pages are shown.
std::string contents(const Document& document, const Page* shown, const Addresses& addresses) {
  std::string out = "<ul>\n";
  for (const Page& page : document.pages) {
    const bool here = shown == &page;
    out += fmt::format("<li><a href=\"{}\"{}>{}</a>", here ? "#main" : escape_html(addresses.of(page.name)),
                       here ? " aria-current=\"page\"" : "", escape_html(page.title));
    if ((here || shown == nullptr) && !page.sections.empty()) {
      out += "<ul>\n";
      for (const Section& section : page.sections)
        out += fmt::format("<li>{}</li>\n", addresses.link(section.id, section.title));
      out += "</ul>\n";
    }
    out += "</li>\n";
  }
  return out + "</ul>\n";
}

/// Replaces each {{name}} of the template in one pass; inserted text is not expanded again.
std::string fill(std::string_view page, const std::map<std::string, std::string, std::less<>>& parts) {
  std::string out;
  for (;;) {
    const std::size_t open = page.find("{{");
    out += page.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = page.find("}}", open);
    out += parts.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    escape == kEscapes.end() ? out += c : out += escape->second;
  }
  return out;
}

namespace {

using Parts = std::map<std::string, std::string, std::less<>>;

/// What charts, replays and matrices are drawn from: {"charts", "matrices", "replays"}, each by name.
json::object json_data_of(const std::vector<const Chart*>& charts, const std::vector<const Matrix*>& matrices) {
  json::object specifications, replays, tables;
  for (const Chart* chart : charts) {
    specifications[chart->name] = specification(*chart);
    if (!chart->replay.empty()) replays[chart->name] = chart->replay;
  }
  for (const Matrix* matrix : matrices) tables[matrix->name] = matrix->data;
  return {{"charts", std::move(specifications)}, {"matrices", std::move(tables)}, {"replays", std::move(replays)}};
}

/// The same as scripts without code.
Parts data_of(const std::vector<const Chart*>& charts, const std::vector<const Matrix*>& matrices) {
  Parts parts;
  for (const auto& [name, data] : json_data_of(charts, matrices)) parts.emplace(name, inside_script(data));
  return parts;
}

/// The code of all pages.
std::string vega_script() {
  std::string script;
  for (const char* name : {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"})
    script += fmt::format("{}\n", resource(name));
  return script;
}

/// In the order in which they start: what a module gives, those after it may use.
constexpr std::string_view kModules[] = {"fit", "address", "figures", "filter", "matrix", "table", "replay", "compare"};

/// Those of live pages alone, after the others.
constexpr std::string_view kLiveModules[] = {"zoom", "grid", "acknowledge"};

/// A script of the page as a module of its own names (page/page.js). Its lines keep their numbers, for errors.
std::string module_script(std::string_view name) {
  return fmt::format(
      "lab.define('{}', (life, make, page_address, charts) => {{ {}return typeof start === 'undefined' ? undefined : "
      "start();\n}});\n",
      name, resource(fmt::format("{}.js", name)));
}

std::string page_script() {
  std::string modules;
  for (const std::string_view name : kModules) modules += module_script(name);
  return fill(resource("scripts.js"), {{"page", std::string(resource("page.js"))}, {"modules", std::move(modules)}});
}

std::string style() {
  std::string style = palette_css() + std::string(resource("page.css"));
  for (std::size_t i = 1; i <= kMostColumns; ++i) style += fmt::format(".columns-{0} {{ --columns: {0}; }}\n", i);
  return style;
}

/// The page without `scripts`, whose elements have the attribute `nonce` where "{nonce}" stands. It is made of all that
/// the page says: text of a result cannot contain it.
std::string page_of(const Document& document, Parts parts, std::string scripts) {
  std::string all;
  for (const auto& [name, part] : parts) all += part;
  const std::string nonce = content_name(all);
  parts.emplace("policy",
                fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
                            "data:; script-src 'nonce-{}'; style-src 'self' file: 'unsafe-inline'\">\n",
                            nonce));
  for (const char* none : {"kind", "above", "below"}) parts.emplace(none, "");
  for (std::size_t at = scripts.find("{nonce}"); at != std::string::npos; at = scripts.find("{nonce}", at))
    scripts.replace(at, 7, nonce);
  parts.emplace("scripts", std::move(scripts));
  parts.emplace("refresh", document.progress.empty() ? "" : "<meta http-equiv=\"refresh\" content=\"15\">\n");
  return fill(resource("page.html"), parts);
}

/// What stands for the document's sections in a live page: all in one.
struct LiveText {
  std::string header, contents, main, footer;
};

LiveText live_text(const Document& document) {
  const Addresses addresses(document, "");
  const std::map<std::string, std::string> no_drawings;
  HtmlWriter writer(no_drawings, addresses);
  for (const Page& page : document.pages)
    for (const Section& section : page.sections) writer.section(section, 2);
  const std::vector<const Section*> sections = sections_of(document);
  std::string contents;
  if (sections.size() > 1) {
    contents = "<ul>\n";
    for (const Section* section : sections)
      contents += fmt::format("<li>{}</li>\n", addresses.link(section->id, section->title));
    contents += "</ul>\n";
  }
  return {header_of_report(document, addresses), std::move(contents), writer.take(), facts_of(document)};
}

constexpr std::string_view kLiveViews =
    "<nav id=\"views\" aria-label=\"Views\">\n<ul>\n<li><a href=\"./\">Farm</a></li>\n<li><a "
    "href=\"./atlas\">Drivers</a></li>\n</ul>\n</nav>\n";

/// The shell's own line (page/live.js): outside of all that it replaces.
constexpr std::string_view kLiveLine =
    "<section id=\"live\" aria-label=\"Connection\" hidden>\n<p id=\"live-status\" role=\"status\"></p>\n<ul "
    "id=\"live-running\" aria-label=\"Running "
    "sessions\"></ul>\n</section>\n";

/// The shell is first: it hears what the others report. Vega is the largest, and not needed where there is no chart.
std::string live_scripts(bool draws) {
  std::string scripts = fmt::format("<script defer src=\"live.js\" data-worker=\"live_worker.js?v={}\"></script>\n",
                                    content_name(resource("live_worker.js")));
  const auto add = [&](std::string_view name) {
    scripts += fmt::format("<script defer src=\"{}.js\"></script>\n", name);
  };
  if (draws) add("vega");
  add("report");
  for (const std::string_view name : kLiveModules) add(name);
  return scripts;
}

}  // namespace

std::string to_live_html(const Document& document, std::uint64_t version) {
  LiveText text = live_text(document);
  Parts parts = data_of(charts_of(document), matrices_of(document));
  std::string below;
  for (const FarmGrid* grid : grids_of(document))
    below += fmt::format("<script type=\"application/json\" id=\"{}-data\">{}</script>\n", identifier(grid->name),
                         inside_script(json::value(grid->data)));
  parts.merge(Parts{{"title", escape_html(document.title)},
                    {"kind", fmt::format(" class=\"live\" data-version=\"{}\"", version)},
                    {"policy", ""},
                    {"refresh", ""},
                    {"style", "<link rel=\"stylesheet\" href=\"report.css\">"},
                    {"above", std::string(kLiveViews)},
                    {"header", std::move(text.header)},
                    {"contents", std::move(text.contents)},
                    {"main", std::move(text.main)},
                    {"facts", std::move(text.footer)},
                    {"below", std::string(kLiveLine) + below},
                    {"scripts", live_scripts(!charts_of(document).empty())}});
  return fill(resource("page.html"), parts);
}

json::object live_part(const Document& document) {
  LiveText text = live_text(document);
  json::object part = json_data_of(charts_of(document), matrices_of(document));
  json::object data;
  for (const FarmGrid* grid : grids_of(document)) data[identifier(grid->name)] = grid->data;
  part["title"] = document.title;
  part["header"] = std::move(text.header);
  part["contents"] = std::move(text.contents);
  part["main"] = std::move(text.main);
  part["footer"] = std::move(text.footer);
  part["data"] = std::move(data);
  return part;
}

std::map<std::string, std::string> live_files() {
  std::map<std::string, std::string> files = shared_files();
  for (const char* name : {"live.js", "live_worker.js"}) files.emplace(name, resource(name));
  for (const std::string_view name : kModules) files.emplace(fmt::format("{}.js", name), module_script(name));
  for (const std::string_view name : kLiveModules) files.emplace(fmt::format("{}.js", name), module_script(name));
  return files;
}

std::map<std::string, std::string> shared_files() {
  return {{"vega.js", vega_script()}, {"report.js", page_script()}, {"report.css", style()}};
}

std::string to_html(const Document& document, const Page& page, const std::map<std::string, std::string>& drawings) {
  const Addresses addresses(document, page.name);
  HtmlWriter writer(drawings, addresses);
  for (const Section& section : page.sections) writer.section(section, 2);
  const bool first = page.name == kFirstPage;
  Parts parts = data_of(charts_of(page), matrices_of(page));
  parts.merge(Parts{{"title", escape_html(first ? document.title : fmt::format("{}: {}", page.title, document.title))},
                    {"style", "<link rel=\"stylesheet\" href=\"report.css\">"},
                    {"header", first ? header_of_report(document, addresses) : header_of(page, document, addresses)},
                    {"contents", contents(document, &page, addresses)},
                    {"main", writer.take()},
                    {"facts", facts_of(document)}});
  return page_of(document, std::move(parts),
                 "<script defer nonce=\"{nonce}\" src=\"vega.js\"></script>\n"
                 "<script defer nonce=\"{nonce}\" src=\"report.js\"></script>");
}

std::string to_single_html(const Document& document, const std::map<std::string, std::string>& drawings) {
  const Addresses addresses(document, "");
  HtmlWriter writer(drawings, addresses);
  for (const Page& page : document.pages) writer.page(page);
  Parts parts = data_of(charts_of(document), matrices_of(document));
  parts.merge(Parts{{"title", escape_html(document.title)},
                    {"style", fmt::format("<style>\n{}</style>", style())},
                    {"header", header_of_report(document, addresses)},
                    {"contents", contents(document, nullptr, addresses)},
                    {"main", writer.take()},
                    {"facts", facts_of(document)}});
  return page_of(document, std::move(parts),
                 fmt::format("<script nonce=\"{{nonce}}\">{}</script>\n<script nonce=\"{{nonce}}\">{}</script>",
                             inside_script(vega_script()), inside_script(page_script())));
}

}  // namespace lab::report
