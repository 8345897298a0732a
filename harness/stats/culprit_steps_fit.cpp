#include "harness/stats/culprit_steps_fit.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "harness/stats/culprit_prior.h"
#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

/// Of 0, 1, 2... steps. Two tries in three are for one that is there; a second culprit is rare, but not by far.
constexpr std::array<double, kMostStepsOfSet + 1> kStepNumbers{0.5, 0.4, 0.07, 0.025, 0.005};
constexpr double kShareTakenBack =
    0.5;  ///< share of the sets of two and more steps in which one step takes back another
constexpr std::size_t kExtended = 8, kExtendedTwice = 3;  ///< sets of a size that are extended, and by two steps
constexpr std::size_t kOwnShares = 10;                    ///< sets with an r of their own
constexpr double kBehind = 12;                            ///< nats behind the likeliest: such sets are not extended
constexpr double kLeftOut = 14;                           ///< nats: such sets are not returned
constexpr int kShareSteps = 20, kRounds = 3;
constexpr double kShareConverged = 0.02;  ///< nats
constexpr double kUnlikelyScale = 5;      ///< nats: scales at which no likely set is likelier are left out
constexpr double kUnlikelyTau = 6;        ///< nats: if a tau is so much worse, no larger one is tried
constexpr std::size_t kEnoughOfCommit = 3;
constexpr double kFarOfCommit = 4;  ///< robust sigma
constexpr double kQuartileOfNormal = 0.6744897501960817;

constexpr std::size_t kFixed = 1 + kWaves;  ///< columns of every set: level and waves
constexpr std::size_t kMostEffects = kMostStepsOfSet;
using FixedRow = std::array<double, kFixed>;
/// Fixed columns, then the value.
using SumRow = std::array<double, kFixed + 1>;
using EffectMatrix = std::array<std::array<double, kMostEffects>, kMostEffects>;
using EffectRow = std::array<double, kMostEffects>;

/// A measurement's fixed columns and value.
SumRow row_of(const Measurements& data, std::size_t i) {
  return {1, data.wave(0)[i], data.wave(1)[i], data.wave(2)[i], data.values()[i]};
}

/// What follows from the inlier probabilities alone.
struct ShareSums {
  std::vector<double> shares;
  std::array<SumRow, kFixed + 1> total{};
  std::vector<SumRow> builds;
  double entropy = 0;

  double inlier() const { return total[0][0]; }
};

ShareSums sums_of(const Measurements& data, std::vector<double> shares) {
  ShareSums sums;
  sums.shares = std::move(shares);
  sums.builds.resize(data.builds().size());
  const double rounding = data.unit() * data.unit() / 4;
  for (std::size_t g = 0; g < data.builds().size(); ++g)
    for (std::size_t i = data.builds()[g].first; i < data.builds()[g].last; ++i) {
      const double share = sums.shares[i];
      const SumRow row = row_of(data, i);
      for (std::size_t j = 0; j <= kFixed; ++j) {
        sums.builds[g][j] += share * row[j];
        for (std::size_t k = 0; k <= j; ++k) sums.total[j][k] += share * row[j] * row[k];
      }
      sums.total[kFixed][kFixed] += share * rounding;
      if (share > 0 && share < 1) sums.entropy -= share * std::log(share) + (1 - share) * std::log(1 - share);
    }
  return sums;
}

/// The regression on the fixed columns, and what each suffix of the measurements adds to it.
struct Eliminated {
  FitScales scales;
  std::array<FixedRow, kFixed> root{};  ///< Cholesky factor of the fixed columns
  FixedRow fixed{};                     ///< root fixed = X'Ry
  std::vector<FixedRow> along;          ///< by gap: root along = X'R step
  std::vector<double> squares, values;  ///< by gap: step'R step, and step'R y less its fixed part
  double rest = 0;                      ///< y'Ry less its fixed part
  double log_determinant = 0;
  double inlier = 0;

  double product(std::size_t a, std::size_t b) const {
    double sum = squares[std::max(a, b)];
    for (std::size_t j = 0; j < kFixed; ++j) sum -= along[a][j] * along[b][j];
    return sum;
  }
};

double lambda_of(const FitScales& scales) {
  return kOffsets[scales.offset].lambda;
}

/// `positions`: of each build, among the measured commits.
Eliminated eliminate(const Measurements& data, const ShareSums& sums, const std::vector<std::size_t>& positions,
                     std::size_t gaps, const FitScales& scales) {
  Eliminated result;
  result.scales = scales;
  result.inlier = sums.inlier();
  const double squared = lambda_of(scales) * lambda_of(scales);
  std::array<SumRow, kFixed + 1> matrix = sums.total;
  std::vector<SumRow> suffix(gaps + 1);
  for (std::size_t g = 0; g < sums.builds.size(); ++g) {
    const SumRow& row = sums.builds[g];
    const double ratio = 1 + squared * row[0], variance = squared / ratio;
    result.log_determinant += std::log(ratio);
    for (std::size_t j = 0; j <= kFixed; ++j) {
      suffix[positions[g]][j] += row[j] / ratio;
      for (std::size_t k = 0; k <= j; ++k) matrix[j][k] -= variance * row[j] * row[k];
    }
  }
  for (std::size_t i = gaps; i-- > 0;)
    for (std::size_t j = 0; j <= kFixed; ++j) suffix[i][j] += suffix[i + 1][j];
  matrix[0][0] += kLeast;
  const double drift = kDrifts[scales.drift];
  for (std::size_t j = 1; j < kFixed; ++j)
    matrix[j][j] += 1 / (drift * drift * static_cast<double>(std::max<std::size_t>(data.size(), 1)));
  const auto solved = [&](const SumRow& row, std::size_t count) {
    FixedRow found{};
    for (std::size_t j = 0; j < count; ++j) {
      double rest = row[j];
      for (std::size_t k = 0; k < j; ++k) rest -= result.root[j][k] * found[k];
      found[j] = rest / result.root[j][j];
    }
    return found;
  };
  for (std::size_t j = 0; j < kFixed; ++j) {
    const FixedRow row = solved(matrix[j], j);
    double square = matrix[j][j];
    for (std::size_t k = 0; k < j; ++k) square -= row[k] * row[k];
    result.root[j] = row;
    result.root[j][j] = std::sqrt(std::max(square, 1e-300));
    result.log_determinant += 2 * std::log(result.root[j][j]);
  }
  result.fixed = solved(matrix[kFixed], kFixed);
  result.rest = matrix[kFixed][kFixed];
  for (const double x : result.fixed) result.rest -= x * x;
  for (std::size_t i = 0; i <= gaps; ++i) {
    const FixedRow row = result.along.emplace_back(solved(suffix[i], kFixed));
    result.squares.push_back(suffix[i][0]);
    result.values.push_back(suffix[i][kFixed]);
    for (std::size_t j = 0; j < kFixed; ++j) result.values.back() -= row[j] * result.fixed[j];
  }
  return result;
}

/// A set's regression with given scales.
struct EffectFit {
  double log_likelihood = -std::numeric_limits<double>::infinity();
  EffectMatrix inverse{};
  EffectRow mean{};
  double shape = 0, scale = 0, tau = 1;
};

/// Prior but for the scales of drift and offset.
EffectFit fit_effects(const Eliminated& data, const std::vector<StepEffect>& effects, const EffectPrior& prior) {
  const std::size_t count = effects.size();
  EffectFit fit;
  fit.tau = prior.tau;
  EffectMatrix root{};
  EffectRow z{};
  double log_determinant = data.log_determinant, explained = 0;
  const auto product = [&](const StepEffect& a, const StepEffect& b) {
    double sum = data.product(a.from, b.from);
    if (a.until > 0) sum -= data.product(a.until, b.from);
    if (b.until > 0) sum -= data.product(a.from, b.until);
    if (a.until > 0 && b.until > 0) sum += data.product(a.until, b.until);
    return sum;
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double rest = product(effects[i], effects[j]);
      for (std::size_t k = 0; k < j; ++k) rest -= root[i][k] * root[j][k];
      root[i][j] = rest / root[j][j];
    }
    double square = product(effects[i], effects[i]) + 1 / (prior.tau * prior.tau);
    double rest = data.values[effects[i].from] - (effects[i].until > 0 ? data.values[effects[i].until] : 0);
    for (std::size_t k = 0; k < i; ++k) {
      square -= root[i][k] * root[i][k];
      rest -= root[i][k] * z[k];
    }
    root[i][i] = std::sqrt(std::max(square, 1e-300));
    z[i] = rest / root[i][i];
    explained += z[i] * z[i];
    log_determinant += 2 * std::log(root[i][i]);
  }
  for (std::size_t i = count; i-- > 0;) {
    double rest = z[i];
    for (std::size_t k = i + 1; k < count; ++k) rest -= root[k][i] * fit.mean[k];
    fit.mean[i] = rest / root[i][i];
  }
  // The inverse of the root, then of the matrix.
  EffectMatrix up{};
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = j; i < count; ++i) {
      double value = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) value -= root[i][k] * up[k][j];
      up[i][j] = value / root[i][i];
    }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t k = std::max(i, j); k < count; ++k) fit.inverse[i][j] += up[k][i] * up[k][j];
  fit.shape = kNoiseShape + std::max(0.0, data.inlier - 1) / 2;
  fit.scale = kNoiseShape * kNoiseScale * kNoiseScale + std::max(0.0, data.rest - explained) / 2;
  const double precision = fit.shape / fit.scale;
  const OffsetPrior& offset = kOffsets[data.scales.offset];
  const double relative = offset.lambda / std::sqrt(precision) / kUsualOffset;
  fit.log_likelihood = -log_determinant / 2 - fit.shape * std::log(fit.scale) -
                       static_cast<double>(kWaves) * std::log(kDrifts[data.scales.drift]) +
                       std::log(offset.probability) - 2 * std::log1p(relative * relative);
  if (count > 0) fit.log_likelihood += std::log(prior.probability);
  for (std::size_t i = 0; i < count; ++i)
    fit.log_likelihood += std::log(fit.mean[i] * fit.mean[i] * precision + fit.inverse[i][i]) - 3 * std::log(prior.tau);
  return fit;
}

/// All scales' eliminations for the same shares.
struct Screen {
  ShareSums sums;
  std::vector<Eliminated> scales;
  double of_shares = 0;  ///< what the bound has from the shares alone

  /// Leaves out scales at which each of `sets` is unlikely.
  void keep_likely(const std::vector<StepSet>& sets);
};

void Screen::keep_likely(const std::vector<StepSet>& sets) {
  std::vector<std::vector<double>> found;  // by set and scale
  for (const StepSet& set : sets)
    for (std::vector<double>& of_set = found.emplace_back(); const Eliminated& scale : scales) {
      of_set.push_back(-std::numeric_limits<double>::infinity());
      for (const EffectPrior& prior : kEffects)
        of_set.back() = std::max(of_set.back(), fit_effects(scale, set.effects, prior).log_likelihood);
    }
  std::vector<Eliminated> kept;
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (std::ranges::any_of(found, [&](const std::vector<double>& of_set) {
          return of_set[i] > std::ranges::max(of_set) - kUnlikelyScale;
        }))
      kept.push_back(std::move(scales[i]));
  scales = std::move(kept);
}

class StepsFitter {
 public:
  StepsFitter(const Measurements& data, const MeasuredCommits& measured) : data_(data), measured_(measured) {
    for (const Measurements::Build& build : data.builds())
      positions_.push_back(static_cast<std::size_t>(
          std::ranges::lower_bound(measured.commits, data.commit(build.first)) - measured.commits.begin()));
    for (std::size_t gap = 1; gap < measured.commits.size(); ++gap)
      if (measured.places[gap] > 0) gaps_.push_back(gap);
  }

  std::vector<StepSet> fit() const {
    Screen best;
    double most = -std::numeric_limits<double>::infinity();
    for (std::vector<double> start : {std::vector<double>(data_.size(), 1.0), near_commits()}) {
      Screen screen = screen_of(std::move(start));
      for (int round = 0; round < kRounds; ++round) {
        const StepSet likeliest = few_sets(screen).front();
        Screen next = screen_of(own_shares(screen, likeliest));
        const double bound = likelihood(next, likeliest.effects).log_likelihood;
        const bool better = bound > most + kShareConverged;
        screen = next;
        if (bound > most) {
          most = bound;
          best = std::move(next);
        }
        if (!better) break;
      }
    }
    best.keep_likely(few_sets(best));
    std::vector<StepSet> sets = all_sets(best);
    // A set with its own shares is likelier than with those of another; what the first ones win, the others may.
    for (std::size_t i = 0; i < std::min(kOwnShares, sets.size()); ++i) {
      const Screen own = screen_of(own_shares(best, sets[i]));
      StepSet again = likelihood(own, sets[i].effects);
      if (again.log_likelihood > sets[i].log_likelihood) sets[i] = std::move(again);
    }
    return with_probabilities(std::move(sets));
  }

 private:
  /// 0 for measurements that are far from others of their commit, 1 for all others.
  std::vector<double> near_commits() const {
    std::vector<double> shares(data_.size(), 1.0), distances(data_.size()), known;
    std::map<std::size_t, std::vector<std::size_t>> of_commit;
    for (std::size_t i = 0; i < data_.size(); ++i) of_commit[data_.commit(i)].push_back(i);
    for (const auto& [commit, places] : of_commit) {
      if (places.size() < kEnoughOfCommit) continue;
      std::vector<double> values;
      for (const std::size_t i : places) values.push_back(data_.values()[i]);
      const double middle = median(values);
      for (const std::size_t i : places) known.push_back(distances[i] = std::abs(data_.values()[i] - middle));
    }
    if (known.empty()) return shares;
    const double sigma = std::max(quantile(known, 0.5) / kQuartileOfNormal, kNoiseScale);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = distances[i] < kFarOfCommit * sigma ? 1 : 0;
    return shares;
  }

  Screen screen_of(std::vector<double> shares) const {
    Screen screen;
    screen.sums = sums_of(data_, std::move(shares));
    for (std::size_t drift = 0; drift < kDrifts.size(); ++drift)
      for (std::size_t offset = 0; offset < kOffsets.size(); ++offset)
        screen.scales.push_back(
            eliminate(data_, screen.sums, positions_, measured_.commits.size() - 1, {drift, offset}));
    const double inlier = screen.sums.inlier(), rest = static_cast<double>(data_.size()) - inlier;
    screen.of_shares = std::lgamma(kNoiseShape + std::max(0.0, inlier - 1) / 2) -
                       inlier / 2 * std::log(2 * std::numbers::pi) - rest * std::log(data_.range()) +
                       std::lgamma(kDisturbed + rest) + std::lgamma(kInlier + inlier) + screen.sums.entropy;
    return screen;
  }

  double log_prior(const std::vector<StepEffect>& effects) const {
    std::size_t steps = 0;
    bool is_taken_back = false;
    double places = 0;
    for (const StepEffect& effect : effects) {
      ++steps;
      places += std::log(static_cast<double>(measured_.places[effect.from]));
      if (effect.until == 0) continue;
      ++steps;
      is_taken_back = true;
      places += std::log(static_cast<double>(measured_.places[effect.until]));
    }
    const auto all = static_cast<double>(measured_.all_places());
    double sets = 0;  // the logarithm of their number
    for (std::size_t i = 0; i < steps; ++i)
      sets += std::log(std::max(1.0, all - static_cast<double>(i)) / static_cast<double>(i + 1));
    double prior = std::log(kStepNumbers[steps]) + places - sets;
    if (steps > 1) prior += std::log(is_taken_back ? kShareTakenBack : 1 - kShareTakenBack);
    // Which two of the steps belong together is a further choice.
    if (is_taken_back) prior -= std::log(static_cast<double>(steps * (steps - 1)) / 2);
    return prior;
  }

  StepSet likelihood(const Screen& screen, const std::vector<StepEffect>& effects) const {
    StepSet set;
    set.effects = effects;
    std::array<double, kDrifts.size() * kOffsets.size() * kEffects.size()> logs{};
    std::size_t count = 0;
    EffectFit best;
    const Eliminated* at = nullptr;
    for (const Eliminated& scale : screen.scales) {
      double top = -std::numeric_limits<double>::infinity();
      for (const EffectPrior& prior : kEffects) {
        const EffectFit fit = fit_effects(scale, effects, prior);
        logs[count++] = fit.log_likelihood;
        top = std::max(top, fit.log_likelihood);
        if (fit.log_likelihood > best.log_likelihood) {
          best = fit;
          at = &scale;
        }
        if (effects.empty() || fit.log_likelihood < top - kUnlikelyTau) break;
      }
    }
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) total += std::exp(logs[i] - best.log_likelihood);
    set.log_likelihood = best.log_likelihood + std::log(total) + screen.of_shares + log_prior(effects);
    set.precision = best.shape / best.scale;
    set.offset = lambda_of(at->scales);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      set.sizes.push_back(best.mean[i]);
      set.deviations.push_back(std::sqrt(best.inverse[i][i] / set.precision));
    }
    set.start = fixed_mean(*at, effects, best)[0];
    return set;
  }

  /// The coefficients of the fixed columns.
  FixedRow fixed_mean(const Eliminated& scale, const std::vector<StepEffect>& effects, const EffectFit& fit) const {
    FixedRow mean{};
    for (std::size_t j = kFixed; j-- > 0;) {
      double rest = scale.fixed[j];
      for (std::size_t i = 0; i < effects.size(); ++i)
        rest -= fit.mean[i] *
                (scale.along[effects[i].from][j] - (effects[i].until > 0 ? scale.along[effects[i].until][j] : 0));
      for (std::size_t k = j + 1; k < kFixed; ++k) rest -= scale.root[k][j] * mean[k];
      mean[j] = rest / scale.root[j][j];
    }
    return mean;
  }

  /// The inlier probabilities under one set, at its likeliest scales, from those of `screen` on.
  std::vector<double> own_shares(const Screen& screen, const StepSet& set) const {
    const FitScales* at = nullptr;
    double tau = 1, most = -std::numeric_limits<double>::infinity();
    for (const Eliminated& scale : screen.scales)
      for (const EffectPrior& prior : kEffects)
        if (const double found = fit_effects(scale, set.effects, prior).log_likelihood; found > most) {
          most = found;
          at = &scale.scales;
          tau = prior.tau;
        }
    ShareSums sums = screen.sums;
    double before = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < kShareSteps; ++step) {
      const Eliminated scale = eliminate(data_, sums, positions_, measured_.commits.size() - 1, *at);
      const EffectFit fit = fit_effects(scale, set.effects, {tau, 1});
      const double inlier = sums.inlier(), rest = static_cast<double>(data_.size()) - inlier;
      const double bound = fit.log_likelihood + std::lgamma(fit.shape) - inlier / 2 * std::log(2 * std::numbers::pi) -
                           rest * std::log(data_.range()) + std::lgamma(kDisturbed + rest) +
                           std::lgamma(kInlier + inlier) + sums.entropy;
      if (bound - before < kShareConverged) break;
      before = bound;
      sums = sums_of(data_, shares_after(sums, scale, set.effects, fit));
    }
    return sums.shares;
  }

  std::vector<double> shares_after(const ShareSums& sums, const Eliminated& scale,
                                   const std::vector<StepEffect>& effects, const EffectFit& fit) const {
    const double inlier = sums.inlier(), rest = static_cast<double>(data_.size()) - inlier;
    const double odds = boost::math::digamma(kInlier + inlier) - boost::math::digamma(kDisturbed + rest) +
                        std::log(data_.range()) +
                        (boost::math::digamma(fit.shape) - std::log(2 * std::numbers::pi * fit.scale)) / 2;
    const double precision = fit.shape / fit.scale, squared = lambda_of(scale.scales) * lambda_of(scale.scales);
    const FixedRow mean = fixed_mean(scale, effects, fit);
    std::vector<double> shares(data_.size());
    for (std::size_t g = 0; g < data_.builds().size(); ++g) {
      const SumRow& sum = sums.builds[g];
      const double variance = squared / (1 + squared * sum[0]);
      EffectRow levels{};
      double level = 0;
      for (std::size_t i = 0; i < effects.size(); ++i) {
        levels[i] =
            positions_[g] >= effects[i].from && (effects[i].until == 0 || positions_[g] < effects[i].until) ? 1 : 0;
        level += levels[i] * fit.mean[i];
      }
      for (std::size_t i = data_.builds()[g].first; i < data_.builds()[g].last; ++i) {
        SumRow row = row_of(data_, i);
        for (std::size_t j = 0; j <= kFixed; ++j) row[j] -= variance * sum[j];
        const double part = 1 - variance * sum[0];
        double residual = row[kFixed] - part * level;
        for (std::size_t j = 0; j < kFixed; ++j) residual -= row[j] * mean[j];
        // The variance of the fixed part and of the effects, by the factor of both.
        FixedRow z{};
        double uncertain = variance;
        for (std::size_t j = 0; j < kFixed; ++j) {
          double value = row[j];
          for (std::size_t k = 0; k < j; ++k) value -= scale.root[j][k] * z[k];
          z[j] = value / scale.root[j][j];
          uncertain += z[j] * z[j];
        }
        EffectRow left{};
        for (std::size_t e = 0; e < effects.size(); ++e) {
          left[e] = part * levels[e];
          for (std::size_t j = 0; j < kFixed; ++j)
            left[e] -= z[j] * (scale.along[effects[e].from][j] -
                               (effects[e].until > 0 ? scale.along[effects[e].until][j] : 0));
        }
        for (std::size_t a = 0; a < effects.size(); ++a)
          for (std::size_t b = 0; b < effects.size(); ++b) uncertain += left[a] * fit.inverse[a][b] * left[b];
        const double x = (residual * residual * precision + uncertain) / 2 - odds;
        shares[i] = 1 / (1 + std::exp(std::clamp(x, -40.0, 40.0)));
      }
    }
    return shares;
  }

  /// The likeliest set of each size, each from that of the size before it; and one step that another takes back.
  std::vector<StepSet> few_sets(const Screen& screen) const {
    std::vector<std::vector<StepSet>> by_steps(kMostStepsOfSet + 3);
    by_steps[0] = {likelihood(screen, {})};
    std::vector<StepSet> best;
    for (std::size_t steps = 0; steps <= kMostStepsOfSet && !by_steps[steps].empty(); ++steps) {
      best.push_back(*std::ranges::max_element(by_steps[steps], {}, &StepSet::log_likelihood));
      if (steps < kMostStepsOfSet) extend(screen, best.back(), Extension::kOne, by_steps);
    }
    // There are many of these, so few scales are tried.
    Screen few = screen;
    few.keep_likely(best);
    std::vector<std::vector<StepSet>> taken_back(kMostStepsOfSet + 3);
    extend(few, best.front(), Extension::kTakenBack, taken_back);
    if (!taken_back[2].empty()) best.push_back(*std::ranges::max_element(taken_back[2], {}, &StepSet::log_likelihood));
    sort(best);
    return best;
  }

  /// All sets of up to two steps; larger ones from the likeliest.
  std::vector<StepSet> all_sets(const Screen& screen) const {
    std::vector<std::vector<StepSet>> by_steps(kMostStepsOfSet + 3);
    by_steps[0] = {likelihood(screen, {})};
    for (std::size_t steps = 0; steps < kMostStepsOfSet; ++steps) {
      std::vector<StepSet> sets = by_steps[steps];
      sort(sets);
      for (std::size_t i = 0; i < (steps == 1 ? sets.size() : std::min(sets.size(), kExtended)); ++i) {
        if (steps > 1 && sets[i].log_likelihood < sets[0].log_likelihood - kBehind) break;
        extend(screen, sets[i], Extension::kOne, by_steps);
        if (steps == 0 || i < kExtendedTwice) extend(screen, sets[i], Extension::kTakenBack, by_steps);
      }
    }
    std::vector<StepSet> all;
    for (std::vector<StepSet>& sets : by_steps)
      for (StepSet& set : sets) all.push_back(std::move(set));
    sort(all);
    return all;
  }

  static void sort(std::vector<StepSet>& sets) {
    std::ranges::stable_sort(sets, std::ranges::greater(), &StepSet::log_likelihood);
  }

  enum class Extension { kOne, kTakenBack };

  /// Adds to `by_steps` the sets with one step more than `set`, or with a step more that another takes back.
  void extend(const Screen& screen, const StepSet& set, Extension extension,
              std::vector<std::vector<StepSet>>& by_steps) const {
    const std::size_t steps = set.steps();
    const auto add = [&](const StepEffect& effect) {
      std::vector<StepEffect> effects = set.effects;
      effects.push_back(effect);
      std::ranges::sort(effects, {}, [](const StepEffect& e) { return std::pair(e.from, e.until); });
      std::vector<StepSet>& sets = by_steps[steps + (effect.until > 0 ? 2 : 1)];
      if (steps == 0 || std::ranges::none_of(sets, [&](const StepSet& other) { return other.effects == effects; }))
        sets.push_back(likelihood(screen, effects));
    };
    if (extension == Extension::kOne) {
      for (const std::size_t gap : gaps_)
        if (!set.has_step(gap)) add({gap, 0});
      return;
    }
    // A second one is hardly ever there.
    if (steps + 2 > kMostStepsOfSet ||
        std::ranges::any_of(set.effects, [](const StepEffect& effect) { return effect.until > 0; }))
      return;
    for (const std::size_t from : gaps_)
      for (const std::size_t until : gaps_)
        if (until > from && !set.has_step(from) && !set.has_step(until)) add({from, until});
  }

  static std::vector<StepSet> with_probabilities(std::vector<StepSet> sets) {
    std::ranges::stable_sort(sets, std::ranges::greater(), &StepSet::log_likelihood);
    double total = 0;
    for (StepSet& set : sets) total += set.probability = std::exp(set.log_likelihood - sets.front().log_likelihood);
    std::erase_if(sets, [](const StepSet& set) { return set.probability < std::exp(-kLeftOut); });
    for (StepSet& set : sets) set.probability /= total;
    return sets;
  }

  const Measurements& data_;
  const MeasuredCommits& measured_;
  std::vector<std::size_t> positions_;  ///< by build
  std::vector<std::size_t> gaps_;       ///< that can hold a step
};

}  // namespace

std::size_t MeasuredCommits::all_places() const {
  return std::accumulate(places.begin(), places.end(), std::size_t{0});
}

bool StepSet::has_step(std::size_t gap) const {
  return std::ranges::any_of(effects,
                             [&](const StepEffect& effect) { return effect.from == gap || effect.until == gap; });
}

std::size_t StepSet::steps() const {
  std::size_t count = 0;
  for (const StepEffect& effect : effects) count += effect.until > 0 ? 2 : 1;
  return count;
}

double StepSet::level(std::size_t at) const {
  double level = start;
  for (std::size_t i = 0; i < effects.size(); ++i)
    if (effects[i].from <= at && (effects[i].until == 0 || effects[i].until > at)) level += sizes[i];
  return level;
}

std::vector<StepSet> fit_steps(const Measurements& data, const MeasuredCommits& measured) {
  return StepsFitter(data, measured).fit();
}

}  // namespace lab::stats
