#include "harness/report/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/judge/summary.h"
#include "harness/report/choice.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/lines.h"
#include "harness/report/standing.h"
#include "harness/results/metrics.h"

namespace lab::report {

namespace {

using results::Result;
using results::WorkloadInfo;

Line line_of(const WorkloadInfo& workload, const Result& result, const results::VariantCard& variant) {
  Line line{variant.name, results::benchmark_name(workload.family, variant.name, workload.name), {}};
  for (const bench::AxisPoint& point : workload.axis->points)
    if (const auto values = judge::metric_values_at(result, line.benchmark, point.at); !values.empty()) {
      const stats::Estimate estimate = judge::estimate(values);
      line.points.push_back({point.at, estimate.median, estimate.interval});
    }
  return line;
}

/// The estimate at one point of the axis; null if the line lacks it.
const LinePoint* point_at(const Line& line, double at) {
  const auto found = std::ranges::find(line.points, at, &LinePoint::x);
  return found == line.points.end() ? nullptr : &*found;
}

/// Points that span more than a factor of 8 are usually chosen as powers.
bool is_wide(const bench::Axis& axis) {
  const auto [low, high] = std::ranges::minmax(axis.points, {}, &bench::AxisPoint::at);
  return low.at > 0 && high.at / low.at >= 8;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{}, {}", name, unit);
}

std::string shown_point(double at) {
  return thousands(fmt::format("{}", at));
}

/// "16 bytes", "1 thread"
std::string counted_as(double at, std::string what) {
  if (at == 1 && what.ends_with('s')) what.pop_back();
  return fmt::format("{} {}", shown_point(at), what);
}

constexpr std::string_view kPerCore = " per core", kThreads = "threads", kThreadsPerCore = "threads per core";

/// "2 threads", by point of an axis that is named "threads per core"; empty for any other axis, and if the processes
/// had different numbers of cores.
std::map<double, std::string> counts_here(const WorkloadInfo& workload, const Result& result) {
  const bench::Axis& axis = *workload.axis;
  std::set<unsigned> cores;
  for (const results::Process& process : result.processes) {
    const results::BenchmarkParts parts = results::benchmark_parts(process.benchmark);
    if (parts.family == workload.family && parts.workload == workload.name && process.arm == results::kHead)
      cores.insert(process.threads);
  }
  if (!axis.name.ends_with(kPerCore) || cores.size() != 1) return {};
  const std::string what = axis.name.substr(0, axis.name.size() - kPerCore.size());
  std::map<double, std::string> counts;
  for (const bench::AxisPoint& point : axis.points)
    counts[point.at] = counted_as(static_cast<double>(std::max(1L, std::lround(point.at * *cores.begin()))), what);
  return counts;
}

/// The values of the chart's lines, whose order it keeps.
Table points_table(const WorkloadInfo& workload, const Result& result, const std::string& name,
                   const std::string& y_title, const std::vector<Line>& lines) {
  const bench::Axis& axis = *workload.axis;
  const std::map<double, std::string> counts = counts_here(workload, result);
  Table table{name,
              fmt::format("{}, {}, by {}; the best median at the last point is first", workload.name, y_title,
                          with_unit(axis.name, axis.unit)),
              {{"Variant", kName}}};
  for (const bench::AxisPoint& point : axis.points)
    table.columns.push_back({counts.empty()
                                 ? point_phrase(axis, point.at)
                                 : fmt::format("{}{}: {}", shown_point(point.at), kPerCore, counts.at(point.at)),
                             kNumber});
  for (const Line& line : lines) {
    table.benchmarks.push_back({line.benchmark});
    std::vector<TableCell>& row = table.rows.emplace_back();
    row.emplace_back(line.name);
    for (const bench::AxisPoint& point : axis.points) {
      const auto found = std::ranges::find(line.points, point.at, &LinePoint::x);
      row.emplace_back(found == line.points.end() ? "" : number(found->y));
    }
  }
  return table;
}

/// Whose times on a workload are not compared with others: lacked_by().
std::set<std::string> apart_from(const WorkloadInfo& workload, const results::Family& described, const Result& result) {
  std::set<std::string> names;
  for (const results::VariantCard& variant : result.variants)
    if (variant.family == workload.family && !lacked_by(described, variant).empty()) names.insert(variant.name);
  return names;
}

std::optional<Chart> sweep_chart(const WorkloadInfo& workload, const results::Family& described, const Result& result,
                                 const judge::Fitness& fitness) {
  std::vector<Line> lines;
  for (const results::VariantCard& variant : result.variants)
    if (variant.family == workload.family)
      if (Line line = line_of(workload, result, variant); !line.points.empty()) lines.push_back(std::move(line));
  if (lines.empty()) return std::nullopt;
  const results::Metric metric = *results::find_metric(workload, "");
  const bool more = metric.better == bench::Better::kMore;
  double last = lines.front().points.back().x;
  for (const Line& line : lines) last = std::max(last, line.points.back().x);
  // Lines that end before the last point are not compared there.
  const auto ends = std::ranges::stable_partition(lines, [&](const Line& line) { return point_at(line, last); });
  std::stable_sort(lines.begin(), ends.begin(), [&](const Line& a, const Line& b) {
    const double left = point_at(a, last)->y, right = point_at(b, last)->y;
    return more ? left > right : left < right;
  });
  const bench::Axis& axis = *workload.axis;
  const std::map<double, std::string> counts = counts_here(workload, result);
  const std::string y_title = metric.unit.empty() ? metric.title : metric.unit;
  Chart chart = line_chart(fmt::format("{}-{}-sweep", workload.family, workload.name), lines,
                           {with_unit(axis.name, axis.unit), y_title, is_wide(axis),
                            metric.kind == results::MetricKind::kTime, true, after_ns(metric.unit), counts});
  std::set<std::string> apart = apart_from(workload, described, result);
  if (metric.kind != results::MetricKind::kTime ||
      std::all_of(lines.begin(), ends.begin(), [&](const Line& line) { return apart.contains(line.name); }))
    apart.clear();
  std::vector<Contender> contenders;
  for (auto line = lines.begin(); line != ends.begin(); ++line) {
    if (apart.contains(line->name)) continue;
    const LinePoint& point = *point_at(*line, last);
    const bool exact = metric.kind == results::MetricKind::kExact;
    contenders.push_back({line->name, {0, point.y, exact ? stats::Interval{point.y, point.y} : point.interval}});
  }
  const std::string explained = !counts.empty() ? counts.at(last) : axis.unit.empty() ? "" : axis.name;
  const bool bars = std::ranges::any_of(lines, [](const Line& line) {
    return std::ranges::any_of(line.points, [](const LinePoint& point) { return point.interval.has_value(); });
  });
  const std::optional<std::string> after = after_ns(metric.unit);
  const std::string best = after ? duration_with_interval(contenders.front().value)
                           : metric.kind == results::MetricKind::kExact ? number(contenders.front().value.median)
                                                                        : with_interval(contenders.front().value);
  const std::string value = best + (after ? *after : metric.unit.empty() ? "" : " " + metric.unit);
  if (fitness.fit || metric.kind == results::MetricKind::kExact)
    chart.title = fmt::format("{}: at {}{}, {}", workload.name, point_phrase(axis, last),
                              explained.empty() ? "" : " (" + explained + ")",
                              best_sentence(contenders, more ? "the highest median" : "the lowest median", value));
  else
    chart.title = fmt::format("{}: {} of {} over {}, {}", workload.name, uncapitalized(metric.title),
                              counted(lines.size(), "variant"), axis.name, not_judged(fitness));
  const std::string limit = cores_sentence(workload, result);
  chart.note = fmt::format("{}{}{}. Horizontal: {}.{} Verdicts judge the geometric mean over the points.", limit,
                           limit.empty() ? "" : " ", capitalized(workload.title), axis.name,
                           bars ? " Bars: 95 % intervals." : "");
  chart.text = fmt::format("Lines of {} over {}. {}.", metric.title, axis.name, chart.title);
  chart.table = points_table(workload, result, chart.name, y_title, lines);
  return chart;
}

}  // namespace

std::string point_phrase(const bench::Axis& axis, double at) {
  if (axis.unit == "bytes" && at >= 1024 && at == std::floor(at)) return bytes(static_cast<std::uint64_t>(at));
  return counted_as(at, axis.unit.empty() ? axis.name : axis.unit);
}

std::string cores_sentence(const WorkloadInfo& workload, const Result& result) {
  const int cores = result.machine.logical_cores;
  if (!workload.axis || cores == 0 || (workload.axis->name != kThreads && workload.axis->name != kThreadsPerCore))
    return "";
  return fmt::format("This machine has {}: it cannot tell which variant is best on more.",
                     counted(static_cast<std::size_t>(cores), "logical core"));
}

std::string points_phrase(const WorkloadInfo& workload, const Result& result) {
  const bench::Axis& axis = *workload.axis;
  const std::string name = with_unit(axis.name, axis.unit);
  std::vector<std::string> points, here;
  for (const bench::AxisPoint& point : axis.points) points.push_back(shown_point(point.at));
  for (const auto& [at, count] : counts_here(workload, result)) here.push_back(count);
  return here.empty() ? fmt::format("{}: {}", name, range(points.front(), points.back()))
                      : fmt::format("{}: {}; here {}", name, enumerated(points), enumerated(here));
}

std::string turning_points(const WorkloadInfo& workload, const results::Family& described, const Result& result,
                           const std::string& variant) {
  const bench::Axis& axis = *workload.axis;
  const std::set<std::string> not_compared = apart_from(workload, described, result);
  std::vector<Line> lines;
  for (const results::VariantCard& one : result.variants)
    if (one.family == workload.family && !not_compared.contains(one.name))
      lines.push_back(line_of(workload, result, one));
  const auto own = std::ranges::find(lines, variant, &Line::name);
  if (own == lines.end()) return "";
  const std::map<double, std::string> counts = counts_here(workload, result);
  std::vector<std::string> texts;
  for (const bench::AxisPoint& point : axis.points) {
    const LinePoint* const here = point_at(*own, point.at);
    if (here == nullptr) continue;
    std::vector<Contender> contenders;
    for (const Line& line : lines)
      if (const LinePoint* const other = point_at(line, point.at))
        contenders.push_back({line.name, {0, other->y, other->interval}});
    std::ranges::stable_sort(contenders, {}, [](const Contender& one) { return one.value.median; });
    const Contender& best = contenders.front();
    if (best.value.median >= here->y) continue;
    const auto explained = counts.find(point.at);
    const bool apart = best.value.interval && here->interval && best.value.interval->high < here->interval->low;
    if (!apart && &point != &axis.points.back()) continue;
    texts.push_back(fmt::format("at {} {} has the lowest median, {} against {}{}",
                                explained == counts.end() ? point_phrase(axis, point.at) : explained->second, best.name,
                                duration_with_interval(best.value),
                                duration_with_interval(stats::Estimate{0, here->y, here->interval}),
                                apart ? "" : "; these two intervals overlap"));
  }
  constexpr std::size_t kMostPoints = 3;
  const std::size_t more = texts.size() > kMostPoints ? texts.size() - kMostPoints : 0;
  texts.resize(texts.size() - more);
  if (more > 0) texts.push_back(fmt::format("so it is at {}", counted(more, "more point", "more points")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<Chart> sweep_charts(const std::string& family, const results::Family& described, const Result& result,
                                const judge::Fitness& fitness) {
  std::vector<Chart> charts;
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family && workload.axis)
      if (std::optional<Chart> chart = sweep_chart(workload, described, result, fitness))
        charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace lab::report
