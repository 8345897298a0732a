#include "harness/judge/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/judge/summary.h"
#include "harness/results/metrics.h"

namespace lab::judge {

namespace {

bool has_noise(const results::WorkloadInfo& workload, const std::string& name) {
  const std::optional<results::Metric> metric = results::find_metric(workload, name);
  return metric && metric->kind != results::MetricKind::kExact;
}

using results::Process;
using results::Result;

/// Results of schema 1 do not declare their metrics: more is worse where the name ends so.
constexpr std::array<std::string_view, 3> kMoreIsWorse{"bytes", "fragmentation", "instructions"};

/// How a benchmark's exact metrics are declared on both sides.
class Declarations {
 public:
  Declarations(const Result& base, const Result& head, const std::string& benchmark)
      : workloads_{results::find_workload(head, benchmark), results::find_workload(base, benchmark)} {}

  bool is_worse(std::string_view name, double before, double after) const {
    if (const std::optional<results::Metric> metric = find(name)) return results::is_worse(*metric, before, after);
    const bool more_is_worse = std::ranges::any_of(kMoreIsWorse, [&](auto end) { return name.ends_with(end); });
    return more_is_worse && after > before;
  }

  /// Whether a metric that only one side has is a finding; `all_have`: every process of that side has it. Costly
  /// metrics are in some processes alone, or in none.
  bool counts_if_missing(std::string_view name, bool all_have) const {
    const std::optional<results::Metric> metric = find(name);
    return metric ? !metric->costly : all_have;
  }

 private:
  std::optional<results::Metric> find(std::string_view name) const {
    for (const results::WorkloadInfo* const workload : workloads_)
      if (workload != nullptr)
        if (const std::optional<results::Metric> metric = results::find_metric(*workload, name)) return metric;
    return std::nullopt;
  }

  std::array<const results::WorkloadInfo*, 2> workloads_;
};

/// Of one benchmark: each counter's value, none if processes disagree; each seed's checksum.
struct ExactValues {
  std::map<std::string, std::optional<double>> counters;
  std::map<std::string, std::size_t> processes_with;  ///< a counter
  std::size_t processes = 0;
  std::map<std::uint64_t, std::string> checksums;

  bool all_have(const std::string& counter) const {
    const auto found = processes_with.find(counter);
    return found != processes_with.end() && found->second == processes;
  }
};

std::map<std::string, ExactValues> exact_values(const Result& result, std::string_view arm) {
  std::map<std::string, ExactValues> values;
  for (auto& [benchmark, counters] : exact_counters(result, arm)) values[benchmark].counters = counters;
  for (const Process& process : result.processes)
    if (process.arm == arm) {
      ExactValues& own = values[process.benchmark];
      own.checksums.emplace(process.seed, process.checksum);
      ++own.processes;
      for (const auto& [counter, value] : process.counters) ++own.processes_with[counter];
    }
  return values;
}

void compare_checksums(const std::string& benchmark, const ExactValues& base, const ExactValues& head,
                       std::vector<ExactChange>& found) {
  for (const auto& [seed, checksum] : base.checksums)
    if (const auto other = head.checksums.find(seed); other != head.checksums.end() && other->second != checksum) {
      found.push_back({benchmark, "checksum", checksum, other->second, true});
      return;
    }
}

void compare_counters(const std::string& benchmark, const ExactValues& base, const ExactValues& head,
                      const Declarations& declared, std::vector<ExactChange>& found) {
  std::set<std::string> names;
  for (const ExactValues* values : {&base, &head})
    for (const auto& [name, value] : values->counters) names.insert(name);
  for (const std::string& name : names) {
    const auto before = base.counters.find(name), after = head.counters.find(name);
    const bool in_base = before != base.counters.end(), in_head = after != head.counters.end();
    if (!(in_base && in_head) && !declared.counts_if_missing(name, (in_base ? base : head).all_have(name))) continue;
    // A counter with noise is not exact.
    if ((in_base && !before->second) || (in_head && !after->second)) continue;
    if (in_base && in_head && *before->second == *after->second) continue;
    const auto text = [](bool there, const auto& at) { return there ? fmt::format("{}", *at->second) : std::string(); };
    found.push_back({benchmark, name, text(in_base, before), text(in_head, after),
                     in_base && in_head && declared.is_worse(name, *before->second, *after->second)});
  }
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
  return only_exact(metric_values(result, benchmark, metric), metric);
}

std::optional<double> only_exact(std::span<const stats::Datum> values, std::string_view metric) {
  if (metric == kInstructions && values.size() == 1) return std::nullopt;
  return only_value(values);
}

std::optional<double> only_value(std::span<const stats::Datum> values) {
  const bool constant =
      std::ranges::all_of(values, [&](const stats::Datum& one) { return one.value == values.front().value; });
  return constant && !values.empty() ? std::optional(values.front().value) : std::nullopt;
}

std::vector<ExactChange> exact_changes(const Result& base, std::string_view base_arm, const Result& head,
                                       std::string_view head_arm, const std::set<std::string>& uncounted) {
  const std::map<std::string, ExactValues> before = exact_values(base, base_arm), after = exact_values(head, head_arm);
  std::vector<ExactChange> found;
  for (const auto& [benchmark, values] : before) {
    const auto other = after.find(benchmark);
    if (other == after.end()) continue;
    compare_checksums(benchmark, values, other->second, found);
    if (!uncounted.contains(benchmark))
      compare_counters(benchmark, values, other->second, Declarations(base, head, benchmark), found);
  }
  return found;
}

}  // namespace lab::judge
