#include "harness/judge/exact.h"

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

}  // namespace lab::judge
