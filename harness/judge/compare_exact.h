/// Metrics without noise: what counts bytes, answers and requirements. One sample decides.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/compare.h"

namespace lab::judge {

/// Counters and checksums of benchmarks that both have. Counters as in judge::exact_counters, instructions where both
/// have them, and not of the benchmarks in `uncounted`: with another seed or on another machine they count other work.
/// Checksums are compared process by process where the seed is the same, which no machine changes. Of a counter whose
/// name ends as bytes, fragmentation or instructions do, more is worse; another checksum is worse; all else is a
/// change.
std::vector<ExactChange> exact_changes(const results::Result& base, std::string_view base_arm,
                                       const results::Result& head, std::string_view head_arm,
                                       const std::set<std::string>& uncounted);

}  // namespace lab::judge
