/// How well "commits from k on have another level" explains noisy measurements, some of them disturbed.
///
/// Model. y = log of a measurement. With probability 1 - q nothing disturbed it, and it is
///   a + d [commit >= k] + drift(t) + sigma e,   e normal;
/// with q it is anything, evenly over `range`: other people's load, for a while perhaps in more than half of all
/// processes. Priors: q Beta(kDisturbed, kCalm); a flat; sigma^2 IG(kNoiseShape, kNoiseShape kNoiseScale^2); for
/// x = d / sigma the moment prior
///   x^2 / tau^2 N(x; 0, tau^2)                  (Johnson and Rossell, JRSS B 72, 2010: non-local priors),
/// which vanishes at 0: an effect far below the noise is not what anybody bisects, and so the null hypothesis gathers
/// evidence as fast as its rivals. tau is averaged over kEffects, of which the widest are for what has next to no
/// noise, as sizes and counts. The drift is a Brownian motion over the measurements in their order, by its first kWaves
/// Karhunen-Loeve waves; how many sigma a square root of a measurement it goes is averaged over kDrifts.
///
/// Estimate. Variational Bayes (Faul and Tipping, A Variational Approach to Robust Regression, ICANN 2001): r_i, the
/// probability that nothing disturbed measurement i, and the conjugate regression that weighs it by r_i take turns; with
/// design X, R = diag(r), prior precision P (Gelman et al., Bayesian Data Analysis, 3rd ed., 14.8)
///   L = X'RX + P,  m = L^-1 X'Ry,  a_n = a_0 + (sum r - 1) / 2,  b_n = b_0 + (y'Ry - m'Lm) / 2,
///   log likelihood >= log |P|^1/2 |L|^-1/2 b_n^-a_n Gamma(a_n) (2 pi)^(-sum r / 2)
///                     - (n - sum r) log range + sum H(r_i) + log B(kDisturbed + n - sum r, kCalm + sum r),
/// times (m_d^2 a_n / b_n + (L^-1)_dd) / tau^2 for the moment prior. Of two starts (nothing is disturbed; all is that
/// lies far from the half-sample mode of its level) the better end counts; each effect's size goes on from where the
/// one before it ended.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace lab::stats {

inline constexpr std::size_t kWaves = 3;
/// Intercept, waves, and the level last: null is the same without it.
inline constexpr std::size_t kColumns = 2 + kWaves;
inline constexpr std::size_t kLevel = kColumns - 1;
using Row = std::array<double, kColumns>;

/// Measurements in their order.
class Measurements {
 public:
  /// As many `commits` as `log_values`.
  Measurements(std::vector<std::size_t> commits, std::vector<double> log_values);

  std::size_t size() const { return values_.size(); }
  std::size_t commit(std::size_t i) const { return commits_[i]; }
  double value(std::size_t i) const { return values_[i]; }  ///< less the mean of all
  double range() const { return range_; }                   ///< of disturbed ones
  /// Of the design, where `from` is the first commit of the new level (0: none is).
  Row row(std::size_t i, std::size_t from) const;

 private:
  std::vector<std::size_t> commits_;
  std::vector<double> values_;
  std::vector<Row> rows_;  ///< without the level
  double range_ = 0;
};

struct Fit {
  double log_likelihood = -std::numeric_limits<double>::infinity();  ///< up to what all hypotheses share
  double level = 0;                                                  ///< posterior mean of d
  double level_deviation = 0;                                        ///< its standard deviation
  double precision = 0;                                              ///< posterior mean of 1 / sigma^2
};

/// Of the hypothesis that commit `from` is the first of another level; 0: that there is one level.
Fit fit(const Measurements& data, std::size_t from);

}  // namespace lab::stats
