#include "harness/report/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "harness/base/utc.h"
#include "harness/report/charts.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::LevelChange;
using results::SeriesPoint;

/// Of a benchmark, before anything is said of its history: two sessions of an afternoon are none.
constexpr std::size_t kLeastSessions = 3;
/// Maximum plots in a report: of the latest changed benchmarks, or, without changes, of the first few benchmarks.
constexpr std::size_t kMostPlots = 12;
constexpr std::size_t kQuietPlots = 4;

/// One change of one benchmark.
struct BenchmarkChange {
  const judge::SeriesHistory* history;
  const LevelChange* change;
};

TableCell verdict_cell(const LevelChange& change) {
  const Emphasis emphasis = !change.may_be_code() ? Emphasis::kWeak
                            : change.regressed()  ? Emphasis::kBad
                                                  : Emphasis::kGood;
  return {report::verdict_text(change), emphasis};
}

std::string by_text(const LevelChange& change) {
  const std::string by = report::change_text(change.ratio);
  if (!change.interval) return by;
  return fmt::format("{} ({})", by,
                     range(report::change_text(change.interval->low), report::change_text(change.interval->high)));
}

/// The levels between changes as bands: the median and the middle 80 %.
json::array levels_of(std::span<const SeriesPoint> points, const std::vector<LevelChange>& changes,
                      std::size_t first_shown) {
  json::array levels;
  for (std::size_t level = 0; level <= changes.size(); ++level) {
    const std::size_t begin = std::max(first_shown, level == 0 ? 0 : changes[level - 1].index);
    const std::size_t end = level == changes.size() ? points.size() : changes[level].index;
    if (begin >= end) continue;
    std::vector<double> values;
    for (const SeriesPoint& point : points.subspan(begin, end - begin)) values.push_back(point.median);
    levels.push_back(json::object{{"from", points[begin].started},
                                  {"to", points[end - 1].started},
                                  {"level", stats::median(values)},
                                  {"low", stats::quantile(values, 0.1)},
                                  {"high", stats::quantile(values, 0.9)}});
  }
  return levels;
}

/// Quantity and unit of a point; a point without a metric is a time.
std::string axis_of(const SeriesPoint& point) {
  if (!point.metric || point.metric->unit.empty()) return point.metric ? point.metric->title : "ns per operation";
  return point.metric->unit;
}

/// The plot's range: the range of the medians, plus half of it on either side. Longer error bars are clipped, so that
/// one session's uncertainty does not flatten the changes between sessions.
stats::Interval shown_range(std::span<const SeriesPoint> points) {
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const SeriesPoint& a, const SeriesPoint& b) { return a.median < b.median; });
  const double margin = std::max((most->median - least->median) / 2, 0.005 * most->median);
  return {least->median - margin, most->median + margin};
}

json::object drawn(const SeriesPoint& point, const stats::Interval& shown) {
  const stats::Interval interval = point.interval.value_or(stats::Interval{point.median, point.median});
  return {{"started", point.started},
          {"median", point.median},
          {"low", std::max(interval.low, shown.low)},
          {"high", std::min(interval.high, shown.high)},
          {"session", point.session},
          {"commit", short_name(point.commit)},
          {"shown", after_ns(axis_of(point)) ? duration_with_interval({0, point.median, point.interval})
                                             : with_interval({0, point.median, point.interval})}};
}

/// The medians over time and the changes, without axes: in sight before the scripts that draw the plot are. The
/// page's style has its colours and its size.
std::string sketch_of(std::span<const SeriesPoint> points, const stats::Interval& shown, const json::array& changes) {
  constexpr double kWidth = 1000, kHeight = 100;
  const auto at = [](std::string_view started) {
    return static_cast<double>(seconds_of(std::string(started)).value_or(0));
  };
  const double begin = at(points.front().started), span = std::max(1.0, at(points.back().started) - begin);
  const auto x = [&](std::string_view started) { return std::clamp((at(started) - begin) / span, 0.0, 1.0) * kWidth; };
  std::string line, marks;
  for (const SeriesPoint& point : points)
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? 'M' : 'L', x(point.started),
                        kHeight * (shown.high - point.median) / std::max(shown.high - shown.low, 1e-300));
  for (const json::value& change : changes)
    marks += fmt::format("M{:.1f} 0V{}", x(change.at("at").as_string()), kHeight);
  return fmt::format(
      R"(<svg class="sketch" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true"><path d="{}"/>{}</svg>)",
      kWidth, kHeight, line, marks.empty() ? "" : fmt::format(R"(<path class="changes" d="{}"/>)", marks));
}

std::string title_of(const judge::SeriesHistory& history) {
  const std::vector<LevelChange>& changes = history.findings.changes;
  const std::string pattern = report::pattern_text(history.findings.pattern);
  if (changes.empty())
    return fmt::format("{}: {}", history.series.benchmark,
                       pattern.empty() ? report::quiet_text(history.findings.judged, history.points.size()) : pattern);
  const LevelChange& last = changes.back();
  return fmt::format("{}: {} {} on {}", history.series.benchmark, report::verdict_text(last), by_text(last),
                     last.started.substr(0, 10));
}

std::vector<BenchmarkChange> changes_of(std::span<const judge::SeriesHistory> histories) {
  std::vector<BenchmarkChange> all_changes;
  for (const judge::SeriesHistory& one : histories)
    for (const LevelChange& change : one.findings.changes) all_changes.push_back({&one, &change});
  std::stable_sort(all_changes.begin(), all_changes.end(), [](const BenchmarkChange& a, const BenchmarkChange& b) {
    return a.change->started > b.change->started;
  });
  return all_changes;
}

bool has_nights(std::span<const judge::SeriesHistory> histories) {
  return std::any_of(histories.begin(), histories.end(),
                     [](const judge::SeriesHistory& one) { return one.points.size() >= kLeastSessions; });
}

std::string verdict_sentence(std::span<const judge::SeriesHistory> histories,
                             const std::vector<BenchmarkChange>& all_changes) {
  std::size_t changed = 0, sessions = 0;
  report::UnchangedCounts unchanged;
  for (const judge::SeriesHistory& one : histories) {
    changed += !one.findings.changes.empty();
    sessions = std::max(sessions, one.points.size());
    unchanged.add(one.findings);
  }
  const std::string rest = report::unchanged_text(unchanged);
  const std::string watched =
      fmt::format("{} over {}", counted(histories.size(), "benchmark"), counted(sessions, "session"));
  if (changed == 0) return fmt::format("Over {}: {}.", counted(sessions, "session"), rest);
  const auto blamed =
      static_cast<std::size_t>(std::count_if(all_changes.begin(), all_changes.end(), [](const BenchmarkChange& one) {
        return one.change->is_code_regression();
      }));
  return fmt::format("{} of {} changed; the code caused {}{}{}.", whole(changed), watched,
                     counted(blamed, "regression"), rest.empty() ? "" : "; ", rest);
}

}  // namespace

Chart history_chart(const judge::SeriesHistory& history, const HistoryOptions& options) {
  const std::vector<SeriesPoint>& points = history.points;
  const std::string of_machine = options.with_machine ? history.series.machine + "-" : "";
  Chart chart("history", fmt::format("history-{}{}-{}", of_machine, history.series.benchmark, history.series.version));
  const std::size_t first = points.size() - std::min(points.size(), options.most_points);
  json::array rows, changes;
  const stats::Interval shown = shown_range(std::span(points).subspan(first));
  for (std::size_t i = first; i < points.size(); ++i) {
    json::object row = drawn(points[i], shown);
    row["benchmark"] = history.series.benchmark;
    rows.push_back(std::move(row));
  }
  for (const LevelChange& change : history.findings.changes)
    if (change.index >= first)
      changes.push_back(json::object{{"at", change.started},
                                     {"verdict", !change.may_be_code() ? "environment"
                                                 : change.regressed()  ? "regressed"
                                                                       : "improved"},
                                     {"late", change.index - first > (points.size() - first) / 2},
                                     {"line", changes.size() % 3},  // neighbouring labels are on different lines
                                     {"commits", report::commits_text(change.commits)},
                                     {"label", report::change_text(change.ratio)}});
  chart.title = title_of(history);
  if (options.with_machine) chart.title = fmt::format("{}: {}", history.series.machine, chart.title);
  chart.note = "Points: sessions. Grey: each level, with the middle 80 % of its sessions. Dashed: changes.";
  if (std::any_of(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(), [&](const SeriesPoint& point) {
        return point.interval && (point.interval->low < shown.low || point.interval->high > shown.high);
      }))
    chart.note += " Bars that are longer than the plot are cut off at its edge.";
  chart.text = fmt::format("Plot of {} over time. {}", counted(rows.size(), "session"), chart.title);
  chart.sketch = sketch_of(std::span(points).subspan(first), shown, changes);
  chart.data = {{"rows", std::move(rows)},
                {"levels", levels_of(points, history.findings.changes, first)},
                {"changes", std::move(changes)}};
  const std::string axis = axis_of(points.back());
  const std::optional<std::string> after = after_ns(axis);
  const AxisUnit unit = after ? time_axis(shown.low, shown.high) : AxisUnit{};
  chart.words = {{"axis", after ? unit.name + *after : axis}, {"shown", after ? "time" + *after : axis}};
  set_unit(chart, unit);
  return chart;
}

Table changes_table(std::span<const judge::SeriesHistory> histories, const HistoryOptions& options) {
  Table table{
      "changes",
      "Every change of level, the latest first. Nights: how many passed until it was found. Confidence: 1 minus the "
      "share of unchanged series that ever look as much like a change",
      {{"Verdict", kVerdict},
       {"Benchmark", kBenchmark},
       {"Change", kNumber},
       {"Commits", kName},
       {"First night", kNumber},
       {"Nights", kNumber},
       {"Confidence", kNumber},
       {"Other changes", kText}}};
  const auto machine = table.columns.begin() + 2;
  if (options.with_machine) table.columns.insert(machine, {"Machine", kName});
  for (const auto& [history, change] : changes_of(histories)) {
    std::vector<TableCell>& row = table.rows.emplace_back();
    row = {verdict_cell(*change),
           history->series.benchmark,
           by_text(*change),
           report::commits_text(change->commits),
           change->started.substr(0, 10),
           whole(change->nights()),
           change->in_hindsight ? "hindsight" : fmt::format("{:.4f}", change->confidence),
           fmt::format("{}", fmt::join(change->changed, "; "))};
    if (options.link) row[1].link = options.link(history->series);
    if (options.with_machine) row.insert(row.begin() + 2, history->series.machine);
  }
  return table;
}

std::string history_sentence(std::span<const judge::SeriesHistory> histories) {
  const std::vector<BenchmarkChange> all_changes = changes_of(histories);
  return all_changes.empty() ? "" : verdict_sentence(histories, all_changes);
}

Section history_section(std::span<const judge::SeriesHistory> histories) {
  Section section{"history", "History"};
  if (!has_nights(histories)) return section;
  const std::vector<BenchmarkChange> all_changes = changes_of(histories);
  const bool blamed = std::any_of(all_changes.begin(), all_changes.end(),
                                  [](const BenchmarkChange& one) { return one.change->is_code_regression(); });
  const bool quiet =
      all_changes.empty() && std::all_of(histories.begin(), histories.end(), [](const judge::SeriesHistory& one) {
        return one.findings.judged.nights_missing == 0;
      });
  section.add(Paragraph{verdict_sentence(histories, all_changes), blamed  ? Emphasis::kBad
                                                                  : quiet ? Emphasis::kGood
                                                                          : Emphasis::kWeak});
  section.add(changes_table(histories));
  std::vector<const judge::SeriesHistory*> plotted;
  const auto plot = [&](const judge::SeriesHistory& one, std::size_t most) {
    if (plotted.size() < most && one.points.size() >= kLeastSessions &&
        std::find(plotted.begin(), plotted.end(), &one) == plotted.end())
      plotted.push_back(&one);
  };
  for (const BenchmarkChange& one : all_changes) plot(*one.history, kMostPlots);
  // Series that are too young to judge come last.
  for (const bool young : {false, true})
    for (const judge::SeriesHistory& one : histories)
      if ((one.findings.judged.nights_missing != 0) == young) plot(one, kQuietPlots);
  const auto changed =
      static_cast<std::size_t>(std::count_if(histories.begin(), histories.end(), [](const judge::SeriesHistory& one) {
        return !one.findings.changes.empty();
      }));
  if (changed > kMostPlots)
    section.add(
        Paragraph{fmt::format("The plots show the {} of {} benchmarks that changed last. The table has all changes.",
                              kMostPlots, whole(changed))});
  Charts charts;
  for (const judge::SeriesHistory* one : plotted) charts.charts.push_back(history_chart(*one));
  section.add(std::move(charts));
  return section;
}

}  // namespace lab::report
