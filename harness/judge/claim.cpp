#include "harness/judge/claim.h"

#include <cmath>

namespace lab::judge {

std::string_view to_string(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      return "reproduced";
    case ClaimVerdict::kWeaker:
      return "weaker";
    case ClaimVerdict::kRefuted:
      return "refuted";
    case ClaimVerdict::kUndecided:
      break;
  }
  return "undecided";
}

ClaimVerdict judge_claim(double claimed, const std::optional<stats::Interval>& measured) {
  if (!measured || !(claimed > 0) || !std::isfinite(claimed) || claimed == 1) return ClaimVerdict::kUndecided;
  if (!(measured->low > 0) || !(measured->high >= measured->low)) return ClaimVerdict::kUndecided;
  // A slow-down is the same claim about the inverse ratio: the opposite sign of the logarithm.
  const double sign = claimed > 1 ? 1 : -1;
  const double effect = std::abs(std::log(claimed));
  const double low = sign * std::log(sign > 0 ? measured->low : measured->high);
  const double high = sign * std::log(sign > 0 ? measured->high : measured->low);
  if (low > 0) return high >= effect * (1 - kClaimTolerance) ? ClaimVerdict::kReproduced : ClaimVerdict::kWeaker;
  return high <= 0 || high < effect * kClaimTolerance ? ClaimVerdict::kRefuted : ClaimVerdict::kUndecided;
}

}  // namespace lab::judge
