#include "harness/report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lab::report {

namespace {

class MarkdownWriter {
 public:
  void section(const Section& section, int level) {
    put("\n{} {}\n", std::string(static_cast<std::size_t>(level), '#'), escape_markdown(section.title));
    for (const Element& element : section.elements)
      std::visit([this](const auto& one) { this->element(one); }, element);
    for (const Section& inner : section.sections) this->section(inner, level + 1);
  }

  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string take() { return std::move(out_); }

 private:
  void element(const Paragraph& paragraph) { put("\n{}\n", escape_markdown(paragraph.text)); }

  void element(const List& list) {
    out_ += '\n';
    for (const std::string& item : list.items) put("- {}\n", escape_markdown(item));
  }

  void element(const Folds& folds) {
    put("\n{}:\n\n| | Claim | Why |\n|---|---|---|", escape_markdown(folds.caption));
    for (const Folds::Fold& fold : folds.folds)
      put("\n| **{}** | {} | {}{} |", escape_markdown(folds.mark.text), escape_markdown(fold.line),
          escape_markdown(fold.text), fold.command.empty() ? "" : fmt::format(" `{}`", fold.command));
    out_ += '\n';
  }

  /// Indented, because the text could end a fenced block.
  void element(const Preformatted& preformatted) {
    out_ += "\n    ";
    std::string_view text = preformatted.text;
    while (text.ends_with('\n')) text.remove_suffix(1);
    for (const char c : text) c == '\n' ? out_ += "\n    " : out_ += c;
    out_ += '\n';
  }

  void element(const Charts& group) {
    for (const Chart& chart : group.charts) put("\n![{}]({}.svg)\n", escape_markdown(chart.title), chart.name);
  }

  void element(const Pictures& group) {
    for (const Picture& picture : group.pictures)
      put("\n![{}]({}.png)\n", escape_markdown(picture.title), picture.name);
  }

  void element(const PictureComparison& comparison) {
    put("\n{}: ", escape_markdown(comparison.title));
    for (const Picture& picture : comparison.pictures)
      put("{}[{}]({}.png)", &picture == comparison.pictures.data() ? "" : ", ", escape_markdown(picture.title),
          picture.name);
    put(".{}\n", comparison.note.empty() ? "" : " " + escape_markdown(comparison.note));
  }

  void element(const Matrix& matrix) {
    put("\n{} [{}.csv]({}.csv)\n", escape_markdown(matrix.caption), escape_markdown(matrix.name), matrix.name);
  }

  void element(const FarmGrid&) { put("\nThe page has a grid of all benchmarks and machines.\n"); }

  void element(const Table& table) {
    put("\n{}:\n\n|", escape_markdown(table.caption));
    for (const TableColumn& heading : table.columns) put(" {} |", escape_markdown(heading.title));
    out_ += "\n|";
    for (const TableColumn& heading : table.columns) out_ += heading.kind == kNumber ? "---:|" : "---|";
    auto group = table.groups.begin();
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
      while (group != table.groups.end() && std::next(group) != table.groups.end() && std::next(group)->first_row <= at)
        ++group;
      if (!table.summary_rows.empty() && std::ranges::find(table.summary_rows, at) == table.summary_rows.end())
        continue;
      if (group != table.groups.end() && group->first_row <= at) {
        put("\n| **{}** |", escape_markdown(group->title));
        for (std::size_t i = 1; i < table.columns.size(); ++i) out_ += "  |";
        ++group;
      }
      out_ += "\n|";
      for (const TableCell& cell : table.rows[at]) {
        const std::string text = escape_markdown(cell.text);
        put(" {} |", cell.emphasis == Emphasis::kPlain ? text : "**" + text + "**");
      }
    }
    out_ += '\n';
    if (!table.summary_rows.empty() && table.summary_rows.size() < table.rows.size())
      put("\n{} of {} rows; the page has all of them.\n", table.summary_rows.size(), table.rows.size());
  }

  std::string out_;
};

}  // namespace

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_|[]#").find(c) != std::string_view::npos) out += '\\';
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return out;
}

std::string to_markdown(const Document& document) {
  MarkdownWriter writer;
  writer.put("# {}\n\n**{}**\n", escape_markdown(document.title), escape_markdown(document.lead));
  for (const Alert& alert : document.alerts) writer.put("\n> **{}**\n", escape_markdown(alert.text));
  if (!document.progress.empty()) writer.put("\n{}\n", escape_markdown(document.progress));
  writer.put("\n");
  for (const auto& [name, value] : document.facts)
    writer.put("- {}: {}\n", escape_markdown(name), escape_markdown(value));
  for (const Page& page : document.pages) {
    if (page.name == kFirstPage) {
      for (const Section& section : page.sections) writer.section(section, 2);
      continue;
    }
    writer.put("\n## {}\n", escape_markdown(page.title));
    if (!page.lead.empty()) writer.put("\n**{}**\n", escape_markdown(page.lead));
    for (const Section& section : page.sections) writer.section(section, 3);
  }
  return writer.take();
}

}  // namespace lab::report
