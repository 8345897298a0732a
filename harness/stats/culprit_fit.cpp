#include "harness/stats/culprit_fit.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "harness/stats/culprit_prior.h"
#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
/// Of the values: the largest unit that they are taken to be rounded to without a sign of a tick, and if all are equal.
constexpr double kCoarsest = 0.1, kCoarsestEqual = 0.01;
constexpr int kMostDigits = 10;
constexpr std::array<EffectPrior, 1> kNoEffect{{{1, 1}}};  ///< of the null hypothesis
constexpr double kNegligible = 8;           ///< nats: if a size explains the data so much worse, no larger one is tried
constexpr double kHopeless = 20;            ///< nats behind the likeliest hypothesis
constexpr std::size_t kEnoughForModes = 5;  ///< measurements
/// A decline of the likelihood from one offset to the next continues if there are so many measurements, and if no size
/// of an effect so large was skipped.
constexpr std::size_t kEnoughForDecline = 30;
constexpr double kLargeEffect = 16;  ///< sigma
constexpr double kFar = 3;           ///< robust sigma, for the second start
constexpr int kSteps = 30;
constexpr double kConverged = 1e-2;  ///< nats
constexpr double kSameShare = 0.01;  ///< inlier probabilities that differ by less are equal

constexpr double kNormalQuartile = 0.6744897501960817;

/// Columns: intercept, waves, and the level last. The null hypothesis omits the last.
constexpr std::size_t kColumns = 2 + kWaves;
constexpr std::size_t kLevel = kColumns - 1;
using DesignRow = std::array<double, kColumns>;

struct Scales {
  double tau = 1, drift = 0, lambda = 0;
};

Pair load(const double* from) {
  Pair result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

void store(Pair value, double* to) {
  std::memcpy(to, &value, sizeof(value));
}

/// Calls `body` with each of the constants 0..kCount - 1: GCC does not unroll small loops within loops at -O2.
template <std::size_t kCount, typename Body>
void unroll(const Body& body) {
  [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
    (body.template operator()<kIndices>(), ...);
  }
  (std::make_index_sequence<kCount>());
}

constexpr Pair both(double value) {
  return Pair{value, value};
}

/// exp(x) for |x| <= kLargeExponent, to 1e-15. The same on all machines.
constexpr double kLargeExponent = 40;
Pair exponential(Pair x) {
  // x = k ln 2 + rest. Adding kShift leaves k in the lowest bits of the mantissa.
  constexpr double kShift = 0x1.8p52;
  constexpr double kHigh = 0x1.62e42fee00000p-1, kLow = 0x1.a39ef35793c76p-33;  // ln 2
  const Pair shifted = x * std::numbers::log2e + kShift;
  const Pair k = shifted - kShift;
  const Pair rest = x - k * kHigh - k * kLow;
  constexpr std::array<double, 13> kInverseFactorials{
      1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,      1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};
  Pair sum = both(kInverseFactorials.back());
  unroll<kInverseFactorials.size() - 1>(
      [&]<std::size_t i>() { sum = sum * rest + kInverseFactorials[kInverseFactorials.size() - 2 - i]; });
  using Bits [[gnu::vector_size(sizeof(Pair))]] = std::int64_t;
  Bits bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + 1023) << 52;
  Pair power;
  std::memcpy(&power, &bits, sizeof(power));
  return sum * power;
}

/// Commits from `from` on have another level; 0: there is one level.
struct Hypothesis {
  Hypothesis(const Measurements& measurements, std::size_t commit) : data(measurements), from(commit) {
    for (const Measurements::Build& build : data.builds()) {
      std::size_t& split = splits.emplace_back(build.first);
      while (split < build.last && !is_changed(split)) ++split;
    }
  }
  bool is_null() const { return from == 0; }
  bool is_changed(std::size_t i) const { return from > 0 && data.commit(i) >= from; }

  const Measurements& data;
  std::size_t from;
  std::vector<std::size_t> splits;  ///< by build: the first measurement of the other level, else the end
};

/// For each measurement the probability that it is an inlier, and what follows from these alone.
struct Weights {
  struct BuildSums {
    std::array<Pair, Measurements::kBuildPairs> all{};
    double changed = 0;  ///< sum r of the measurements of the other level
  };
  Measurements::Summands all{};
  std::array<Pair, Measurements::kBuildPairs> changed{};  ///< sums over the measurements of the other level
  std::vector<BuildSums> builds;
  std::vector<double> shares;  ///< and one more, so that all can be written in pairs
  double entropy = 0;

  double total() const { return all[0][0]; }
  void sum(const Hypothesis& hypothesis);
};

void Weights::sum(const Hypothesis& hypothesis) {
  constexpr std::size_t kOfBuild = Measurements::kBuildPairs;
  const Measurements& data = hypothesis.data;
  builds.resize(data.builds().size());
  changed = {};
  Measurements::Summands total{};
  for (std::size_t g = 0; g < builds.size(); ++g) {
    const Measurements::Build& build = data.builds()[g];
    std::array<Pair, kOfBuild> before{}, after{};
    const auto add = [&](std::size_t i, std::array<Pair, kOfBuild>& of_build) {
      const Measurements::Summands& summands = data.summands(i);
      const double share = shares[i];
      for (std::size_t k = 0; k < kOfBuild; ++k) of_build[k] += share * summands[k];
      for (std::size_t k = kOfBuild; k < total.size(); ++k) total[k] += share * summands[k];
    };
    for (std::size_t i = build.first; i < hypothesis.splits[g]; ++i) add(i, before);
    for (std::size_t i = hypothesis.splits[g]; i < build.last; ++i) add(i, after);
    for (std::size_t k = 0; k < kOfBuild; ++k) {
      builds[g].all[k] = before[k] + after[k];
      total[k] += builds[g].all[k];
      changed[k] += after[k];
    }
    builds[g].changed = after[0][0];
  }
  all = total;
}

/// A number for each column, then one for the value.
constexpr std::size_t kValueColumn = kColumns;
constexpr std::size_t kRowPairs = (kColumns + 1) / 2;
using WideRow = std::array<Pair, kRowPairs>;

/// What the measurements of a build say about its offset u, in units of sigma: its variance, and the weighted sums
/// over its precision, so that u = value - row theta for given theta.
struct BuildOffset {
  double variance = 0;
  WideRow row{};
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
};

struct NormalEquations {
  std::array<WideRow, kColumns + 1> matrix{};  ///< up to the diagonal: L; then X'Ry and y'Ry, all without the offsets
  double total = 0;                            ///< sum r
  double offset_determinant = 0;               ///< sum log (lambda^2 p_g)

  double at(std::size_t row, std::size_t column) const { return matrix[row][column / 2][column % 2]; }
};

/// `offsets`: by build; unused if there are none.
NormalEquations normal_equations(const Measurements& data, const Weights& weights, const Scales& scales,
                                 std::vector<BuildOffset>& offsets) {
  using M = Measurements;
  NormalEquations sums;
  const auto set = [&](std::size_t row, std::size_t column, double value) {
    sums.matrix[row][column / 2][column % 2] = value;
  };
  const auto all = [&](std::size_t summand) { return weights.all[summand / 2][summand % 2]; };
  const auto changed = [&](std::size_t summand) { return weights.changed[summand / 2][summand % 2]; };
  const auto count = static_cast<double>(std::max<std::size_t>(data.size(), 1));
  set(0, 0, kLeast + all(M::kOne));
  set(kValueColumn, 0, all(M::kValue));
  std::size_t product = M::kWaveWave;
  for (std::size_t j = 0; j < kWaves; ++j) {
    set(1 + j, 0, all(M::kWave + j));
    for (std::size_t k = 0; k < j; ++k) set(1 + j, 1 + k, all(product++));
    set(1 + j, 1 + j, all(product++) + 1 / (scales.drift * scales.drift * count));
    set(kLevel, 1 + j, changed(M::kWave + j));
    set(kValueColumn, 1 + j, all(M::kWaveValue + j));
  }
  set(kLevel, 0, changed(M::kOne));
  set(kLevel, kLevel, changed(M::kOne) + 1 / (scales.tau * scales.tau));
  set(kValueColumn, kLevel, changed(M::kValue));
  set(kValueColumn, kValueColumn, all(M::kSquare));
  sums.total = all(M::kOne);
  if (scales.lambda <= 0) return sums;
  const double squared = scales.lambda * scales.lambda;
  double ratios = 1;
  std::array<WideRow, kColumns + 1> matrix = sums.matrix;
  for (std::size_t g = 0; g < weights.builds.size(); ++g) {
    const Weights::BuildSums& build = weights.builds[g];
    const double ratio = 1 + squared * build.all[0][0];
    ratios *= ratio;
    if (ratios > 1e200) sums.offset_determinant += std::log(std::exchange(ratios, 1));
    const double variance = squared / ratio;
    const WideRow row{build.all[0], build.all[1], Pair{build.changed, build.all[2][0]}};
    unroll<kColumns + 1>([&]<std::size_t j>() {
      const double share = variance * row[j / 2][j % 2];
      unroll<j / 2 + 1>([&]<std::size_t k>() { matrix[j][k] -= share * row[k]; });
    });
    offsets[g].variance = variance;
    unroll<kRowPairs>([&]<std::size_t k>() { offsets[g].row[k] = variance * row[k]; });
  }
  sums.matrix = matrix;
  sums.offset_determinant += std::log(ratios);
  return sums;
}

/// The first `kCount` columns.
template <std::size_t kCount>
Posterior solve(const NormalEquations& sums) {
  Posterior result;
  std::array<DesignRow, kColumns> c{};  // L = C C'
  DesignRow inverse{};                  // of C's diagonal
  DesignRow z{};                        // C z = X'Ry, so that m'Lm = z'z
  double log_determinant = sums.offset_determinant, explained = 0;
  unroll<kCount>([&]<std::size_t i>() {
    double rest = sums.at(kValueColumn, i), square = sums.at(i, i);
    unroll<i>([&]<std::size_t j>() {
      double value = sums.at(i, j);
      unroll<j>([&]<std::size_t k>() { value -= c[i][k] * c[j][k]; });
      c[i][j] = value * inverse[j];
      rest -= c[i][j] * z[j];
      square -= c[i][j] * c[i][j];
    });
    square = std::max(square, 1e-300);
    inverse[i] = 1 / std::sqrt(square);
    z[i] = rest * inverse[i];
    explained += z[i] * z[i];
    log_determinant += std::log(square);
  });
  unroll<kCount>([&]<std::size_t from_last>() {
    constexpr std::size_t i = kCount - 1 - from_last;
    double rest = z[i];
    unroll<from_last>([&]<std::size_t k>() { rest -= c[i + 1 + k][i] * result.mean[i + 1 + k]; });
    result.mean[i] = rest * inverse[i];
  });
  unroll<kCount>([&]<std::size_t j>() {
    result.root[j][j] = inverse[j];
    unroll<kCount - 1 - j>([&]<std::size_t below>() {
      constexpr std::size_t i = j + 1 + below;
      double value = 0;
      unroll<below + 1>([&]<std::size_t k>() { value -= c[i][j + k] * result.root[j + k][j]; });
      result.root[i][j] = value * inverse[i];
    });
  });
  result.level_variance = result.root[kLevel][kLevel] * result.root[kLevel][kLevel];
  result.shape = kNoiseShape + std::max(0.0, sums.total - 1) / 2;
  const double squares = sums.at(kValueColumn, kValueColumn);
  result.scale = kNoiseShape * kNoiseScale * kNoiseScale + std::max(0.0, squares - explained) / 2;
  result.log_likelihood = -log_determinant / 2 - result.shape * std::log(result.scale) + std::lgamma(result.shape) -
                          sums.total / 2 * std::log(2 * std::numbers::pi);
  return result;
}

/// The expectations of (y - x theta - u)^2 / (2 sigma^2) less `odds` of all measurements, into `result`.
void half_distances(const Hypothesis& hypothesis, const Posterior& posterior, const std::vector<BuildOffset>& offsets,
                    double odds, double* result) {
  static_assert(kWaves == 3);
  const Measurements& data = hypothesis.data;
  // All halves of squares are squares of numbers smaller by this.
  constexpr double kHalf = 1 / std::numbers::sqrt2;
  const double precision = kHalf * std::sqrt(posterior.precision());
  std::array<DesignRow, kColumns> root = posterior.root;
  for (DesignRow& row : root)
    for (double& x : row) x *= kHalf;
  DesignRow mean = posterior.mean;
  for (double& x : mean) x *= precision;
  // What a unit of each column, and of the value, adds to root x and to the residual.
  std::array<WideRow, kColumns + 1> units{};
  for (std::size_t j = 0; j < kColumns; ++j) {
    for (std::size_t i = j; i < kColumns; ++i) units[j][i / 2][i % 2] = root[i][j];
    units[j][kValueColumn / 2][kValueColumn % 2] = -mean[j];
  }
  units[kValueColumn][kValueColumn / 2][kValueColumn % 2] = precision;
  // Only waves and value change within a part of a build; what the others contribute:
  struct Constants {
    WideRow along;
    double rest;
  };
  const auto constants_of = [&](const BuildOffset& offset) {
    WideRow along = units[0];
    unroll<kColumns + 1>([&]<std::size_t j>() {
      const double x = offset.row[j / 2][j % 2];
      unroll<kRowPairs - j / 2>([&]<std::size_t k>() { along[j / 2 + k] -= x * units[j][j / 2 + k]; });
    });
    return Constants{along, offset.variance / 2 - odds + along[0][0] * along[0][0]};
  };
  const auto part = [&](const Constants& constants, std::size_t first, std::size_t last) {
    // An odd last one writes one result too many; the next part overwrites it.
    for (std::size_t i = first; i < last; i += 2) {
      const Pair a = load(data.wave(0) + i), b = load(data.wave(1) + i), c = load(data.wave(2) + i);
      const Pair residual =
          precision * load(data.values() + i) + constants.along[2][1] - mean[1] * a - mean[2] * b - mean[3] * c;
      const Pair first_wave = constants.along[0][1] + root[1][1] * a;
      const Pair second_wave = constants.along[1][0] + root[2][1] * a + root[2][2] * b;
      const Pair third_wave = constants.along[1][1] + root[3][1] * a + root[3][2] * b + root[3][3] * c;
      const Pair level = constants.along[2][0] + root[4][1] * a + root[4][2] * b + root[4][3] * c;
      store(constants.rest + residual * residual + first_wave * first_wave + second_wave * second_wave +
                third_wave * third_wave + level * level,
            result + i);
    }
  };
  Constants constants = constants_of({});
  for (std::size_t g = 0; g < data.builds().size(); ++g) {
    const Measurements::Build& build = data.builds()[g];
    if (!offsets.empty()) constants = constants_of(offsets[g]);
    part(constants, build.first, hypothesis.splits[g]);
    if (hypothesis.splits[g] == build.last) continue;
    Constants changed = constants;
    changed.along[kLevel / 2] += units[kLevel][kLevel / 2];
    part(changed, hypothesis.splits[g], build.last);
  }
}

/// Replaces each of `shares`, the logarithm x of the odds of a disturbance, by the probability of an inlier,
/// 1 / (1 + e^x). Returns the sum of their entropies. The last one, which is no measurement's, becomes arbitrary.
double inlier_shares(std::vector<double>& shares) {
  Pair sum{}, product = both(1);
  constexpr std::size_t kFactors = 16;  // (1 + e^kLargeExponent)^kFactors is finite
  shares.back() = kLargeExponent;       // without entropy
  const std::size_t size = shares.size() - 1;
  for (std::size_t i = 0; i < size; i += 2) {
    Pair x = load(&shares[i]);
    x = x > kLargeExponent ? both(kLargeExponent) : x;
    x = x < -kLargeExponent ? both(-kLargeExponent) : x;
    const Pair odds = exponential(x);
    const Pair share = 1 / (1 + odds);
    // The entropy: log(1 + e^x) - (1 - share) x
    sum -= odds * share * x;
    product *= 1 + odds;
    store(share, &shares[i]);
    if (i / 2 % kFactors == kFactors - 1 || i + 2 >= size) {
      sum += Pair{std::log(product[0]), std::log(product[1])};
      product = both(1);
    }
  }
  return sum[0] + sum[1];
}

/// Updates regression and inlier probabilities in turn until the bound converges. `weights` holds the start values,
/// then the result.
Fit fit_from(const Hypothesis& hypothesis, Weights& weights, const Scales& scales) {
  using Fast = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const Measurements& data = hypothesis.data;
  const auto count = static_cast<double>(data.size());
  const double log_range = std::log(data.range());
  const double log_gamma_of_all = std::lgamma(kDisturbed + kInlier + count);
  Fit result;
  double before = kNever;
  std::vector<BuildOffset> offsets(scales.lambda > 0 ? data.builds().size() : 0);
  for (int step = 0;; ++step) {
    const NormalEquations sums = normal_equations(data, weights, scales, offsets);
    const Posterior posterior = hypothesis.is_null() ? solve<kLevel>(sums) : solve<kColumns>(sums);
    const double total = weights.total(), rest = count - total;
    const double bound = posterior.log_likelihood - rest * log_range + std::lgamma(kDisturbed + rest) +
                         std::lgamma(kInlier + total) - log_gamma_of_all + weights.entropy;
    result.precision = posterior.precision();
    result.level = posterior.mean[kLevel];
    result.level_deviation = std::sqrt(posterior.level_variance / result.precision);
    result.log_likelihood = bound;
    if (step == kSteps || bound - before < kConverged) break;
    before = bound;
    const double odds =
        boost::math::digamma(kInlier + total, Fast()) - boost::math::digamma(kDisturbed + rest, Fast()) + log_range +
        (boost::math::digamma(posterior.shape, Fast()) - std::log(2 * std::numbers::pi * posterior.scale)) / 2;
    half_distances(hypothesis, posterior, offsets, odds, weights.shares.data());
    weights.entropy = inlier_shares(weights.shares);
    weights.sum(hypothesis);
  }
  // The term of the waves' prior: log |P|^1/2.
  result.log_likelihood -= static_cast<double>(kWaves) * std::log(scales.drift);
  if (hypothesis.is_null()) return result;
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

Weights weights_of(const Hypothesis& hypothesis, std::vector<double> shares) {
  Weights result;
  result.shares = std::move(shares);
  result.shares.resize(hypothesis.data.size() + 1);
  result.sum(hypothesis);
  return result;
}

/// 1 for measurements near the mode of their level, 0 for all others.
std::vector<double> near_modes(const Hypothesis& hypothesis) {
  const std::span<const double> values(hypothesis.data.values(), hypothesis.data.size());
  const auto side = [&](std::size_t i) { return hypothesis.is_changed(i) ? 1u : 0u; };
  std::array<std::vector<double>, 2> sides;
  for (std::size_t i = 0; i < values.size(); ++i) sides[side(i)].push_back(values[i]);
  std::array<double, 2> modes{};
  for (std::size_t s = 0; s < 2; ++s)
    if (!sides[s].empty()) modes[s] = mode(sides[s]);
  std::vector<double> distances;
  for (std::size_t i = 0; i < values.size(); ++i) distances.push_back(std::abs(values[i] - modes[side(i)]));
  const double sigma = std::max(quantile(distances, 0.25) / kNormalQuartile, kNoiseScale);
  std::vector<double> inlier;
  for (const double distance : distances) inlier.push_back(distance < kFar * sigma ? 1 : 0);
  return inlier;
}

/// Whether two starts have led to the same fit.
bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i + 1 < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > kSameShare) return false;
  return true;
}

/// The best fit of all `starts`, each of which is replaced by its result.
Fit best_of(const Hypothesis& hypothesis, std::vector<Weights>& starts, const Scales& scales) {
  Fit best;
  for (Weights& start : starts) {
    const Fit found = fit_from(hypothesis, start, scales);
    if (found.log_likelihood > best.log_likelihood) best = found;
  }
  if (starts.size() == 2 && are_equal(starts[0].shares, starts[1].shares)) starts.pop_back();
  return best;
}

/// The fits of all sizes of an effect, from the smallest on, each with its log likelihood times its prior.
std::vector<Fit> fits_of(const Hypothesis& hypothesis, std::vector<Weights> starts, const FitScales& at) {
  std::vector<Fit> fits;
  double top = kNever;
  const OffsetPrior& offset = kOffsets[at.offset];
  for (const EffectPrior& effect : hypothesis.is_null() ? std::span<const EffectPrior>(kNoEffect) : kEffects) {
    Fit& found = fits.emplace_back(best_of(hypothesis, starts, {effect.tau, kDrifts[at.drift], offset.lambda}));
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

/// The largest power of ten of which all values are multiples; 0 if there is none.
double printed_unit(const std::vector<double>& log_values) {
  double unit = std::pow(10, std::floor(std::ranges::max(log_values) / std::numbers::ln10));
  const auto is_multiple = [&](double log_value) {
    const double times = std::exp(log_value) / unit;
    return std::abs(times - std::round(times)) < 1e-12 * times + 1e-12;
  };
  for (int digit = 0; digit < kMostDigits; ++digit, unit /= 10)
    if (std::ranges::all_of(log_values, is_multiple)) return unit;
  return 0;
}

/// The smallest step between two different values, if any commit has two different ones; else 0. Values of a clock are
/// multiples of its tick, which need be no power of ten.
double tick(const std::vector<std::size_t>& commits, const std::vector<double>& log_values) {
  std::map<std::size_t, double> of_commit;
  bool is_seen = false;
  for (std::size_t i = 0; i < log_values.size(); ++i)
    is_seen = is_seen || of_commit.try_emplace(commits[i], log_values[i]).first->second != log_values[i];
  if (!is_seen) return 0;
  const std::set<double> different(log_values.begin(), log_values.end());
  double least = std::numeric_limits<double>::infinity();
  for (auto at = different.begin(), next = std::next(at); next != different.end(); at = next++)
    least = std::min(least, std::exp(*next) - std::exp(*at));
  return least;
}

/// The unit that values are rounded to, relative. Where all are equal, it may be anything; where no commit has shown
/// two different values, numbers of one digit may be exact counts.
double rounding_unit(const std::vector<std::size_t>& commits, const std::vector<double>& log_values) {
  const auto [least, most] = std::ranges::minmax(log_values);
  const double scale = std::exp(-least), seen = tick(commits, log_values) * scale;
  const double printed = printed_unit(log_values) * scale;
  return std::max(seen, std::min(printed, least == most ? kCoarsestEqual : kCoarsest));
}

}  // namespace

Measurements::Measurements(const std::vector<std::size_t>& commits, const std::vector<std::size_t>& builds,
                           const std::vector<double>& log_values, const std::vector<double>& shifts)
    : range_(kLeastRange) {
  const std::size_t size = log_values.size();
  // A pair that starts at the last one reads one more.
  values_.resize(size + 1);
  for (std::vector<double>& wave : waves_) wave.resize(size + 1);
  if (size == 0) return;
  const auto count = static_cast<double>(size);
  const auto shift = [&](std::size_t i) { return shifts.empty() ? 0 : shifts[i]; };
  double mean = 0;
  for (std::size_t i = 0; i < size; ++i) mean += (log_values[i] - shift(i)) / count;
  const auto [least, most] = std::minmax_element(log_values.begin(), log_values.end());
  range_ = std::max(range_, *most - *least);
  unit_ = rounding_unit(commits, log_values);
  const double rounding = unit_ * unit_ / 4;
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(builds[i], commits[i]); });
  for (const std::size_t measured : order) {
    const std::size_t i = commits_.size();
    if (i == 0 || builds[measured] != builds[order[i - 1]]) builds_.push_back({i, i});
    ++builds_.back().last;
    commits_.push_back(commits[measured]);
    const double value = values_[i] = log_values[measured] - shift(measured) - mean;
    std::array<double, 2 * kSummandPairs> summands{};
    summands[kOne] = 1;
    summands[kValue] = value;
    summands[kSquare] = value * value + rounding;
    const double when = (static_cast<double>(measured) + 0.5) / count;
    std::size_t product = kWaveWave;
    for (std::size_t j = 0; j < kWaves; ++j) {
      const double frequency = (static_cast<double>(j) + 0.5) * std::numbers::pi;
      const double wave = waves_[j][i] = std::numbers::sqrt2 * std::sin(frequency * when) / frequency;
      summands[kWave + j] = wave;
      summands[kWaveValue + j] = wave * value;
      for (std::size_t k = 0; k <= j; ++k) summands[product++] = wave * waves_[k][i];
    }
    Summands& pairs = summands_.emplace_back();
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = load(&summands[2 * k]);
  }
}

Fit fit(const Measurements& data, std::size_t from, const FitRival& rival) {
  const Hypothesis hypothesis(data, from);
  std::vector<Weights> starts{weights_of(hypothesis, std::vector<double>(data.size(), 1.0))};
  if (data.size() >= kEnoughForModes) starts.push_back(weights_of(hypothesis, near_modes(hypothesis)));
  std::vector<Fit> glimpse;
  if (rival.log_likelihood > kNever) {
    glimpse = fits_of(hypothesis, starts, rival.scales);
    const Fit mean = mean_of(glimpse);
    if (mean.log_likelihood < rival.log_likelihood - kHopeless) return mean;
  }
  std::vector<Fit> fits;
  double top = rival.log_likelihood;
  for (std::size_t drift = 0; drift < kDrifts.size(); ++drift) {
    double before = kNever;
    for (std::size_t offset = 0; offset < kOffsets.size(); ++offset) {
      const bool is_known = !glimpse.empty() && drift == rival.scales.drift && offset == rival.scales.offset;
      const std::vector<Fit> more = is_known ? glimpse : fits_of(hypothesis, starts, {drift, offset});
      fits.insert(fits.end(), more.begin(), more.end());
      const Fit& best = *std::ranges::max_element(more, {}, &Fit::log_likelihood);
      top = std::max(top, best.log_likelihood);
      // Larger offsets explain the data still worse.
      if (best.log_likelihood < std::min(before - kNegligible, top - kHopeless) && data.size() >= kEnoughForDecline &&
          best.level * best.level * best.precision < kLargeEffect * kLargeEffect)
        break;
      before = best.log_likelihood;
    }
  }
  return mean_of(fits);
}

}  // namespace lab::stats
