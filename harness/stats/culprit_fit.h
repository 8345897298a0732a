/// The likelihood of "commits from k on have another level", given noisy measurements of which some are disturbed.
///
/// Model. y = log of a measurement. With probability 1 - q it is an inlier:
///   a + d [commit >= k] + u[build] + drift(t) + sigma e,   e normal;
/// e counts what rounding hides, if the values are rounded: y y in the equations below is y^2 and the square of half a
/// unit of the values. Else equal values, of which three are common, would look like no noise, and a value one unit
/// away like another level. The unit is the larger of the printed one, the largest power of ten of which all values are
/// multiples, and of a clock's tick: the smallest step between different values, once a commit has shown two of them.
/// u is the offset that a build has because of its layout of code and data, and keeps however often it is measured:
/// u = lambda sigma times a normal number of its own, with lambda averaged over kOffsets, 0 among them; its prior is
/// multiplied by (1 + (lambda s / kUsualOffset)^2)^-2 at the estimate s of sigma. What builds on the same side of k
/// have in common says how large it is (Mytkowicz et al., Producing Wrong Data Without Doing Anything Obviously Wrong!,
/// ASPLOS 2009: layout alone moves times by several per cent). With probability q it is disturbed and uniform over
/// `range`: load of other programs, at times in more than half of all processes. Priors: q Beta(kDisturbed, kInlier); a
/// flat; sigma^2 IG(kNoiseShape, kNoiseShape kNoiseScale^2); for x = d / sigma the moment prior
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
/// with u eliminated: with weight w_g = sum of r over the measurements of build g and p_g = w_g + 1 / lambda^2, the
/// products X'RX, X'Ry and y'Ry each lose their part along g over p_g, and the likelihood gains
/// -1/2 sum log (lambda^2 p_g);
/// times (m_d^2 a_n / b_n + (L^-1)_dd) / tau^2 for the moment prior. The better result of two starts counts: no
/// measurement is disturbed; or all are that lie far from the half-sample mode of their level. Each further size of
/// kEffects starts from the result of the previous one. kOffsets' larger sizes are left out for a drift at which a
/// smaller one explains the data worse than one before it and hopelessly worse than the best known fit.
///
/// Speed. A bisect of hundreds of commits needs this for tens of hypotheses after every measurement. So all sums that
/// depend on r alone are made once for r, and shared by the scales; and sums, distances and e^x are computed in pairs.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace lab::stats {

inline constexpr std::size_t kWaves = 3;

/// Two numbers that the processor handles at once.
using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;

/// Measurements, those of a build next to each other and by commit.
class Measurements {
 public:
  /// What of a measurement is summed, weighted with its probability to be an inlier.
  enum Summand : std::size_t { kOne, kWave, kValue = kWave + kWaves, kSquare, kWaveWave, kWaveValue = kWaveWave + 6 };
  static constexpr std::size_t kSummandPairs = (kWaveValue + kWaves + 1) / 2;
  static constexpr std::size_t kBuildPairs = kWaveWave / 2;  ///< the first, which are summed for each build
  using Summands = std::array<Pair, kSummandPairs>;

  /// Measurements `first`..`last` - 1.
  struct Build {
    std::size_t first, last;
  };

  /// As many `commits` and `builds` as `log_values`, in the order of measuring. Builds are numbered from 0, each has a
  /// measurement; those of equal number share an offset. `shifts`: what is taken from each value (two_levels.h); {}:
  /// nothing.
  Measurements(const std::vector<std::size_t>& commits, const std::vector<std::size_t>& builds,
               const std::vector<double>& log_values, const std::vector<double>& shifts = {});

  std::size_t size() const { return commits_.size(); }
  std::size_t commit(std::size_t i) const { return commits_[i]; }
  const std::vector<Build>& builds() const { return builds_; }
  /// Less the mean of all. There is a zero after the last one, so that all can be read in pairs.
  const double* values() const { return values_.data(); }
  /// Column `j` < kWaves of the design; as `values`.
  const double* wave(std::size_t j) const { return waves_[j].data(); }
  const Summands& summands(std::size_t i) const { return summands_[i]; }
  double range() const { return range_; }  ///< of disturbed measurements
  double unit() const { return unit_; }    ///< that the values are rounded to, relative

 private:
  std::vector<std::size_t> commits_;
  std::vector<Build> builds_;
  std::vector<double> values_;
  std::array<std::vector<double>, kWaves> waves_;
  std::vector<Summands> summands_;
  double range_ = 0;
  double unit_ = 0;
};

/// One combination of the scales that the likelihood is averaged over.
struct FitScales {
  std::size_t drift = 0, offset = 0;  ///< indices
};

struct Fit {
  double log_likelihood = -std::numeric_limits<double>::infinity();  ///< up to a constant that all hypotheses share
  double level = 0;                                                  ///< posterior mean of d
  double level_deviation = 0;                                        ///< its standard deviation
  double precision = 0;                                              ///< posterior mean of 1 / sigma^2
  double offset = 0;                                                 ///< posterior root mean square of lambda
  FitScales likeliest;
};

/// The likeliest fit of another hypothesis on the same data, which spares the full fit of a hopeless one.
struct FitRival {
  double log_likelihood = -std::numeric_limits<double>::infinity();
  FitScales scales;
};

/// Fits the hypothesis that commit `from` is the first of another level; 0: that there is one level. If it is less
/// likely than `rival` by e^-20 at the rival's scales, the fit at these is all there is.
Fit fit(const Measurements& data, std::size_t from, const FitRival& rival = {});

}  // namespace lab::stats
