#include "harness/results/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/stats/quantile.h"

namespace lab::results {

namespace {

using Samples = std::map<std::string, std::vector<double>>;

std::optional<double> counter(const std::map<std::string, double>& counters, std::string_view metric) {
  const auto found = counters.find(std::string(metric));
  return found == counters.end() ? std::nullopt : std::optional(found->second);
}

bool is_phase(const WorkloadInfo& workload, std::string_view metric) {
  return std::ranges::find(workload.phases, metric) != workload.phases.end();
}

std::optional<double> median_phase(const Samples& samples, const std::string& phase, std::uint64_t operations) {
  const auto found = samples.find(phase);
  if (found == samples.end() || found->second.empty() || operations == 0) return std::nullopt;
  return stats::median(found->second) / static_cast<double>(operations);
}

/// The median over the repetitions of the sum of all phases; none if a phase has fewer repetitions than another.
std::optional<double> median_sum(const Samples& samples, std::uint64_t operations) {
  if (samples.empty() || operations == 0) return std::nullopt;
  std::vector<double> totals(samples.begin()->second.size());
  for (const auto& [phase, values] : samples) {
    if (values.size() != totals.size()) return std::nullopt;
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += values[i];
  }
  if (totals.empty()) return std::nullopt;
  return stats::median(totals) / static_cast<double>(operations);
}

void keep_medians(Samples& samples) {
  for (auto& [phase, values] : samples)
    if (values.size() > 1) values = {stats::median(values)};
}

}  // namespace

std::vector<Metric> metrics_of(const WorkloadInfo& workload) {
  using enum MetricKind;
  std::vector<Metric> metrics;
  const auto declared = [&workload](std::string_view name) {
    return std::ranges::find(workload.metrics, name, &Metric::name) != workload.metrics.end();
  };
  const auto add = [&](const std::string& name, const std::string& title, const std::string& unit, MetricKind kind) {
    const bool costly = name == bench::kInstructionsMetric || name == bench::kPageFaultsMetric;
    if (!declared(name)) metrics.push_back({name, title, unit, kind, bench::Better::kLess, costly});
  };
  const std::string time_unit = fmt::format("ns per {}", workload.operation);
  add(bench::kTimeMetric, "Time", time_unit, kTime);
  if (workload.phases.size() > 1)
    for (const std::string& phase : workload.phases) add(phase, "Time of " + phase, time_unit, kTime);
  if (workload.tolerance)
    add(bench::kErrorMetric, "Distance from the reference's answer", workload.tolerance->unit, kQuality);
  add(bench::kInstructionsMetric, "Instructions", "", kExact);
  add(bench::kPageFaultsMetric, "Page faults in the time of a repetition", "", kMemory);
  metrics.insert(metrics.end(), workload.metrics.begin(), workload.metrics.end());
  std::ranges::stable_partition(metrics, [&](const Metric& metric) { return metric.name == workload.primary; });
  return metrics;
}

std::optional<Metric> find_metric(const WorkloadInfo& workload, std::string_view name) {
  const std::vector<Metric> metrics = metrics_of(workload);
  if (name.empty()) return metrics.front();
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? std::nullopt : std::optional(*found);
}

std::vector<Metric> judged_metrics(const WorkloadInfo& workload, const std::vector<std::string>& also) {
  std::vector<Metric> judged = metrics_of(workload);
  const auto is_judged = [&](const Metric& metric) {
    if (metric.name == workload.primary || std::ranges::find(also, metric.name) != also.end()) return true;
    const bool is_declared = std::ranges::find(workload.metrics, metric.name, &Metric::name) != workload.metrics.end();
    return (is_declared || metric.name == bench::kErrorMetric) && metric.kind != MetricKind::kExact;
  };
  std::erase_if(judged, [&](const Metric& metric) { return !is_judged(metric); });
  return judged;
}

bool is_worse(const Metric& metric, double before, double after) {
  if (metric.better == bench::Better::kNeither) return false;
  return metric.better == bench::Better::kMore ? after < before : after > before;
}

WorkloadInfo workload_of(const Result& result, std::string_view benchmark) {
  if (const WorkloadInfo* const listed = find_workload(result, benchmark)) return *listed;
  WorkloadInfo workload;
  const auto first = std::ranges::find(result.processes, without_metric(benchmark), &Process::benchmark);
  if (first == result.processes.end()) return workload;
  workload.operations = first->operations;
  for (const auto& [phase, samples] : first->samples) workload.phases.push_back(phase);
  return workload;
}

std::string metric_name(std::string_view benchmark, const WorkloadInfo& workload, std::string_view metric) {
  if (metric.empty() || metric == workload.primary) return std::string(benchmark);
  return fmt::format("{}:{}", benchmark, metric);
}

std::optional<double> phase_time(const WorkloadInfo& workload, const Process& process, const std::string& phase) {
  if (phase.empty()) return process.is_untimed ? std::nullopt : std::optional(process.real_time);
  if (process.points.empty()) return median_phase(process.samples, phase, operations_of(workload, phase));
  double sum = 0;
  for (const ProcessPoint& point : process.points) {
    const std::optional<double> time = metric_value(workload, point, phase);
    if (!time || *time <= 0) return std::nullopt;
    sum += std::log(*time);
  }
  return std::exp(sum / static_cast<double>(process.points.size()));
}

std::optional<double> metric_value(const WorkloadInfo& workload, const Process& process, std::string_view metric) {
  if (metric.empty()) metric = workload.primary;
  if (const auto own = counter(process.counters, metric)) return own;
  if (metric == bench::kTimeMetric) return phase_time(workload, process, "");
  return is_phase(workload, metric) ? phase_time(workload, process, std::string(metric)) : std::nullopt;
}

std::optional<double> metric_value(const WorkloadInfo& workload, const ProcessPoint& point, std::string_view metric) {
  if (metric.empty()) metric = workload.primary;
  if (const auto own = counter(point.counters, metric)) return own;
  if (metric == bench::kTimeMetric) return median_sum(point.samples, point.operations);
  return is_phase(workload, metric) ? median_phase(point.samples, std::string(metric), point.operations) : std::nullopt;
}

Result without_samples(Result result) {
  result.session.medians_only = true;
  for (Process& process : result.processes) {
    for (ProcessPoint& point : process.points) {
      // The median of sums is not the sum of medians.
      if (const auto time = point.samples.size() > 1 ? median_sum(point.samples, point.operations) : std::nullopt)
        point.counters.emplace(bench::kTimeMetric, *time);
      keep_medians(point.samples);
    }
    keep_medians(process.samples);
  }
  return result;
}

}  // namespace lab::results
