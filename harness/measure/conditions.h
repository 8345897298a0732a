/// What a machine did beside a session: counters of the kernel before and after it.
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

/// CPU seconds since the machine started, all CPUs added up; what the kernel does not say is 0.
struct CpuUse {
  double busy = 0;
  double own = 0;     ///< of these, of this process and its ended children
  double stolen = 0;  ///< in which the host had no time for a CPU of ours
};

CpuUse read_cpu_use(const std::filesystem::path& root);

/// What other work did between two readings, `seconds` apart.
results::Disturbance disturbance_between(const CpuUse& before, const CpuUse& after, int block, double seconds);

/// Sums since the machine started; what the kernel does not say is 0 or missing.
struct Conditions {
  CpuUse use;
  double all_seconds = 0;                     ///< of all CPUs, idle or not
  std::map<int, double> busy_seconds_of_cpu;  ///< by CPU
  std::int64_t throttles = 0;                 ///< for heat or power, of all cores
  std::int64_t swapped_pages = 0;
  std::map<int, std::int64_t> clock_changes;                      ///< by CPU
  std::map<int, std::pair<std::string, double>> other_processes;  ///< by id: name and CPU seconds
};

Conditions read_conditions(const std::filesystem::path& root);

/// What disturbed a session of `seconds` between `before` and `after`, a sentence each with what to do about it.
/// `pinned`: the CPU of what is not parallel; `siblings`: the logical cores that share its core, where nothing of the
/// session itself ran.
std::vector<std::string> find_disturbances(const Conditions& before, const Conditions& after, double seconds,
                                           std::optional<int> pinned, const std::vector<int>& siblings);

/// The logical cores that share the core of `cpu`, without itself.
std::vector<int> siblings_of(const std::filesystem::path& root, int cpu);

}  // namespace lab::measure
