#include "harness/stats/culprit_fit.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

/// A component of the prior of the effect's size, in sigma.
struct EffectPrior {
  double tau;
  double probability;
};

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kNoiseShape = 0.5;
constexpr double kNoiseScale = 5e-4;
/// Scales of the drift: sigma per square root of a measurement; all equally likely.
constexpr std::array<double, 3> kDrifts{0.01, 0.1, 0.4};
/// Offsets of builds, in sigma of a measurement.
struct OffsetPrior {
  double lambda;
  double probability;
};
constexpr std::array<OffsetPrior, 5> kOffsets{{{0, 0.7}, {0.4, 0.075}, {1, 0.075}, {2.5, 0.075}, {10, 0.075}}};
/// Relative offsets: several times as much is rare.
constexpr double kUsualOffset = 0.03;
/// Effects of hundreds of sigma are rare but real: the size of an executable has no noise and may double.
constexpr std::array<EffectPrior, 4> kEffects{{{1, 0.49}, {4, 0.49}, {64, 0.01}, {1024, 0.01}}};
constexpr std::array<EffectPrior, 1> kNoEffect{{{1, 1}}};  ///< of the null hypothesis
constexpr double kNegligible = 8;  ///< nats: if a size explains the data so much worse, no larger one is tried
constexpr double kHopeless = 20;   ///< nats behind the likeliest hypothesis
constexpr double kDisturbed = 1, kInlier = 9;
constexpr double kLeastRange = std::numbers::ln2;
constexpr std::size_t kEnoughForModes = 5;  ///< measurements
constexpr double kFar = 3;                  ///< robust sigma, for the second start
constexpr int kSteps = 30;
constexpr double kConverged = 1e-2;  ///< nats
constexpr double kSameShare = 0.01;  ///< inlier probabilities that differ by less are equal
constexpr double kLeast = 1e-9;      ///< of a precision, so that the matrix stays invertible

constexpr double kNormalQuartile = 0.6744897501960817;

/// For each measurement, in order, the probability that it is an inlier.
using InlierShares = std::vector<double>;

double entropy(double p) {
  return p <= 0 || p >= 1 ? 0 : -p * std::log(p) - (1 - p) * std::log1p(-p);
}

struct Scales {
  double tau = 1, drift = 0, lambda = 0;
};

/// What the measurements of a build say about its offset u, in units of sigma: its precision, and the weighted sums
/// over its precision, so that u = value - row theta for given theta.
struct BuildOffset {
  double precision = 0;
  DesignRow row{};
  double value = 0;
};

/// The conjugate regression.
struct Posterior {
  DesignRow mean{};
  std::array<DesignRow, kColumns> root{};  ///< inverse of L's Cholesky factor: x'L^-1 x = |root x|^2
  double level_variance = 0;               ///< (L^-1)_dd
  double shape = 0;                        ///< a_n
  double scale = 0;                        ///< b_n
  double log_likelihood = 0;

  double precision() const { return shape / scale; }
  /// Expectation of (y - x theta - u)^2 / sigma^2.
  double distance(DesignRow x, double y, const BuildOffset& offset) const {
    double sum = 0;
    if (offset.precision > 0) {
      for (std::size_t j = 0; j < kColumns; ++j) x[j] -= offset.row[j];
      y -= offset.value;
      sum = 1 / offset.precision;
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
      y -= x[j] * mean[j];
      double along = 0;
      for (std::size_t k = 0; k <= j; ++k) along += root[j][k] * x[k];
      sum += along * along;
    }
    return sum + y * y * precision();
  }
};

struct NormalEquations {
  std::array<DesignRow, kColumns> matrix{};  ///< L, without the offsets
  DesignRow right{};                         ///< X'Ry
  double squares = 0;                        ///< y'Ry
  double total = 0;                          ///< sum r
  double offset_determinant = 0;             ///< sum log (lambda^2 p_g)
  std::vector<BuildOffset> offsets;          ///< by build
};

NormalEquations normal_equations(const Measurements& data, const InlierShares& inlier, std::size_t from,
                                 const Scales& scales) {
  NormalEquations sums;
  const auto count = static_cast<double>(std::max<std::size_t>(data.size(), 1));
  sums.matrix[0][0] = kLeast;
  for (std::size_t j = 0; j < kWaves; ++j) sums.matrix[1 + j][1 + j] = 1 / (scales.drift * scales.drift * count);
  sums.matrix[kLevel][kLevel] = 1 / (scales.tau * scales.tau);
  sums.offsets.resize(data.builds());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const DesignRow row = data.row(i, from);
    const double y = data.value(i);
    BuildOffset& offset = sums.offsets[data.build(i)];
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double weighted = inlier[i] * row[j];
      for (std::size_t k = 0; k <= j; ++k) sums.matrix[j][k] += weighted * row[k];
      sums.right[j] += weighted * y;
      offset.row[j] += weighted;
    }
    offset.value += inlier[i] * y;
    offset.precision += inlier[i];
    sums.squares += inlier[i] * y * y;
    sums.total += inlier[i];
  }
  if (scales.lambda <= 0) {
    std::ranges::fill(sums.offsets, BuildOffset{});
    return sums;
  }
  const double prior = 1 / (scales.lambda * scales.lambda);
  for (BuildOffset& offset : sums.offsets) {
    offset.precision += prior;
    sums.offset_determinant += std::log(offset.precision / prior);
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double share = offset.row[j] / offset.precision;
      for (std::size_t k = 0; k <= j; ++k) sums.matrix[j][k] -= share * offset.row[k];
      sums.right[j] -= share * offset.value;
    }
    sums.squares -= offset.value * offset.value / offset.precision;
    for (double& x : offset.row) x /= offset.precision;
    offset.value /= offset.precision;
  }
  return sums;
}

Posterior solve(const NormalEquations& sums, std::size_t columns) {
  Posterior result;
  std::array<DesignRow, kColumns> c{};  // L = C C'
  DesignRow z{};                        // C z = X'Ry, so that m'Lm = z'z
  double log_determinant = sums.offset_determinant, explained = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    double rest = sums.right[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double value = sums.matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) value -= c[i][k] * c[j][k];
      c[i][j] = i == j ? std::sqrt(std::max(value, 1e-300)) : value / c[j][j];
      if (j < i) rest -= c[i][j] * z[j];
    }
    z[i] = rest / c[i][i];
    explained += z[i] * z[i];
    log_determinant += 2 * std::log(c[i][i]);
  }
  for (std::size_t i = columns; i-- > 0;) {
    double rest = z[i];
    for (std::size_t k = i + 1; k < columns; ++k) rest -= c[k][i] * result.mean[k];
    result.mean[i] = rest / c[i][i];
  }
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = j; i < columns; ++i) {
      double value = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) value -= c[i][k] * result.root[k][j];
      result.root[i][j] = value / c[i][i];
    }
  result.level_variance = result.root[kLevel][kLevel] * result.root[kLevel][kLevel];
  result.shape = kNoiseShape + std::max(0.0, sums.total - 1) / 2;
  result.scale = kNoiseShape * kNoiseScale * kNoiseScale + std::max(0.0, sums.squares - explained) / 2;
  result.log_likelihood = -log_determinant / 2 - result.shape * std::log(result.scale) + std::lgamma(result.shape) -
                          sums.total / 2 * std::log(2 * std::numbers::pi);
  return result;
}

/// Updates regression and inlier probabilities in turn until the bound converges. `inlier` holds the start values, then
/// the result.
Fit fit_from(const Measurements& data, InlierShares& inlier, std::size_t from, const Scales& scales) {
  Fit result;
  double before = kNever;
  for (int step = 0;; ++step) {
    const NormalEquations sums = normal_equations(data, inlier, from, scales);
    const Posterior posterior = solve(sums, from == 0 ? kLevel : kColumns);
    const double total = std::accumulate(inlier.begin(), inlier.end(), 0.0);
    const double rest = static_cast<double>(data.size()) - total;
    double bound = posterior.log_likelihood - rest * std::log(data.range()) +
                   std::log(boost::math::beta(kDisturbed + rest, kInlier + total));
    for (const double share : inlier) bound += entropy(share);
    result.precision = posterior.precision();
    result.level = posterior.mean[kLevel];
    result.level_deviation = std::sqrt(posterior.level_variance / result.precision);
    result.log_likelihood = bound;
    if (step == kSteps || bound - before < kConverged) break;
    before = bound;
    const double odds = boost::math::digamma(kInlier + total) - boost::math::digamma(kDisturbed + rest) +
                        std::log(data.range()) +
                        (boost::math::digamma(posterior.shape) - std::log(2 * std::numbers::pi * posterior.scale)) / 2;
    for (std::size_t i = 0; i < data.size(); ++i)
      inlier[i] =
          1 /
          (1 + std::exp(posterior.distance(data.row(i, from), data.value(i), sums.offsets[data.build(i)]) / 2 - odds));
  }
  // The term of the waves' prior: log |P|^1/2.
  result.log_likelihood -= static_cast<double>(kWaves) * std::log(scales.drift);
  if (from == 0) return result;
  const double effect = result.level * result.level + result.level_deviation * result.level_deviation;
  result.log_likelihood += std::log(effect * result.precision) - 3 * std::log(scales.tau);
  return result;
}

/// Half-sample mode (Bickel and Fruehwirth, Computational Statistics & Data Analysis 50, 2006): repeatedly
/// keeps the half of the values that lies closest together.
double mode(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t first = 0;
  for (std::size_t count = values.size(); count > 2;) {
    const std::size_t half = (count + 1) / 2;
    std::size_t best = first;
    for (std::size_t i = first; i + half <= first + count; ++i)
      if (values[i + half - 1] - values[i] < values[best + half - 1] - values[best]) best = i;
    first = best;
    if (half == count) break;
    count = half;
  }
  return (values[first] + values[std::min(first + 1, values.size() - 1)]) / 2;
}

/// 1 for measurements near the mode of their level, 0 for all others.
InlierShares near_modes(const Measurements& data, std::size_t from) {
  const auto side = [&](std::size_t i) { return from > 0 && data.commit(i) >= from ? 1u : 0u; };
  std::array<std::vector<double>, 2> sides;
  for (std::size_t i = 0; i < data.size(); ++i) sides[side(i)].push_back(data.value(i));
  std::array<double, 2> modes{};
  for (std::size_t s = 0; s < 2; ++s)
    if (!sides[s].empty()) modes[s] = mode(sides[s]);
  std::vector<double> distances;
  for (std::size_t i = 0; i < data.size(); ++i) distances.push_back(std::abs(data.value(i) - modes[side(i)]));
  const double sigma = std::max(quantile(distances, 0.25) / kNormalQuartile, kNoiseScale);
  InlierShares inlier;
  for (const double distance : distances) inlier.push_back(distance < kFar * sigma ? 1 : 0);
  return inlier;
}

/// Whether two starts have led to the same fit.
bool are_equal(const InlierShares& a, const InlierShares& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > kSameShare) return false;
  return true;
}

/// The best fit of all `starts`, each of which is replaced by its result.
Fit best_of(const Measurements& data, std::vector<InlierShares>& starts, std::size_t from, const Scales& scales) {
  Fit best;
  for (InlierShares& start : starts) {
    const Fit found = fit_from(data, start, from, scales);
    if (found.log_likelihood > best.log_likelihood) best = found;
  }
  if (starts.size() == 2 && are_equal(starts[0], starts[1])) starts.pop_back();
  return best;
}

/// The fits of all sizes of an effect, from the smallest on, each with its log likelihood times its prior.
std::vector<Fit> fits_of(const Measurements& data, std::vector<InlierShares> starts, std::size_t from,
                         const FitScales& at) {
  std::vector<Fit> fits;
  double top = kNever;
  const OffsetPrior& offset = kOffsets[at.offset];
  for (const EffectPrior& effect : from == 0 ? std::span<const EffectPrior>(kNoEffect) : kEffects) {
    Fit& found = fits.emplace_back(best_of(data, starts, from, {effect.tau, kDrifts[at.drift], offset.lambda}));
    found.log_likelihood += std::log(effect.probability) + std::log(offset.probability);
    found.offset = offset.lambda;
    const double relative = offset.lambda / std::sqrt(found.precision) / kUsualOffset;
    found.log_likelihood -= 2 * std::log1p(relative * relative);
    found.likeliest = at;
    if (found.log_likelihood < top - kNegligible) break;
    top = std::max(top, found.log_likelihood);
  }
  return fits;
}

/// The average of `fits` over their likelihoods.
Fit mean_of(std::span<const Fit> fits) {
  const Fit& best = *std::ranges::max_element(fits, {}, &Fit::log_likelihood);
  Fit mean;
  mean.likeliest = best.likeliest;
  double total = 0;
  for (const Fit& each : fits) {
    const double share = std::exp(each.log_likelihood - best.log_likelihood);
    total += share;
    mean.level += share * each.level;
    mean.level_deviation += share * each.level_deviation;
    mean.precision += share * each.precision;
    mean.offset += share * each.offset * each.offset;
  }
  mean.level /= total;
  mean.level_deviation /= total;
  mean.precision /= total;
  mean.offset = std::sqrt(mean.offset / total);
  mean.log_likelihood = best.log_likelihood + std::log(total);
  return mean;
}

}  // namespace

Measurements::Measurements(std::vector<std::size_t> commits, std::vector<std::size_t> builds,
                           std::vector<double> log_values)
    : commits_(std::move(commits)), builds_(std::move(builds)), values_(std::move(log_values)), range_(kLeastRange) {
  if (values_.empty()) return;
  build_count_ = *std::ranges::max_element(builds_) + 1;
  const auto count = static_cast<double>(values_.size());
  const double mean = std::accumulate(values_.begin(), values_.end(), 0.0) / count;
  for (double& value : values_) value -= mean;
  const auto [least, most] = std::minmax_element(values_.begin(), values_.end());
  range_ = std::max(range_, *most - *least);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    DesignRow& row = rows_.emplace_back();
    row[0] = 1;
    const double when = (static_cast<double>(i) + 0.5) / count;
    for (std::size_t j = 0; j < kWaves; ++j) {
      const double frequency = (static_cast<double>(j) + 0.5) * std::numbers::pi;
      row[1 + j] = std::numbers::sqrt2 * std::sin(frequency * when) / frequency;
    }
  }
}

DesignRow Measurements::row(std::size_t i, std::size_t from) const {
  DesignRow row = rows_[i];
  row[kLevel] = from > 0 && commits_[i] >= from ? 1 : 0;
  return row;
}

Fit fit(const Measurements& data, std::size_t from, const FitRival& rival) {
  std::vector<InlierShares> starts{InlierShares(data.size(), 1.0)};
  if (data.size() >= kEnoughForModes) starts.push_back(near_modes(data, from));
  if (rival.log_likelihood > kNever) {
    const Fit glimpse = mean_of(fits_of(data, starts, from, rival.scales));
    if (glimpse.log_likelihood < rival.log_likelihood - kHopeless) return glimpse;
  }
  std::vector<Fit> fits;
  for (std::size_t drift = 0; drift < kDrifts.size(); ++drift)
    for (std::size_t offset = 0; offset < kOffsets.size(); ++offset) {
      const std::vector<Fit> more = fits_of(data, starts, from, {drift, offset});
      fits.insert(fits.end(), more.begin(), more.end());
    }
  return mean_of(fits);
}

}  // namespace lab::stats
