/// Whether a step that a model names is there: a check that does not believe the model.
///
/// A machine can change its speed for seconds or minutes by more than a commit changes it. The models of culprit_fit.h
/// and culprit_steps_fit.h know slow drift, two levels and disturbed measurements, but no such states: if one commit
/// was mostly measured in one state and its neighbour in another, they name a step with probability 1. So a step is
/// told only if a check has evidence 1 / a for it, where a is the error that is allowed.
///
/// Pairs. The measured commits on both sides of the step are measured one after the other, and a coin decides which
/// comes first. If they do not differ, each sign of log(after / before) is the coin, whatever the machine does: so the
/// check holds for every noise. A bet on signs multiplies the evidence by 2 / (1 + e^-(g psi(u))), with u the logarithm
/// over the median size of those so far, and psi Tukey's biweight, so that a change of the machine's state within a
/// pair counts little. Given the sizes, its mean over the coin is 1. The evidence is the mean over the bets g of kBets:
/// if there is no step, it ever reaches 1 / a with probability a at most (Ville; Ramdas et al., Game-Theoretic
/// Statistics and Safe Anytime-Valid Inference, 2023). So pairs may be added until it is enough. That is for one
/// direction: who may claim either has twice the error. Because every small difference of two builds is found so in the
/// end, the median of the pairs must also be kLeastOfClaim of the size that the model has. Not chosen: evidence from
/// the order of the search's own measurements, for steps far above the noise. The commits beside the step are too
/// rarely measured for it to say where the step is, unless pairs are measured after all.
///
/// Layouts. Where a build has several layouts that take turns, a pair of the same two layouts has the same offset
/// again: its sign is no new coin. If the levels do not differ, the signs of whole layouts are the coins. So the pairs
/// of one layout are also one bet, on the sum of their psi(u), and the lesser evidence counts. A build with one layout
/// has one offset, which no number of pairs tells from a step: there only the model knows how large offsets are.
///
/// Constants. kBets: so that eight pairs of equal sign are enough for a = 0.0076, and 20 pairs for a step of 1.5 sigma.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

namespace lab::stats {

/// The commits on both sides of one step, in pairs.
class PairedCheck {
 public:
  PairedCheck();
  /// `log_ratio`: log(after / before). Which of both was measured first must have been decided by a coin. `layout`: of
  /// the build before, 0 if it has one.
  void add(double log_ratio, int layout = 0);
  std::size_t pairs() const { return log_ratios_.size(); }
  /// The largest evidence so far against "there is no step of this direction", at least 1.
  double evidence(bool is_up) const { return best_[is_up ? 1 : 0]; }
  /// Whether the pairs show a step of about `log_ratio`, which the model claims, with `evidence_needed`.
  bool confirms(double log_ratio, double evidence_needed) const;

 private:
  static constexpr std::size_t kBetCount = 4;
  std::vector<double> log_ratios_, sizes_;            ///< in order of time; ascending
  std::array<std::array<double, kBetCount>, 2> log_;  ///< by direction and bet
  std::map<int, double> scores_;                      ///< sums of psi(u), by layout
  std::array<double, 2> best_{1, 1};
};

}  // namespace lab::stats
