/// Groups a session's blocks into strata, within which BlockedArms compares the arms.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/stats/ranks.h"

namespace lab::stats {

/// The chance of any false finding in a table of comparisons, unless the user names another.
inline constexpr double kAlpha = 0.05;

inline constexpr double kRoom = 5;
inline constexpr std::size_t kDrifting = 2, kSteady = 5;

/// Number of successive blocks per stratum, if `blocks` blocks contain a process of each arm. Small strata remove drift
/// best but have little power; large strata have more power, until the drift within a stratum dominates. The result is
/// the smallest number for which the least possible p is below alpha / table, with a factor of kRoom to spare; if no
/// number gives that factor, the smallest that is below alpha / table at all; else all blocks. It is at least `least`:
/// kDrifting, so that the ABBA order of the arms cancels a drift, or kSteady if the session's drift has been removed.
/// The rule and its constants were chosen by power at sigma 0.5, 1 and 2 %, drift 0, 3 and 6 % and 8 to 20 blocks, with
/// seeds and a noise (one value per process) that simulate does not use.
std::size_t stratum_blocks(std::size_t blocks, std::size_t table, double alpha, std::size_t least = kDrifting);

/// The least two-sided p that `blocks` blocks with one process of each arm can give in strata of `stratum` blocks.
double least_p(std::size_t blocks, std::size_t stratum);

/// The fewest blocks that can tell any change from chance, at `alpha` after the largest of Holm's corrections in a
/// table of `table` rows: with fewer, not even arms without overlap do.
std::size_t fewest_blocks(std::size_t table, double alpha);

/// The data of two arms.
struct ArmData {
  std::vector<Datum> base, head;
};

/// Both arms in strata of `stratum` successive blocks, as equal in size as possible: Datum::block becomes the stratum.
/// Leaves out blocks with only one arm.
ArmData to_strata(const std::vector<Datum>& base, const std::vector<Datum>& head, std::size_t stratum);

/// The same, as input of the test.
BlockedArms in_strata(const std::vector<Datum>& base, const std::vector<Datum>& head, std::size_t stratum);

/// Number of blocks that contain both arms.
std::size_t common_blocks(const std::vector<Datum>& base, const std::vector<Datum>& head);

}  // namespace lab::stats
