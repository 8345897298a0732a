#include "harness/judge/summary.h"

#include <algorithm>
#include <set>

#include "harness/judge/judged_blocks.h"
#include "harness/stats/layout_effect.h"
#include "harness/stats/sessions.h"
#include "harness/stats/strata.h"

namespace lab::judge {

namespace {

/// The processes of one benchmark and arm whose value of a metric is judged. `metric` "": the primary one.
std::vector<const results::Process*> judged_processes(const results::Result& result, std::string_view benchmark,
                                                      std::string_view metric, std::string_view arm) {
  const JudgedBlocks blocks(result, benchmark);
  const bool all = !blocks.is_affected(benchmark) || !is_time(result, benchmark, metric);
  std::vector<const results::Process*> judged;
  for (const results::Process& process : result.processes)
    if (process.benchmark == benchmark && process.arm == arm && (all || blocks.judges(process)))
      judged.push_back(&process);
  return judged;
}

}  // namespace

std::vector<stats::Datum> metric_values(const results::Result& result, std::string_view benchmark,
                                        std::string_view metric, std::string_view arm) {
  const results::WorkloadInfo workload = workload_of(result, benchmark);
  if (metric.empty()) metric = results::benchmark_parts(benchmark).metric;
  const std::string_view name = results::without_metric(benchmark);
  std::vector<stats::Datum> values;
  for (const results::Process* process : judged_processes(result, name, metric, arm))
    if (const std::optional<double> value = results::metric_value(workload, *process, metric))
      values.push_back({process->block, *value, process->layout, process->session});
  return values;
}

std::vector<stats::Datum> metric_values_at(const results::Result& result, std::string_view benchmark, double at,
                                           std::string_view metric) {
  const results::WorkloadInfo workload = workload_of(result, benchmark);
  std::vector<stats::Datum> values;
  for (const results::Process* process : judged_processes(result, benchmark, metric, results::kHead))
    for (const results::ProcessPoint& point : process->points)
      if (const auto value = point.at == at ? results::metric_value(workload, point, metric) : std::nullopt)
        values.push_back({process->block, *value, process->layout, process->session});
  return values;
}

std::vector<stats::Datum> process_times(const results::Result& result, std::string_view benchmark,
                                        std::string_view phase, std::string_view arm) {
  const results::WorkloadInfo workload = workload_of(result, benchmark);
  std::vector<stats::Datum> times;
  for (const results::Process* process : judged_processes(result, benchmark, bench::kTimeMetric, arm))
    if (const std::optional<double> time = results::phase_time(workload, *process, std::string(phase)))
      times.push_back({process->block, *time, process->layout, process->session});
  return times;
}

bool is_time(const results::Result& result, std::string_view benchmark, std::string_view metric) {
  const std::optional<results::Metric> known = results::find_metric(workload_of(result, benchmark), metric);
  if (known) return known->kind == results::MetricKind::kTime;
  return std::ranges::any_of(result.processes, [&](const results::Process& process) {
    return process.benchmark == benchmark && process.samples.contains(std::string(metric));
  });
}

double median_of(std::span<const stats::Datum> data) {
  return data.empty() ? 0 : stats::estimate_sessions(data).median;
}

stats::Estimate estimate(const std::vector<stats::Datum>& data) {
  return stats::estimate_sessions(data);
}

std::optional<LayoutShare> layout_of(std::vector<stats::Datum> data) {
  // Of one session: processes are never pooled over several.
  std::erase_if(data, [first = data.empty() ? 0 : data.front().session](const stats::Datum& one) {
    return one.session != first;
  });
  std::set<int> layouts;
  for (const stats::Datum& datum : data) layouts.insert(datum.layout);
  if (layouts.size() < 2) return std::nullopt;
  // In as many blocks as there are layouts, each ran once: what such strata have in common is drift.
  for (stats::Datum& datum : data) datum.block /= static_cast<int>(layouts.size());
  const stats::LayoutEffect effect = stats::layout_effect(data, {});
  if (effect.shift.empty()) return std::nullopt;
  return LayoutShare{effect.sigma, effect.share, effect.measured};
}

std::vector<SummaryRow> summarize(const results::Result& result, const std::vector<std::string>& also) {
  std::set<std::string> benchmarks;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead) benchmarks.insert(process.benchmark);
  std::vector<SummaryRow> rows;
  for (const std::string& benchmark : benchmarks) {
    const results::WorkloadInfo workload = workload_of(result, benchmark);
    const results::VariantCard* variant = find_variant(result, benchmark);
    const bool level = JudgedBlocks(result, benchmark).is_level(benchmark);
    for (const results::Metric& metric : results::judged_metrics(workload, also)) {
      const std::string name = results::metric_name(benchmark, workload, metric.name);
      if (const std::vector<stats::Datum> values = metric_values(result, name); !values.empty())
        rows.push_back({name, variant != nullptr && variant->reference, metric, estimate(values), layout_of(values),
                        level || metric.kind != results::MetricKind::kTime});
    }
  }
  return rows;
}

double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared) {
  const std::vector<stats::Datum> head = metric_values(result, benchmark);
  if (head.empty()) return 1;
  if (compared == 0) return stats::relative_half_width(estimate(head)).value_or(1);
  const std::vector<stats::Datum> base = metric_values(result, benchmark, "", results::kBase);
  const std::size_t stratum = stats::stratum_blocks(stats::common_blocks(base, head), compared, stats::kAlpha);
  const auto ratio = stats::in_strata(base, head, stratum).interval(1 - stats::kCoverage);
  return ratio ? (ratio->high - ratio->low) / (ratio->high + ratio->low) : 1;
}

}  // namespace lab::judge
