/// The verdicts of a result on the claims of the command bucket article.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/published.h"
#include "harness/results/result.h"
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

struct JudgedClaim {
  const results::SpeedClaim* claim = nullptr;
  double from_table = 0;                             ///< the ratio from the article's table: this one is judged
  bool misprinted = false;                           ///< whether the printed ratio disagrees with that table
  std::optional<stats::Estimate> measured;           ///< on the workload of the article's size
  std::vector<std::optional<stats::Estimate>> also;  ///< on the other sizes, in the order of CommandBuckets::also
  ClaimVerdict verdict = ClaimVerdict::kUndecided;
};

/// time(from) / time(to) of a phase on one workload; none if either has no numbers.
std::optional<stats::Estimate> measured_ratio(const results::CommandBuckets& published,
                                              const results::PublishedVersion& from,
                                              const results::PublishedVersion& to, const std::string& phase,
                                              const std::string& workload, const results::Result& result);

/// `published` must outlive the returned claims. Returns a claim once per order of freeing that has measurements;
/// without any, once for the first order.
std::vector<JudgedClaim> judge_claims(const results::CommandBuckets& published, const results::Result& result);

}  // namespace lab::judge
