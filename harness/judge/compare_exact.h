/// Exact metrics: bytes, checksums, memory requirements. They have no noise, so one sample decides.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/comparison.h"
#include "harness/results/result.h"

namespace lab::judge {

/// Changes of counters and checksums of benchmarks that both sides have. Counters are those of judge::exact_counters,
/// instructions only if both sides have them. Counters of benchmarks in `uncounted` are skipped: with another seed or
/// on another machine they count other work. Checksums are compared per process of the same seed, on any machine.
/// Worse is: more, if the counter's name ends in bytes, fragmentation or instructions; a different checksum. Anything
/// else is only a change.
std::vector<ExactChange> exact_changes(const results::Result& base, std::string_view base_arm,
                                       const results::Result& head, std::string_view head_arm,
                                       const std::set<std::string>& uncounted);

}  // namespace lab::judge
