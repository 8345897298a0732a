#include "harness/base/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lab {

namespace {

constexpr std::size_t kGap = 2;
/// Least width of a column that wraps: narrower text is unreadable.
constexpr std::size_t kNarrowest = 12;

/// Bytes of the escape sequence at the start of `text`; 0 if there is none.
std::size_t escape_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  std::size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size());
}

/// Bytes of the first character of `text`.
std::size_t character_bytes(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return end;
}

/// Length in bytes of the longest prefix of `text` within `width` columns.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t taken = 0; at < text.size();) {
    const std::size_t escape = escape_bytes(text.substr(at));
    if (escape == 0 && taken++ == width) break;
    at += escape > 0 ? escape : character_bytes(text.substr(at));
  }
  return at;
}

/// Best break in `text`, which is wider than `width`: {bytes of the first line, where the next one begins}.
std::pair<std::size_t, std::size_t> break_of(std::string_view text, std::size_t width) {
  const std::size_t most = bytes_within(text, width);
  // The space itself may be the first character that does not fit.
  const std::size_t space = text.substr(0, most + 1).rfind(' ');
  if (space != std::string_view::npos && text.find_first_not_of(' ') < space) {
    const std::size_t next = text.find_first_not_of(' ', space);
    return {space, next == std::string_view::npos ? text.size() : next};
  }
  const std::size_t slash = text.substr(0, most).rfind('/');
  if (slash != std::string_view::npos) return {slash + 1, slash + 1};
  return {most, most};
}

std::string_view trimmed_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return right ? space + text : text + space;
}

/// Column widths with which the table fits, as far as the columns that wrap can shrink.
std::vector<std::size_t> widths_of(const std::vector<Column>& columns,
                                   const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    widths.push_back(text_width(columns[i].heading));
    for (const auto& row : rows)
      if (row.size() > 1 && i < row.size()) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), kGap * (columns.size() - 1)); };
  while (width > 0 && total() > width) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].wraps && widths[i] > std::max(kNarrowest, text_width(columns[i].heading)) &&
          (widest == columns.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == columns.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string lines_of(const std::vector<Column>& columns, const std::vector<std::string>& cells,
                     const std::vector<std::size_t>& widths) {
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string cell = i < cells.size() ? cells[i] : "";
    parts.push_back(columns[i].wraps ? wrapped(cell, widths[i]) : std::vector{cell});
    height = std::max(height, parts.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string one;
    for (std::size_t i = 0; i < columns.size(); ++i)
      one += padded(line < parts[i].size() ? parts[i][line] : "", widths[i], columns[i].right) + std::string(kGap, ' ');
    text += std::string(trimmed_right(one)) + "\n";
  }
  return text;
}

}  // namespace

std::string thousands(std::string_view number) {
  const std::size_t whole_part = std::min(number.find('.'), number.size());
  std::string out;
  for (std::size_t at = 0; at < number.size(); ++at) {
    const bool inside = at > 0 && at < whole_part && number[at - 1] != '-';
    if (inside && (whole_part - at) % 3 == 0) out += ',';
    out += number[at];
  }
  return out;
}

std::string whole(std::uint64_t value) {
  return thousands(std::to_string(value));
}

std::string first_names(std::vector<std::string> names, std::size_t most) {
  if (names.size() > most) {
    const std::string more = fmt::format("{} more", names.size() - most);
    names.resize(most);
    names.push_back(more);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - before));
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string cpus_text(double share) {
  if (std::round(100 * share) <= 100) return fmt::format("{:.0f} % of a CPU", 100 * share);
  return thousands(fmt::format("{:.{}f}", share, share < 9.95 ? 2 : share < 99.5 ? 1 : 0)) + " CPUs";
}

std::string capitalized(std::string text) {
  // Not that of a name in code: "plf::colony", "c_library", "allocator/buddy".
  const std::string_view word = std::string_view(text).substr(0, text.find_first_of(" ;,"));
  if (word.find_first_of("_/") != std::string_view::npos || word.find("::") != std::string_view::npos) return text;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string plural(std::string_view one) {
  return fmt::format("{}{}", one, one.ends_with('s') ? "es" : "s");
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  if (count != 1 && many.empty()) return fmt::format("{} {}", whole(count), plural(one));
  return fmt::format("{} {}", whole(count), count == 1 ? one : many);
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t escape = escape_bytes(text);
    if (escape == 0) ++width;
    text.remove_prefix(escape > 0 ? escape : character_bytes(text));
  }
  return width;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (width > 0 && text_width(line) > width) {
      const auto [bytes, next] = break_of(line, width);
      lines.emplace_back(trimmed_right(line.substr(0, bytes)));
      line.remove_prefix(next);
    }
    lines.emplace_back(line);
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string wrapped_after(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  for (const std::string& line : wrapped(text, width > indent ? width - indent : width))
    out += (out.empty() ? "" : "\n" + std::string(line.empty() ? 0 : indent, ' ')) + line;
  return out;
}

std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(columns, rows, width);
  std::vector<std::string> headings;
  for (const Column& column : columns) headings.push_back(column.heading);
  const bool headed = std::any_of(headings.begin(), headings.end(), [](const auto& each) { return !each.empty(); });
  std::string text = headed ? lines_of(columns, headings, widths) : "";
  for (const std::vector<std::string>& row : rows)
    text += row.size() == 1 ? wrapped_after(row.front(), width, 0) + "\n" : lines_of(columns, row, widths);
  return text;
}

}  // namespace lab
