/// The laboratory's test of whether two arms of a session differ: an exact permutation test of ranks within blocks.
///
/// Hodges and Lehmann, "Rank methods for combination of independent experiments in analysis of variance", The Annals of
/// Mathematical Statistics 33 (1962) 482-497: every value is aligned by its block's median, and all are ranked
/// together. The sum of one arm's ranks is compared with its distribution over all permutations of the arm labels
/// within each block. Drift between blocks cancels. The only assumption is that labels are exchangeable within a block
/// if the arms do not differ. With one block it is the Wilcoxon-Mann-Whitney test; with pairs it is Wilcoxon's
/// signed-rank test with ranks reduced by 1/2.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::stats {

/// Two arms of a comparison as logarithms of their values, by block. A block with only one arm holds no information
/// about their difference and is ignored.
class BlockedArms {
 public:
  /// Values must be positive and finite. Ratios are `head` over `base`: above 1, head is slower.
  BlockedArms(std::span<const Datum> base, std::span<const Datum> head);

  /// Number of values used, of both arms.
  std::size_t size() const { return size_; }

  /// Two-sided p of "head is `ratio` times base": twice the smaller tail, at most 1. Exact up to kMostExact values in a
  /// block and kMostExactOfAll in total; above, the normal approximation with the variance of the same permutations. 1
  /// if no block contains both arms.
  double p_value(double ratio = 1) const;

  /// The smallest p that these blocks can give for any values.
  double least_p() const;

  /// The Hodges-Lehmann estimate: the ratio at which head's rank sum equals its expectation. 1 if no block contains
  /// both arms.
  double ratio() const;

  /// All ratios whose p_value is above `alpha`: an interval of coverage 1 - alpha. None if there are too few blocks.
  std::optional<Interval> interval(double alpha) const;

  static constexpr std::size_t kMostExact = 64, kMostExactOfAll = 256;

 private:
  struct Block {
    std::vector<double> base, head;  // logarithms
  };
  /// P(rank sum <= observed) and P(rank sum >= observed) for head, after head is divided by exp(shift).
  struct Tails {
    double below = 1, above = 1;
  };

  /// All values after head is divided by exp(shift).
  struct Ranked {
    std::vector<std::vector<std::int64_t>> of_block;
    std::int64_t found = 0;  ///< rank sum of head
    std::int64_t unit = 1;   ///< of ranks: 2 if there are ties, because ranks are then doubled
  };
  struct Moments {
    double mean = 0, variance = 0;  ///< of the rank sum over all permutations of the labels
  };

  Ranked rank(double shift) const;
  Moments moments(const Ranked& ranked) const;
  Tails normal_tails(const Ranked& ranked) const;
  Tails tails(double shift) const;
  /// The shift at which `rejects` changes between true (at `rejected`) and false (at `kept`).
  template <typename Rejects>
  double crossing(double rejected, double kept, const Rejects& rejects) const;
  /// The logarithm of the ratio at which the tail of larger (`lower`) or smaller ratios reaches `alpha`.
  double limit(double alpha, bool lower) const;

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::size_t most_in_block_ = 0;
  double most_ = 0;  // maximum difference of two values of a block
};

/// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979) 65-70:
/// the adjusted p of each of `p`. Rejecting those below alpha keeps the probability of any false rejection below alpha,
/// under any dependence of the tests.
std::vector<double> holm(std::span<const double> p);

}  // namespace lab::stats
