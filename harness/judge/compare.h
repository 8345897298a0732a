/// Compares each benchmark of head with base.
///
/// Within a session both arms ran interleaved in blocks: the exact rank test (stats/ranks.h) runs on strata of blocks
/// (stats/strata.h). Two sessions are not interleaved, and a machine is never in the same state twice. Which blocks of
/// a session are judged, and whether its times can be compared with another's, is in judged_blocks.h.
///
/// The parts, in the order in which they are used:
///   1. compared_arm.h   one side: an arm's values by benchmark; whether two sides can be compared
///   2. drift.h          what each block did to all benchmarks, and two sessions differ by, without a cause in the code
///   3. tested_row.h     the test of one row
///   4. verdict_table.h  the verdicts of all rows
///   5. exact.h          what has no noise
/// They fill in a Comparison (comparison.h).
#pragma once

#include <vector>

#include "harness/judge/comparison.h"
#include "harness/results/atlas.h"
#include "harness/results/result.h"

namespace lab::judge {

/// Compares head with base within one session that has both arms.
Expected<Comparison> compare_arms(const results::Result& session, const CompareSettings& settings);

/// Compares the head arms of two sessions.
Expected<Comparison> compare_sessions(const results::Result& base, const results::Result& head,
                                      const CompareSettings& settings);

/// Compares two files whose repetitions were separate processes: the first of each is one block, and so on. If one side
/// has more, they are distributed over the other side's blocks in order.
Expected<Comparison> compare_repetitions(const results::Result& base, const results::Result& head,
                                         const CompareSettings& settings);

/// Compares two atlases of at least one column each. Columns are paired by name, the rest by driver and device.
Expected<Comparison> compare_atlases(const std::vector<results::DriverColumn>& base,
                                     const std::vector<results::DriverColumn>& head);

}  // namespace lab::judge
