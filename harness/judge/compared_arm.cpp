#include "harness/judge/compared_arm.h"

#include <fmt/format.h>

#include <optional>

namespace lab::judge {

using results::Process;
using results::WorkloadInfo;

ComparedArm::ComparedArm(const results::Result& result, std::string_view arm, const std::vector<std::string>& also)
    : result_(&result), arm_(arm) {
  std::map<std::string, WorkloadInfo> workloads;  // by benchmark
  for (const Process& process : result.processes) {
    if (process.arm != arm) continue;
    auto known = workloads.find(process.benchmark);
    if (known == workloads.end())
      known = workloads.emplace(process.benchmark, results::workload_of(result, process.benchmark)).first;
    add(process, known->second, also);
  }
}

void ComparedArm::add(const Process& process, const WorkloadInfo& workload, const std::vector<std::string>& also) {
  for (const results::Metric& metric : results::judged_metrics(workload, also)) {
    const std::optional<double> value = results::metric_value(workload, process, metric.name);
    if (!value) continue;
    Measured& measured = benchmarks_[results::metric_name(process.benchmark, workload, metric.name)];
    measured.values.push_back({process.block, *value, process.layout});
    measured.metric = metric;
    measured.seeds.insert(process.seed);
    measured.warming_up += process.warmup && !process.warmup->stationary;
  }
}

const ComparedArm::Measured& ComparedArm::find(const std::string& benchmark) const {
  static const Measured kNone;
  const auto found = benchmarks_.find(benchmark);
  return found == benchmarks_.end() ? kNone : found->second;
}

std::set<std::string> ComparedArm::benchmarks() const {
  std::set<std::string> names;
  for (const auto& [name, measured] : benchmarks_) names.insert(name);
  return names;
}

bool ComparedArm::is_warming_up(const std::string& benchmark) const {
  const Measured& measured = find(benchmark);
  return 2 * measured.warming_up > measured.values.size();
}

ComparisonSide ComparedArm::side() const {
  const results::Arm* arm = found_arm();
  const results::Source& source = arm == nullptr ? result_->source : arm->source;
  return {result_->session.id, result_->machine.id, source.commit.value_or(""), source.state, result_->session.started};
}

std::map<std::string, int> ComparedArm::versions() const {
  if (const results::Arm* arm = found_arm(); arm != nullptr && !arm->versions.empty()) return arm->versions;
  std::map<std::string, int> versions;
  for (const WorkloadInfo& workload : result_->workloads)
    versions[fmt::format("{}/{}", workload.family, workload.name)] = workload.version;
  return versions;
}

std::string ComparedArm::executable(std::string_view benchmark) const {
  const results::Arm* arm = found_arm();
  if (arm == nullptr) return "";
  const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
  const auto found = arm->executables.find(fmt::format("{}/{}", parts.family, parts.variant));
  return found == arm->executables.end() ? "" : found->second;
}

}  // namespace lab::judge
