/// What a measurement says about a published claim.
#pragma once

#include <optional>
#include <string_view>

#include "harness/stats/interval.h"

namespace lab::judge {

enum class ClaimVerdict { kReproduced, kWeaker, kRefuted, kUndecided };

/// "reproduced", "weaker", "refuted" or "undecided".
std::string_view to_string(ClaimVerdict verdict);

/// A published figure is one number without an interval, from another machine, printed with two or three digits: it is
/// taken as it stands to within this share of its effect, and an effect below this share of it counts as none.
/// Shares of an effect are taken on the logarithm of the ratio, where a speed-up and a slow-down are alike.
inline constexpr double kClaimTolerance = 0.1;

/// The verdict on a claimed ratio of times from / to (above 1: faster; below 1: slower, judged as its inverse) from the
/// interval of the same ratio measured here. With claim r > 1, interval [low, high] and t = kClaimTolerance:
///   reproduced  low > 1, high >= r^(1 - t)   the effect is there, and as strong as claimed is not excluded
///   weaker      low > 1, high <  r^(1 - t)   it is there, and weaker than claimed
///   refuted     high <= 1, or low <= 1 and high < r^t   the opposite, none, or no room for even a share t of it
///   undecided   low <= 1, high >= r^t, or no interval   the data allow both the effect and none
/// Without the second half of "refuted" a claim about what makes no difference would stay undecided for ever: an
/// interval of a true 1 contains 1 however many processes there are. A claim of 1, or of no positive number, claims no
/// effect and stays undecided.
ClaimVerdict judge_claim(double claimed, const std::optional<stats::Interval>& measured);

}  // namespace lab::judge
