/// Whether a step that a model names is there: checks that do not believe the model.
///
/// A machine can change its speed for seconds or minutes by more than a commit changes it. The models of culprit_fit.h
/// and culprit_steps_fit.h know slow drift, two levels and disturbed measurements, but no such states: if one commit
/// was mostly measured in one state and its neighbour in another, they name a step with probability 1. So a step is
/// told only if one of two checks has evidence 1 / a for it, where a is the error that is allowed.
///
/// Pairs. The measured commits on both sides of the step are measured one after the other, and a coin decides which
/// comes first. If they do not differ, each sign of log(after / before) is the coin, whatever the machine does: so the
/// check holds for every noise. A bet on signs multiplies the evidence by 2 / (1 + e^-(g psi(u))), with u the logarithm
/// over the median size of those so far, and psi Tukey's biweight, so that a change of the machine's state within a
/// pair counts little. Given the sizes, its mean over the coin is 1. The evidence is the mean over the bets g of kBets:
/// if there is no step, it ever reaches 1 / a with probability a at most (Ville; Ramdas et al., Game-Theoretic
/// Statistics and Safe Anytime-Valid Inference, 2023). So pairs may be added until it is enough. Because every small
/// difference of two builds is found so in the end, the median of the pairs must also be kLeastOfClaim of the size that
/// the model has.
///
/// Sequence. Where a step is far above the noise, the measurements of the search say enough. Between successive
/// measurements, the level changes exactly where the steps say so, to within half of the step. A machine that does this
/// by chance changes its state just then, and never else: in r of m cases, with probability q^r (1 - q)^(m - r) for the
/// best q up to 1/2, at each of the places where the step could have been. Few cases are none: the search may follow
/// the machine.
///
/// Constants. kBets: so that eight pairs of equal sign are enough for a = 0.007, and 20 pairs for a step of 1.5 sigma.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lab::stats {

/// The commits on both sides of one step, in pairs.
class PairedCheck {
 public:
  PairedCheck();
  /// `log_ratio`: log(after / before). Which of both was measured first must have been decided by a coin.
  void add(double log_ratio);
  std::size_t pairs() const { return log_ratios_.size(); }
  /// The largest evidence so far against "there is no step of this direction", at least 1.
  double evidence(bool is_up) const { return best_[is_up ? 1 : 0]; }
  /// Whether the pairs show a step of about `log_ratio`, which the model claims, with `evidence_needed`.
  bool confirms(double log_ratio, double evidence_needed) const;

 private:
  static constexpr std::size_t kBetCount = 4;
  std::vector<double> log_ratios_, sizes_;            ///< in order of time; ascending
  std::array<std::array<double, kBetCount>, 2> log_;  ///< by direction and bet
  std::array<double, 2> best_{1, 1};
};

struct TimedValue {
  std::size_t commit = 0;
  double log_value = 0;
};

/// A change of the level at commit `first`.
struct LevelStep {
  std::size_t first = 0;
  double log_ratio = 0;
};

/// The evidence of the sequence for step `which` of `steps`, of which each could have been at `places` commits; 1 if
/// successive measurements do not change as the steps say. `values` are in the order of measuring.
double evidence_of_sequence(std::span<const TimedValue> values, std::span<const LevelStep> steps, std::size_t which,
                            std::size_t places);

}  // namespace lab::stats
