/// The likelihood of "commits from k on have another level", given noisy measurements of which some are disturbed.
///
/// Model. y = log of a measurement. With probability 1 - q it is an inlier:
///   a + d [commit >= k] + drift(t) + sigma e,   e normal;
/// with probability q it is disturbed and uniform over `range`: load of other programs, at times in more than half of
/// all processes. Priors: q Beta(kDisturbed, kInlier); a flat; sigma^2 IG(kNoiseShape, kNoiseShape kNoiseScale^2); for
/// x = d / sigma the moment prior
///   x^2 / tau^2 N(x; 0, tau^2)                  (Johnson and Rossell, JRSS B 72, 2010: non-local priors),
/// which vanishes at 0: nobody bisects an effect far below the noise, and with this prior evidence for the null
/// hypothesis grows as fast as against it. tau is averaged over kEffects; its widest values are for numbers with almost
/// no noise, such as sizes and counts. The drift is a Brownian motion over the order of the measurements, approximated
/// by its first kWaves Karhunen-Loeve terms. Its scale, in sigma per square root of a measurement, is averaged over
/// kDrifts.
///
/// Estimate. Variational Bayes (Faul and Tipping, A Variational Approach to Robust Regression, ICANN 2001): r_i, the
/// probability that measurement i is an inlier, and the conjugate regression with weights r_i are updated in turn; with
/// design X, R = diag(r), prior precision P (Gelman et al., Bayesian Data Analysis, 3rd ed., 14.8)
///   L = X'RX + P,  m = L^-1 X'Ry,  a_n = a_0 + (sum r - 1) / 2,  b_n = b_0 + (y'Ry - m'Lm) / 2,
///   log likelihood >= log |P|^1/2 |L|^-1/2 b_n^-a_n Gamma(a_n) (2 pi)^(-sum r / 2)
///                     - (n - sum r) log range + sum H(r_i) + log B(kDisturbed + n - sum r, kInlier + sum r),
/// times (m_d^2 a_n / b_n + (L^-1)_dd) / tau^2 for the moment prior. The better result of two starts counts: no
/// measurement is disturbed; or all are that lie far from the half-sample mode of their level. Each further size of
/// kEffects starts from the result of the previous one.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace lab::stats {

inline constexpr std::size_t kWaves = 3;
/// Columns: intercept, waves, and the level last. The null hypothesis omits the last.
inline constexpr std::size_t kColumns = 2 + kWaves;
inline constexpr std::size_t kLevel = kColumns - 1;
using DesignRow = std::array<double, kColumns>;

/// Measurements in their order.
class Measurements {
 public:
  /// As many `commits` as `log_values`.
  Measurements(std::vector<std::size_t> commits, std::vector<double> log_values);

  std::size_t size() const { return values_.size(); }
  std::size_t commit(std::size_t i) const { return commits_[i]; }
  double value(std::size_t i) const { return values_[i]; }  ///< less the mean of all
  double range() const { return range_; }                   ///< of disturbed measurements
  /// A row of the design matrix; `from` is the first commit of the new level (0: none).
  DesignRow row(std::size_t i, std::size_t from) const;

 private:
  std::vector<std::size_t> commits_;
  std::vector<double> values_;
  std::vector<DesignRow> rows_;  ///< without the level
  double range_ = 0;
};

struct Fit {
  double log_likelihood = -std::numeric_limits<double>::infinity();  ///< up to a constant that all hypotheses share
  double level = 0;                                                  ///< posterior mean of d
  double level_deviation = 0;                                        ///< its standard deviation
  double precision = 0;                                              ///< posterior mean of 1 / sigma^2
};

/// Fits the hypothesis that commit `from` is the first of another level; 0: that there is one level.
Fit fit(const Measurements& data, std::size_t from);

}  // namespace lab::stats
