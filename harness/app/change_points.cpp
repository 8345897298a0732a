#include "harness/app/change_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/base/usage_error.h"

namespace lab::app {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kSeparators = " \t\r\v\f,";
constexpr const char* kHint = "one series per line, its numbers separated by commas or blanks; or one number per line";

/// The unexpected text for an error message: quoted, shortened and on one line.
std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) text += c >= ' ' && c != '\x7f' ? c : '?';
  return text + (word.size() > kLongest ? "...'" : "'");
}

Expected<double> number(std::string_view word) {
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const auto [rest, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || rest != digits.data() + digits.size() || !std::isfinite(value))
    return usage_error(fmt::format("expected a finite number, found {}", word.empty() ? "nothing" : quoted(word)),
                       kHint);
  if (std::abs(value) > stats::Density::kWidest)
    return usage_error(fmt::format("expected a number within +-{:g}, found {}", stats::Density::kWidest, quoted(word)));
  return value;
}

/// Numbers separated by blanks, or by one comma with optional blanks.
Expected<std::vector<double>> numbers(std::string_view line) {
  std::vector<double> values;
  bool after_comma = false;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty() && !after_comma) return values;
    const std::size_t end = std::min(line.find_first_of(kSeparators), line.size());
    const Expected<double> value = number(line.substr(0, end));
    if (!value) return in_context(fmt::format("number {}", values.size() + 1), value.error());
    values.push_back(*value);
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    after_comma = line.starts_with(',');
    if (after_comma) line.remove_prefix(1);
  }
}

/// Makes lines of one number each, a column, one series.
void join_column(std::vector<NumberSeries>& all) {
  if (all.empty() || std::ranges::any_of(all, [](const NumberSeries& series) { return series.values.size() != 1; }))
    return;
  for (std::size_t i = 1; i < all.size(); ++i) all.front().values.push_back(all[i].values.front());
  all.front().last_line = all.back().line;
  all.resize(1);
}

}  // namespace

Expected<std::vector<NumberSeries>> find_change_points(std::string_view text, const std::string& name, bool together) {
  std::vector<NumberSeries> all;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Expected<std::vector<double>> values = numbers(text.substr(0, end));
    if (!values) return in_context(fmt::format("{}: line {}", name, line), values.error());
    if (!values->empty()) all.push_back({line, line, std::move(*values), {}, {}});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  join_column(all);
  if (all.empty()) return usage_error(fmt::format("{}: expected one series per line, found no number", name), kHint);
  const stats::DetectorContext context{together ? all.size() : 1, {}};
  for (NumberSeries& series : all) {
    series.change_points = stats::find_change_points(series.values, context);
    series.hindsight = stats::look_back(series.values);
  }
  return all;
}

}  // namespace lab::app
