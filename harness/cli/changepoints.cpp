// changepoints: finds level changes in series of numbers.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "harness/app/change_points.h"
#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/judge/changes.h"

namespace lab::cli {

namespace {

namespace json = boost::json;
using stats::ChangePoint;
using stats::ChangePointDetector;

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

json::value json_of(const stats::HindsightChange& change) {
  return {{"index", change.index}, {"before", change.before}, {"after", change.after}, {"known_at", change.known_at}};
}

json::value json_of(const stats::NoiseChange& change) {
  return {{"index", change.index}, {"ratio", change.ratio}};
}

template <typename T>
json::array json_of(const std::vector<T>& all) {
  json::array array;
  for (const T& one : all) array.push_back(json_of(one));
  return array;
}

/// Points missing until the series can be called unchanged; 0 if a change was found.
std::size_t missing_points(const app::NumberSeries& series) {
  const bool changed = !series.change_points.empty() || !series.hindsight.changes.empty();
  return changed ? 0 : stats::points_missing(series.values.size());
}

void print_json(const app::NumberSeries& series) {
  const std::size_t missing = missing_points(series);
  fmt::print("{}\n", json::serialize(json::object{
                         {"change_points", json_of(series.change_points)},
                         {"hindsight", json_of(series.hindsight.changes)},
                         {"noise", json_of(series.hindsight.noise)},
                         {"switching", series.hindsight.switching},
                         {"drifting", series.hindsight.drifting},
                         {"line", series.line},
                         {"points", series.values.size()},
                         {"enough", missing == 0},
                         {"reason", missing == 0 ? json::value(nullptr) : json::value(judge::kTooYoungReason)},
                         {"missing", missing == 0 ? json::value(nullptr) : json::value(missing)}}));
}

void print_text(const app::NumberSeries& series) {
  const std::string lines = series.last_line == series.line
                                ? fmt::format("line {}", series.line)
                                : fmt::format("lines {} to {}", series.line, series.last_line);
  const std::string head = fmt::format("{}, {}", lines, counted(series.values.size(), "point"));
  if (const std::size_t missing = missing_points(series); missing > 0)
    fmt::print("{}: too young: {} of {} points\n", head, series.values.size(), series.values.size() + missing);
  else if (series.change_points.empty() && series.hindsight.changes.empty() && !series.hindsight.switching &&
           !series.hindsight.drifting)
    fmt::print("{}: no change between points {} and {}\n", head, ChangePointDetector::kFewest,
               series.values.size() - ChangePointDetector::kPlain);
  for (const ChangePoint& point : series.change_points) {
    fmt::print("{}: from {:.6g} to {:.6g} at {}, found at {}", head, point.before, point.after, point.index,
               point.detected_at);
    if (point.ratio)
      fmt::print("; {:+.3g} % ({:+.3g} to {:+.3g} %)", 100 * (point.ratio->value - 1), 100 * (point.ratio->low - 1),
                 100 * (point.ratio->high - 1));
    fmt::print("; confidence {:.2f} %\n", 100 * point.confidence);
  }
  for (const stats::HindsightChange& change : stats::untold(series.hindsight.changes, series.change_points))
    fmt::print("{}: in hindsight from {:.6g} to {:.6g} at {}, known at {}\n", head, change.before, change.after,
               change.index, change.known_at);
  for (const stats::NoiseChange& change : series.hindsight.noise)
    fmt::print("{}: noise {} times as wide from {} on\n", head, significant(change.ratio, 2), change.index);
  if (series.hindsight.switching) fmt::print("{}: switches between levels\n", head);
  if (series.hindsight.drifting) fmt::print("{}: drifts\n", head);
}

Expected<ExitStatus> changepoints(const Options& options) {
  if (options.positional().size() != 1)
    return usage_error(fmt::format("changepoints takes one file, found {}", options.positional().size()),
                       "python3 make.py changepoints FILE, or - for standard input");
  const std::string& name = options.positional().front();
  const Expected<std::string> text = read_file(name == "-" ? "/dev/stdin" : name);
  if (!text) return text.error();
  const Expected<std::vector<app::NumberSeries>> all =
      app::find_change_points(*text, name == "-" ? "standard input" : name, options.has("--together"));
  if (!all) return all.error();
  for (const app::NumberSeries& series : *all) (options.has("--json") ? print_json : print_text)(series);
  return ExitStatus::kOk;
}

}  // namespace

Command changepoints_command() {
  return {"changepoints",
          "FILE [--together] [--json]",
          "find where the level of a series of numbers changed, as it came and in hindsight",
          {{"--together", "", "limit false alarms over all series together, not for each"},
           {"--json", "", "one object per series; index and detected_at count from 0"}},
          changepoints,
          "FILE has one series per line, its numbers separated by commas or blanks. If every line has exactly one "
          "number, the lines are one series. FILE - is standard input."};
}

}  // namespace lab::cli
