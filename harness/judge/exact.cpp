#include "harness/judge/exact.h"

#include <algorithm>
#include <vector>

#include "harness/judge/summary.h"
#include "harness/results/metrics.h"

namespace lab::judge {

namespace {

bool has_noise(const results::WorkloadInfo& workload, const std::string& name) {
  const std::optional<results::Metric> metric = results::find_metric(workload, name);
  return metric && metric->kind != results::MetricKind::kExact;
}

}  // namespace

std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const results::Result& result,
                                                                                   std::string_view arm) {
  std::map<std::string, std::map<std::string, std::optional<double>>> all;
  std::map<std::string, int> counted;  // processes with instructions, by benchmark
  for (const results::Process& process : result.processes) {
    if (process.arm != arm) continue;
    auto& of = all[process.benchmark];
    const results::WorkloadInfo* const workload = results::find_workload(result, process.benchmark);
    for (const auto& [name, value] : process.counters) {
      if (workload != nullptr && has_noise(*workload, name)) continue;
      const auto [at, is_new] = of.emplace(name, value);
      if (!is_new && at->second != value) at->second.reset();
      counted[process.benchmark] += name == kInstructions;
    }
  }
  for (const auto& [benchmark, processes] : counted)
    if (processes == 1) all[benchmark][std::string(kInstructions)].reset();
  return all;
}

bool is_exact(const results::Result& result, std::string_view benchmark, std::string_view metric) {
  const std::optional<results::Metric> known = results::find_metric(results::workload_of(result, benchmark), metric);
  return known ? known->kind == results::MetricKind::kExact : !is_time(result, benchmark, metric);
}

std::optional<double> exact_value(const results::Result& result, std::string_view benchmark, std::string_view metric) {
  const std::vector<stats::Datum> values = metric_values(result, benchmark, metric);
  if (metric == kInstructions && values.size() == 1) return std::nullopt;
  return only_value(values);
}

std::optional<double> only_value(std::span<const stats::Datum> values) {
  const bool constant =
      std::ranges::all_of(values, [&](const stats::Datum& one) { return one.value == values.front().value; });
  return constant && !values.empty() ? std::optional(values.front().value) : std::nullopt;
}

}  // namespace lab::judge
