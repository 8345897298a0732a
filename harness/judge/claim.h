/// The verdict of a measurement on a published claim.
#pragma once

#include <optional>
#include <string_view>

#include "harness/stats/interval.h"

namespace lab::judge {

enum class ClaimVerdict { kReproduced, kWeaker, kRefuted, kUndecided };

/// "reproduced", "weaker", "refuted" or "undecided".
std::string_view to_string(ClaimVerdict verdict);

/// Tolerance, as a share of the claimed effect. A published figure is one number without an interval, from another
/// machine, with two or three digits: it is accepted to within this share, and a smaller effect than this share counts
/// as none. Shares are taken on the logarithm of the ratio, which is symmetric for speed-ups and slow-downs.
inline constexpr double kClaimTolerance = 0.1;

/// The verdict on a claimed ratio of times from / to (above 1: faster; below 1: slower, judged as its inverse) from the
/// interval of the same ratio measured here. With claim r > 1, interval [low, high] and t = kClaimTolerance:
///   reproduced  low > 1, high >= r^(1 - t)   the effect exists, possibly as strong as claimed
///   weaker      low > 1, high <  r^(1 - t)   the effect exists, but is weaker than claimed
///   refuted     high <= 1, or low <= 1 and high < r^t   opposite effect, none, or less than the share t of it
///   undecided   low <= 1, high >= r^t, or no interval   the data allow both the effect and none
/// Without the second half of "refuted", a claim about something without effect would stay undecided forever: the
/// interval of a true ratio of 1 contains 1 for any number of processes. A claim of 1, or of no positive number, claims
/// no effect and stays undecided.
ClaimVerdict judge_claim(double claimed, const std::optional<stats::Interval>& measured);

}  // namespace lab::judge
