// changepoints: finds level changes in a series of numbers, as an online detector would, point by point.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/cli/commands.h"
#include "harness/judge/changes.h"
#include "harness/stats/change_points.h"

namespace lab::cli {

namespace {

namespace json = boost::json;
using stats::ChangePoint;
using stats::ChangePointDetector;

struct Series {
  std::size_t line = 0;  // from 1
  std::vector<double> values;
};

constexpr std::string_view kBlanks = " \t\r\v\f";

/// The unexpected text for an error message: quoted, shortened and on one line.
std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) text += c >= ' ' && c != '\x7f' ? c : '?';
  return text + (word.size() > kLongest ? "...'" : "'");
}

Expected<double> number(std::string_view word) {
  const Error wrong{fmt::format("expected a finite number, found {}", word.empty() ? "nothing" : quoted(word)),
                    "one series a line, its numbers split by commas or blanks", ExitStatus::kUsage};
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double value = 0;
  const auto [rest, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || rest != digits.data() + digits.size() || !std::isfinite(value)) return wrong;
  if (std::abs(value) > stats::Density::kWidest)
    return Error{fmt::format("expected a number within +-{:g}, found {}", stats::Density::kWidest, quoted(word)), "",
                 ExitStatus::kUsage};
  return value;
}

/// Numbers separated by blanks, or by one comma with optional blanks.
Expected<std::vector<double>> numbers(std::string_view line) {
  std::vector<double> values;
  bool after_comma = false;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty() && !after_comma) return values;
    const std::size_t end = std::min(line.find_first_of(" \t\r\v\f,"), line.size());
    const Expected<double> value = number(line.substr(0, end));
    if (!value) return in_context(fmt::format("number {}", values.size() + 1), value.error());
    values.push_back(*value);
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    after_comma = line.starts_with(',');
    if (after_comma) line.remove_prefix(1);
  }
}

/// One series per line that is not blank, or the first error.
Expected<std::vector<Series>> parse(std::string_view text, const std::string& name) {
  std::vector<Series> all;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Expected<std::vector<double>> values = numbers(text.substr(0, end));
    if (!values) return in_context(fmt::format("{}: line {}", name, line), values.error());
    if (!values->empty()) all.push_back({line, std::move(*values)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (all.empty())
    return Error{fmt::format("{}: expected one series a line, found no number", name),
                 "python3 make.py changepoints FILE, numbers split by commas or blanks", ExitStatus::kUsage};
  return all;
}

json::value json_of(const ChangePoint& point) {
  json::object object{{"index", point.index},
                      {"detected_at", point.detected_at},
                      {"before", point.before},
                      {"after", point.after},
                      {"confidence", point.confidence},
                      {"ratio", nullptr},
                      {"low", nullptr},
                      {"high", nullptr}};
  if (point.ratio) {
    object["ratio"] = point.ratio->value;
    object["low"] = point.ratio->low;
    object["high"] = point.ratio->high;
  }
  return object;
}

/// Points missing until the series can be called unchanged; 0 if a change was found.
std::size_t missing(const Series& series, const std::vector<ChangePoint>& points) {
  return points.empty() ? stats::points_missing(series.values.size()) : 0;
}

void print_json(const Series& series, const std::vector<ChangePoint>& points) {
  json::array found;
  for (const ChangePoint& point : points) found.push_back(json_of(point));
  const std::size_t lacking = missing(series, points);
  fmt::print("{}\n", json::serialize(json::object{
                         {"change_points", found},
                         {"line", series.line},
                         {"points", series.values.size()},
                         {"enough", lacking == 0},
                         {"reason", lacking == 0 ? json::value(nullptr) : json::value(judge::kTooYoungReason)},
                         {"missing", lacking == 0 ? json::value(nullptr) : json::value(lacking)}}));
}

void print_text(const Series& series, const std::vector<ChangePoint>& points) {
  const std::string head = fmt::format("line {}, {}", series.line, counted(series.values.size(), "point"));
  if (const std::size_t lacking = missing(series, points); lacking > 0)
    fmt::print("{}: too young to tell: {} more\n", head, lacking);
  else if (points.empty())
    fmt::print("{}: no change from {} to {}\n", head, ChangePointDetector::kFewest,
               series.values.size() - ChangePointDetector::kPlain);
  for (const ChangePoint& point : points) {
    fmt::print("{}: from {:.6g} to {:.6g} at {}, found at {}", head, point.before, point.after, point.index,
               point.detected_at);
    if (point.ratio)
      fmt::print("; {:+.3g} % ({:+.3g} to {:+.3g} %)", 100 * (point.ratio->value - 1), 100 * (point.ratio->low - 1),
                 100 * (point.ratio->high - 1));
    fmt::print("; confidence {:.2f} %\n", 100 * point.confidence);
  }
}

Expected<ExitStatus> changepoints(const Options& options) {
  if (options.positional().size() != 1)
    return Error{fmt::format("changepoints takes one file, found {}", options.positional().size()),
                 "python3 make.py changepoints FILE, or - for standard input", ExitStatus::kUsage};
  const std::string& name = options.positional().front();
  const Expected<std::string> text = read_file(name == "-" ? "/dev/stdin" : name);
  if (!text) return text.error();
  const Expected<std::vector<Series>> all = parse(*text, name == "-" ? "standard input" : name);
  if (!all) return all.error();
  stats::DetectorContext context;
  if (options.has("--together")) context.series = all->size();
  for (const Series& series : *all)
    (options.has("--json") ? print_json : print_text)(series, stats::find_change_points(series.values, context));
  std::fflush(stdout);
  return ExitStatus::kOk;
}

}  // namespace

Command changepoints_command() {
  return {"changepoints",
          "FILE [--together] [--json]",
          "where the level of a series of numbers changed, found point by point",
          {{"--together", "", "watch all series as one: a false alarm in any of them is one too many"},
           {"--json", "", "one object a series; index and detected_at count from 0"}},
          changepoints};
}

}  // namespace lab::cli
