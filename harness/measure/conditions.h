/// Other activity on the machine during a session, from kernel counters before and after it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/result.h"

namespace lab::measure {

/// CPU seconds since the machine started, summed over all CPUs; 0 if the kernel does not report a value.
struct CpuUse {
  double busy = 0;
  double own = 0;     ///< the part of `busy` used by this process and its ended children
  double stolen = 0;  ///< time in which the host did not run one of our CPUs
};

CpuUse read_cpu_use(const std::filesystem::path& root);

/// The activity of other processes between two readings, `seconds` apart.
results::Disturbance disturbance_between(const CpuUse& before, const CpuUse& after, int block, double seconds);

/// Sums since the machine started; 0 or missing if the kernel does not report a value.
struct Conditions {
  CpuUse use;
  double all_seconds = 0;                     ///< of all CPUs, idle time included
  std::map<int, double> busy_seconds_of_cpu;  ///< by CPU
  std::int64_t throttles = 0;                 ///< caused by heat or power, over all cores
  std::int64_t swapped_pages = 0;
  std::map<int, std::int64_t> clock_changes;                      ///< by CPU
  std::map<int, std::pair<std::string, double>> other_processes;  ///< by process id: name and CPU seconds
};

Conditions read_conditions(const std::filesystem::path& root);

/// What disturbed a session of `seconds` between `before` and `after`: one sentence each, with advice. `pinned`: the
/// CPU of workloads that are not parallel; `siblings`: the logical cores that share its core, where nothing of the
/// session itself ran.
std::vector<std::string> find_disturbances(const Conditions& before, const Conditions& after, double seconds,
                                           std::optional<int> pinned, const std::vector<int>& siblings);

/// The logical cores that share a core with `cpu`, without `cpu`.
std::vector<int> siblings_of(const std::filesystem::path& root, int cpu);

}  // namespace lab::measure
