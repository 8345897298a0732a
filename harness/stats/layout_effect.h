/// What the layouts of two builds alone can do to their ratio.
///
/// A build is measured in a few links of its code (measure/code_layouts.h). Each has a level of its own, and neither
/// more processes nor more blocks make the mean of a few links equal to the mean of all possible ones. So a difference
/// between two builds is tested against what the links of equal code differ by.
///
/// The model, in logarithms: value = level of the stratum + effect of the arm + effect of the link + noise, the last
/// two normal. Levels and the arms' effect are eliminated; the likelihood of both standard deviations given the rest is
/// REML's (Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", Biometrika 58
/// (1971) 545-554). Eight links tell little, so sigma_link keeps its whole posterior distribution: its prior is
/// half-Cauchy (Gelman, "Prior distributions for variance parameters in hierarchical models", Bayesian Analysis 1
/// (2006) 515-534) with the scale kUsualLinks, that of the noise is uniform in its logarithm. The mean of an arm's
/// links has a standard deviation of sigma_link times the root of the sum of their squared shares; what of it the rank
/// test has already seen as noise between processes is subtracted.
///
/// Where the processes hardly show how much links differ, sigma_link is nearly what the prior assumes. `measured` tells
/// the two apart.
///
/// Processes far from the others of their link (more than kFar deviations) are drawn in: one disturbed process must
/// neither hide nor make a difference of links.
#pragma once

#include <optional>
#include <vector>

#include "harness/stats/interval.h"
#include "harness/stats/ranks.h"

namespace lab::stats {

/// Scale of the prior of sigma_link, which assumes that half of all benchmarks are below it. Of eight random links of
/// the buddy variant one was 6.4 % slower in same-size churn and the others were within 2.5 %; continuous-benchmarking
/// projects report 2 to 11 % between links.
inline constexpr double kUsualLinks = 0.01;
inline constexpr double kFar = 3;

/// A part of a mixture of normal distributions with mean 0.
struct NormalPart {
  double weight = 0;
  double sigma = 0;
};

/// Links differ measurably if some sigma_link is more likely than none by so much (half of 2.706, the quantile of
/// chi-squared): in 5 % of builds whose links do not differ (Self and Liang, "Asymptotic properties of maximum
/// likelihood estimators and likelihood ratio tests under nonstandard conditions", Journal of the American Statistical
/// Association 82 (1987) 605-610).
inline constexpr double kMeasuredGain = 1.353;

struct LayoutEffect {
  double sigma = 0;       ///< of a link's effect, relative: the posterior's median
  double share = 0;       ///< of the variance between processes: the posterior's mean
  bool measured = false;  ///< false: the processes do not show that links differ, and sigma is mostly the prior's
  /// The distribution of the logarithm of the ratio of two builds of equal code, from their links alone. Empty if it is
  /// unknown: neither side has two links.
  std::vector<NormalPart> shift;
};

/// The effect in processes of two arms. `Datum::block` is the stratum. Without `head`, the effect in one arm, and its
/// shift is that of the arm's mean. A datum of layout 0 is of the arm's only link.
LayoutEffect layout_effect(const std::vector<Datum>& base, const std::vector<Datum>& head);

/// Two arms, tested against what their layouts alone can do. Without a shift, it is BlockedArms itself.
///
/// A p is the mean of the rank test's p over the shift's distribution. For a test of a location in normal noise that is
/// the p of the sum of noise and shift.
class ShiftedArms {
 public:
  ShiftedArms(BlockedArms arms, std::vector<NormalPart> shift);

  /// As BlockedArms::p_value.
  double p_value(double ratio = 1) const;
  double ratio() const { return arms_.ratio(); }
  /// All ratios whose p_value is above `alpha`; none if the processes alone give none.
  std::optional<Interval> interval(double alpha) const;
  /// The same without the layouts' shift.
  const BlockedArms& arms() const { return arms_; }

 private:
  /// P(a value of the shift's distribution is below x).
  double below(double x) const;
  /// Mean over the shift of the p that head is slower (`slower`), or else faster, than exp(log_ratio) times base.
  double mean_tail(double log_ratio, bool slower) const;
  double limit(double alpha, bool lower) const;

  BlockedArms arms_;
  std::vector<NormalPart> shift_;
  double log_ratio_ = 0;
  std::vector<double> at_;    ///< logarithms of ratios, ascending
  std::vector<double> tail_;  ///< the one-sided p at `at_` that head is slower
};

}  // namespace lab::stats
