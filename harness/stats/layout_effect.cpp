#include "harness/stats/layout_effect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "harness/stats/normal.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::stats {

namespace {

/// The grid of sigma_link: from where no table shows it to more than anybody has reported.
constexpr double kLeastEffect = 5e-5, kMostEffect = 0.3;
constexpr int kSigmas = 25, kNoises = 17;
/// The grid of the noise, around its estimate.
constexpr double kNoiseRange = 4;
/// The parts of the shift that are kept have more than this weight.
constexpr double kLeastWeight = 1e-5;

/// The ratios at which the rank test is evaluated: from the estimate on in steps that stretch, until p is nearly the
/// least that the blocks can give. The first step is a quarter of one that makes p clearly smaller.
constexpr double kFirstStep = 1e-5, kMostStep = 10, kNearlyHalf = 0.6, kStretch = 1.5, kReach = 200;
constexpr double kTiny = 1e-6, kAboveLeast = 1.5;
/// Points of the integral, and halvings of a limit of an interval.
constexpr int kPoints = 97, kHalvings = 40;

using Matrix = std::vector<std::vector<double>>;

/// The processes of both arms, without the levels of strata and arms.
struct Contrasts {
  std::vector<double> values;  ///< logarithms
  Matrix links;                ///< by link, its column of the design
  double freedom = 0;
  /// By arm: the sum of the squared shares of its links, and the number of its processes.
  std::array<double, 2> shares{}, counts{};
  bool has_links = false;  ///< whether an arm has two links or more
};

/// Removes the mean of each stratum.
void center(std::vector<double>& column, const std::vector<int>& strata) {
  std::map<int, std::pair<double, double>> sums;
  for (std::size_t i = 0; i < column.size(); ++i) {
    sums[strata[i]].first += column[i];
    ++sums[strata[i]].second;
  }
  for (std::size_t i = 0; i < column.size(); ++i) column[i] -= sums[strata[i]].first / sums[strata[i]].second;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Removes the part of `column` along `along`.
void remove(std::vector<double>& column, const std::vector<double>& along, double square) {
  const double factor = dot(column, along) / square;
  for (std::size_t i = 0; i < column.size(); ++i) column[i] -= factor * along[i];
}

/// Draws values that are far from the others of their link in.
void draw_in(std::vector<double>& values, const std::vector<std::size_t>& link, std::size_t links) {
  std::vector<std::vector<double>> groups(links);
  for (std::size_t i = 0; i < values.size(); ++i) groups[link[i]].push_back(values[i]);
  std::vector<double> middles(links), deviations;  // of the groups; from the middle of their group
  for (std::size_t g = 0; g < links; ++g) middles[g] = median(groups[g]);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (groups[link[i]].size() > 1) deviations.push_back(values[i] - middles[link[i]]);
  if (deviations.size() < kLeastForSpread) return;
  const double far = kFar * mad_sigma(deviations);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (groups[link[i]].size() > 2) values[i] = std::clamp(values[i], middles[link[i]] - far, middles[link[i]] + far);
}

Contrasts contrasts_of(const std::vector<Datum>& base, const std::vector<Datum>& head) {
  Contrasts found;
  std::vector<int> strata;
  std::vector<double> arm;
  std::vector<std::size_t> link;
  std::map<std::pair<int, int>, std::size_t> links;
  std::array<std::map<int, double>, 2> counts;
  for (const auto* side : {&base, &head})
    for (const Datum& datum : *side) {
      const int which = side == &head;
      found.values.push_back(std::log(datum.value));
      strata.push_back(datum.block);
      arm.push_back(which);
      link.push_back(links.emplace(std::pair(which, datum.layout), links.size()).first->second);
      ++counts[static_cast<std::size_t>(which)][datum.layout];
    }
  for (std::size_t a = 0; a < 2; ++a) {
    found.has_links = found.has_links || counts[a].size() > 1;
    for (const auto& [layout, count] : counts[a]) found.counts[a] += count;
    for (const auto& [layout, count] : counts[a]) found.shares[a] += std::pow(count / found.counts[a], 2);
  }
  if (!found.has_links) return found;

  found.links.assign(links.size(), std::vector<double>(link.size()));
  for (std::size_t i = 0; i < link.size(); ++i) found.links[link[i]][i] = 1;
  center(found.values, strata);
  draw_in(found.values, link, links.size());
  center(found.values, strata);
  center(arm, strata);
  std::vector<int> different = strata;
  std::ranges::sort(different);
  found.freedom = static_cast<double>(link.size()) -
                  static_cast<double>(std::ranges::unique(different).begin() - different.begin());
  for (std::vector<double>& column : found.links) center(column, strata);
  if (const double square = dot(arm, arm); square > 1e-9) {
    --found.freedom;
    remove(found.values, arm, square);
    for (std::vector<double>& column : found.links) remove(column, arm, square);
  }
  return found;
}

/// log det A and x' A^-1 x of A = I + factor * `gram` and x = `products`, by Cholesky's decomposition.
std::pair<double, double> decompose(const Matrix& gram, const std::vector<double>& products, double factor) {
  const std::size_t n = products.size();
  Matrix lower(n, std::vector<double>(n));
  std::vector<double> solved(n);
  double log_det = 0, square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = factor * gram[i][j] + (i == j ? 1 : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
      lower[i][j] = i == j ? std::sqrt(sum) : sum / lower[j][j];
    }
    double sum = products[i];
    for (std::size_t k = 0; k < i; ++k) sum -= lower[i][k] * solved[k];
    solved[i] = sum / lower[i][i];
    log_det += 2 * std::log(lower[i][i]);
    square += solved[i] * solved[i];
  }
  return {log_det, square};
}

/// The value at which the cumulated weights of ascending `values` reach a half. Each weight is spread evenly up to the
/// middles between its logarithm and those beside it: else the median would be one of a few values.
double weighted_median(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (sum + weights[i] < 0.5) {
      sum += weights[i];
      continue;
    }
    const double at = std::log(values[i]);
    const double low = i == 0 ? at : (std::log(values[i - 1]) + at) / 2;
    const double high = i + 1 == values.size() ? at : (at + std::log(values[i + 1])) / 2;
    return std::exp(std::lerp(low, high, (0.5 - sum) / weights[i]));
  }
  return values.back();
}

}  // namespace

LayoutEffect layout_effect(const std::vector<Datum>& base, const std::vector<Datum>& head) {
  const Contrasts data = contrasts_of(base, head);
  LayoutEffect effect;
  const double total = data.has_links ? dot(data.values, data.values) : 0;
  if (!data.has_links || data.freedom < 1 || !(total > 0)) return effect;

  const std::size_t links = data.links.size();
  Matrix gram(links, std::vector<double>(links));
  std::vector<double> products(links);
  for (std::size_t i = 0; i < links; ++i) {
    products[i] = dot(data.links[i], data.values);
    for (std::size_t j = 0; j < links; ++j) gram[i][j] = dot(data.links[i], data.links[j]);
  }
  // What is left of the variance if the links explain as much as they can, so that the grid holds the true noise.
  const double least = std::sqrt(std::max(total - decompose(gram, products, 1e6).second * 1e6, 1e-9 * total) /
                                 std::max(1.0, data.freedom - static_cast<double>(links)));
  const double most = std::sqrt(total / data.freedom);
  const double lowest = std::log(std::min(least, most) / kNoiseRange), highest = std::log(kNoiseRange * most);

  std::array<double, kNoises> noises{};
  for (std::size_t k = 0; k < kNoises; ++k)
    noises[k] = std::exp(std::lerp(lowest, highest, static_cast<double>(k) / (kNoises - 1)));
  std::vector<double> sigmas(kSigmas), logs(kSigmas), shares(kSigmas);
  double best = -1e300, likeliest = -1e300, of_none = 0;
  for (std::size_t s = 0; s < kSigmas; ++s) {
    sigmas[s] = kLeastEffect * std::pow(kMostEffect / kLeastEffect, static_cast<double>(s) / (kSigmas - 1));
    std::array<double, kNoises> of_noise{};
    double top = -1e300;
    for (std::size_t k = 0; k < kNoises; ++k) {
      const double noise = noises[k];
      const double factor = std::pow(sigmas[s] / noise, 2);
      const auto [log_det, square] = decompose(gram, products, factor);
      of_noise[k] = -data.freedom * std::log(noise) - log_det / 2 - (total - factor * square) / (2 * noise * noise);
      top = std::max(top, of_noise[k]);
    }
    double sum = 0, share = 0;
    for (std::size_t k = 0; k < kNoises; ++k) {
      const double noise = noises[k];
      const double weight = std::exp(of_noise[k] - top);
      sum += weight;
      share += weight * sigmas[s] * sigmas[s] / (sigmas[s] * sigmas[s] + noise * noise);
    }
    shares[s] = share / sum;
    const double log_likelihood = top + std::log(sum);
    likeliest = std::max(likeliest, log_likelihood);
    if (s == 0) of_none = log_likelihood;
    // The half-Cauchy's density, times sigma because the grid is uniform in its logarithm.
    logs[s] = log_likelihood + std::log(sigmas[s] / (1 + std::pow(sigmas[s] / kUsualLinks, 2)));
    best = std::max(best, logs[s]);
  }
  std::vector<double> weights(kSigmas);
  double sum = 0;
  for (std::size_t s = 0; s < kSigmas; ++s) sum += weights[s] = std::exp(logs[s] - best);
  for (double& weight : weights) weight /= sum;
  effect.sigma = weighted_median(sigmas, weights);
  effect.measured = likeliest - of_none > kMeasuredGain;
  double variance = 0;
  for (std::size_t a = 0; a < 2; ++a)
    if (data.counts[a] > 0) variance += data.shares[a] - 1 / data.counts[a];
  const double root = std::sqrt(std::max(0.0, variance));
  for (std::size_t s = 0; s < kSigmas; ++s) {
    effect.share += weights[s] * shares[s];
    if (root > 0 && weights[s] > kLeastWeight) effect.shift.push_back({weights[s], root * sigmas[s]});
  }
  return effect;
}

ShiftedArms::ShiftedArms(BlockedArms arms, std::vector<NormalPart> shift)
    : arms_(std::move(arms)), shift_(std::move(shift)), log_ratio_(std::log(arms_.ratio())) {
  double sum = 0;
  for (const NormalPart& part : shift_) sum += part.weight;
  for (NormalPart& part : shift_) part.weight /= sum;
  if (shift_.empty()) return;
  // An exact p takes long for many processes, so there are few. Between them, the tail as a normal deviate is nearly
  // straight.
  double step = kFirstStep;
  while (step < kMostStep && arms_.p_value(std::exp(log_ratio_ + step)) > kNearlyHalf) step *= 2;
  const double least = std::max(kTiny, kAboveLeast * arms_.least_p());
  std::vector<std::pair<double, double>> known;  // a logarithm of a ratio, and the deviate there
  for (const int side : {-1, 1})
    for (double far = step / 4, p = 1; p > least && far < kReach * step; far *= kStretch) {
      const double at = log_ratio_ + side * far;
      p = arms_.p_value(std::exp(at));
      known.emplace_back(at, side * upper_normal_quantile(p / 2));
    }
  std::ranges::sort(known);
  std::size_t next = 1;
  for (int i = 0; i < kPoints; ++i) {
    at_.push_back(std::lerp(known.front().first, known.back().first, static_cast<double>(i) / (kPoints - 1)));
    while (next + 1 < known.size() && known[next].first < at_.back()) ++next;
    const auto [from, low] = known[next - 1];
    const auto [to, high] = known[next];
    tail_.push_back(normal_share_below(std::lerp(low, high, (at_.back() - from) / (to - from))));
  }
}

double ShiftedArms::below(double x) const {
  double sum = 0;
  for (const NormalPart& part : shift_) sum += part.weight * normal_share_below(x / part.sigma);
  return sum;
}

double ShiftedArms::mean_tail(double log_ratio, bool slower) const {
  // The integral of the tail at log_ratio + s over the distribution of s.
  const auto tail = [&](std::size_t i) { return slower ? tail_[i] : 1 - tail_[i]; };
  double before = below(at_.front() - log_ratio);
  double sum = before * tail(0);
  for (std::size_t i = 1; i < at_.size(); ++i) {
    const double here = below(at_[i] - log_ratio);
    sum += (here - before) * (tail(i - 1) + tail(i)) / 2;
    before = here;
  }
  return sum + (1 - before) * tail(at_.size() - 1);
}

double ShiftedArms::p_value(double ratio) const {
  const double plain = arms_.p_value(ratio);
  if (at_.empty()) return plain;
  const double at = std::log(ratio);
  return std::clamp(2 * std::min(mean_tail(at, true), mean_tail(at, false)), plain, 1.0);
}

double ShiftedArms::limit(double alpha, bool lower) const {
  // Outside, the p is below alpha / 2 in any case: the grid's ends, and the shift's widest part on top.
  const double widest = (lower ? -1 : 1) * (at_.back() - log_ratio_ + 40 * shift_.back().sigma);
  double inside = log_ratio_, outside = log_ratio_ + widest;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inside + outside) / 2;
    (mean_tail(middle, lower) > alpha / 2 ? inside : outside) = middle;
  }
  return std::exp((inside + outside) / 2);
}

std::optional<Interval> ShiftedArms::interval(double alpha) const {
  if (at_.empty() || arms_.least_p() > alpha) return arms_.interval(alpha);
  return Interval{limit(alpha, true), limit(alpha, false)};
}

}  // namespace lab::stats
