/// The one test of the laboratory: whether two arms of a session differ, by ranks within blocks, exactly.
///
/// Hodges and Lehmann, "Rank methods for combination of independent experiments in analysis of variance", The Annals of
/// Mathematical Statistics 33 (1962) 482-497: every value is aligned by its block's median, all are ranked together,
/// and the sum of one arm's ranks is held against all ways in which the arms' names could have been dealt out within
/// each block. What drifts from block to block cancels, and nothing is assumed of the noise but that the names do not
/// matter. With one block it is the Wilcoxon-Mann-Whitney test; with pairs, Wilcoxon's signed-rank test with ranks less
/// a half.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::stats {

/// Two arms of a comparison on the logarithm of their values, block by block. A block that holds one arm only says
/// nothing of their difference and is left out.
class BlockedArms {
 public:
  /// Values must be positive and finite. Ratios are `head` over `base`: above 1, head is slower.
  BlockedArms(std::span<const Datum> base, std::span<const Datum> head);

  /// Values that take part, of both arms.
  std::size_t size() const { return size_; }

  /// Two-sided p of "head is `ratio` times base": twice the smaller tail, at most 1. Exact up to kMostExact values in a
  /// block and kMostExactOfAll in all; beyond, by the normal approximation with the variance of the same permutations. 1
  /// where no block holds both arms.
  double p_value(double ratio = 1) const;

  /// The smallest p that these blocks can give, whatever the values.
  double least_p() const;

  /// The ratio at which head's rank sum is what chance expects: the Hodges-Lehmann estimate. 1 where no block holds both arms.
  double ratio() const;

  /// All ratios whose p_value is above `alpha`: an interval of confidence 1 - alpha. None where the blocks are too few
  /// for it.
  std::optional<Interval> interval(double alpha) const;

  static constexpr std::size_t kMostExact = 64, kMostExactOfAll = 256;

 private:
  struct Block {
    std::vector<double> base, head;  // logarithms
  };
  /// P(rank sum of head <= the one found), P(>= it), after head is divided by exp(shift).
  struct Tails {
    double below = 1, above = 1;
  };

  /// All values after head is divided by exp(shift).
  struct Ranked {
    std::vector<std::vector<std::int64_t>> of_block;
    std::int64_t found = 0;  ///< rank sum of head
    std::int64_t unit = 1;   ///< of ranks: doubled where there are ties
  };
  struct Moments {
    double mean = 0, variance = 0;  ///< of the rank sum over all ways to deal out the names
  };

  Ranked rank(double shift) const;
  Moments moments(const Ranked& ranked) const;
  Tails normal_tails(const Ranked& ranked) const;
  Tails tails(double shift) const;
  /// The shift at which `rejects`, true at one and false at the other, turns over.
  template <typename Rejects>
  double crossing(double rejected, double kept, const Rejects& rejects) const;
  /// The logarithm of the ratio at which the tail of larger (`lower`) or smaller ratios reaches `alpha`.
  double limit(double alpha, bool lower) const;

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::size_t most_in_block_ = 0;
  double most_ = 0;  // no two values of a block lie further apart
};

/// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979) 65-70:
/// the adjusted p of each of `p`; rejecting those below alpha keeps the chance of any false rejection below alpha,
/// however the tests depend on each other.
std::vector<double> holm(std::span<const double> p);

}  // namespace lab::stats
