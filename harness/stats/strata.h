/// How a session's blocks become the strata that BlockedArms compares arms within.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/stats/ranks.h"

namespace lab::stats {

/// The chance of any false finding in a table of comparisons, unless the user names another.
inline constexpr double kAlpha = 0.05;

inline constexpr double kRoom = 5;
inline constexpr std::size_t kDrifting = 2, kSteady = 5;

/// How many blocks in a row make a stratum where `blocks` blocks hold a process of each arm. Blocks one by one follow a
/// drift closest but know only who won, and by what rank; the more of them are taken together, the more can be
/// concluded, until what drifts within a stratum drowns it. So: as few as let the least possible p of one of `table`
/// rows stay below alpha / table with kRoom to spare; where no number gives that room, as few as reach it at all; else
/// all. Never fewer than kDrifting, so that the ABBA order of the arms cancels a drift, or than kSteady where the
/// session's drift has been taken out.
/// The rule and its numbers were chosen by power at sigma 0.5, 1 and 2 %, drift 0, 3 and 6 % and 8 to 20 blocks, with
/// seeds and a noise (one value a process) that simulate does not use.
std::size_t stratum_blocks(std::size_t blocks, std::size_t table, double alpha, std::size_t least = kDrifting);

/// The least two-sided p that `blocks` blocks of one process of each arm can give in strata of `stratum` blocks.
double least_p(std::size_t blocks, std::size_t stratum);

/// Both arms in strata of `stratum` blocks in a row, as even as can be; blocks that hold one arm only are left out.
BlockedArms in_strata(const std::vector<Datum>& base, const std::vector<Datum>& head, std::size_t stratum);

/// Blocks that hold both arms.
std::size_t common_blocks(const std::vector<Datum>& base, const std::vector<Datum>& head);

}  // namespace lab::stats
