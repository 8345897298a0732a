#include "harness/report/sweeps.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/summary.h"
#include "harness/report/format.h"
#include "harness/report/lines.h"
#include "harness/results/metrics.h"

namespace lab::report {

namespace {

using results::Result;
using results::WorkloadInfo;

/// The primary metric at one point of the axis, over head's processes of one benchmark.
std::optional<stats::Estimate> estimate_at(const WorkloadInfo& workload, const Result& result,
                                           const std::string& benchmark, double at) {
  std::vector<stats::Datum> values;
  for (const results::Process& process : result.processes) {
    if (process.benchmark != benchmark || process.arm != results::kHead) continue;
    for (const results::ProcessPoint& point : process.points)
      if (const auto value = point.at == at ? results::metric_value(workload, point, "") : std::nullopt)
        values.push_back({process.block, *value});
  }
  return values.empty() ? std::nullopt : std::optional(judge::estimate(values));
}

Line line_of(const WorkloadInfo& workload, const Result& result, const results::VariantCard& variant) {
  Line line{variant.name, results::benchmark_name(workload.family, variant.name, workload.name), {}};
  for (const bench::AxisPoint& point : workload.axis->points)
    if (const auto estimate = estimate_at(workload, result, line.benchmark, point.at))
      line.points.push_back({point.at, estimate->median, estimate->interval});
  return line;
}

double last_value(const Line& line) {
  return line.points.back().y;
}

/// Points that span more than a factor of 8 are usually chosen as powers.
bool is_wide(const bench::Axis& axis) {
  const auto [low, high] = std::ranges::minmax(axis.points, {}, &bench::AxisPoint::at);
  return low.at > 0 && high.at / low.at >= 8;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{}, {}", name, unit);
}

std::optional<Chart> sweep_chart(const WorkloadInfo& workload, const Result& result) {
  std::vector<Line> lines;
  for (const results::VariantCard& variant : result.variants)
    if (variant.family == workload.family)
      if (Line line = line_of(workload, result, variant); !line.points.empty()) lines.push_back(std::move(line));
  if (lines.empty()) return std::nullopt;
  const results::Metric metric = *results::find_metric(workload, "");
  const bool more = metric.better == bench::Better::kMore;
  std::ranges::stable_sort(lines, [more](const Line& a, const Line& b) {
    return more ? last_value(a) > last_value(b) : last_value(a) < last_value(b);
  });
  const bench::Axis& axis = *workload.axis;
  Chart chart = line_chart(fmt::format("{}-{}-sweep", workload.family, workload.name), lines,
                           {with_unit(axis.name, axis.unit), metric.unit.empty() ? metric.title : metric.unit,
                            is_wide(axis), metric.kind == results::MetricKind::kTime, true});
  const Line& best = lines.front();
  chart.title =
      fmt::format("{}: at {} {}{}, {} is best: {} {}", workload.name, best.points.back().x, axis.name,
                  axis.unit.empty() ? "" : " (" + axis.unit + ")", best.name, number(last_value(best)), metric.unit);
  chart.note = fmt::format("{} over {}. Bars: 95 % intervals. Verdicts judge the geometric mean over the points.",
                           capitalized(workload.title), axis.name);
  chart.text = fmt::format("Lines of {} over {}. {}.", metric.title, axis.name, chart.title);
  return chart;
}

}  // namespace

std::vector<Chart> sweep_charts(const std::string& family, const Result& result) {
  std::vector<Chart> charts;
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family && workload.axis)
      if (std::optional<Chart> chart = sweep_chart(workload, result)) charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace lab::report
