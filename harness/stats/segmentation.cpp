#include "harness/stats/segmentation.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/stats/quantile.h"
#include "harness/stats/rarity.h"
#include "harness/stats/sharp_steps.h"

namespace lab::stats {

namespace {

constexpr double kMostCorrelation = 0.97;
/// Share of points whose distance from the median of their level says how wide the noise is: more than a second level
/// of the noise leaves out, less than outliers do. Of normal noise, they are within kNormalShare standard deviations.
constexpr double kShare = 0.85, kNormalShare = 1.4395;
/// Up to so many points, a change may be at any of them; in a longer series, only at the best places of its parts.
constexpr std::size_t kAllPlaces = 64;
/// Length of the shortest part, at least this share of the series, and the ratio of the next longer one.
constexpr double kShortestPart = 12, kShortestShare = 1.0 / 30, kNextPart = 1.42;
/// Most changes: one per so many points, and in all.
constexpr std::size_t kPointsPerChange = 4, kMostChanges = 12;
/// If a division with the most changes leaves less than this share of the sum of squares, there may be more of them.
constexpr double kHidden = 0.2;
/// Length of the parts in which they are then looked for.
constexpr std::size_t kPart = 96;
/// From this correlation on, lag 2 says how slowly it decays.
constexpr double kSlow = 0.3;
/// Normal scores of two separate levels are about this many standard deviations apart, however far their values are.
constexpr double kApart = 3.5;
/// A larger distance counts up to this many times more, and more between levels that do not overlap.
constexpr double kMostBoost = 4, kMostBoostApart = 16;
/// Up to so many points, a level is judged by its rarity, too.
constexpr std::size_t kFewPoints = 8;
/// Distance of its median from that of the next level, in standard deviations of the noise, from which it is a level.
constexpr double kLeastShort = 1.5;
/// Fewest points of a level whose distance counts more: fewer may be outliers. Levels that do not overlap may have
/// fewer in a short series, where outliers hardly follow each other: the length of the series, and the points.
constexpr std::size_t kFewestBoosted = 5;
constexpr std::array<std::pair<std::size_t, std::size_t>, 2> kFewestApart{{{30, 3}, {60, 4}}};
/// A weaker change is none in any case.
constexpr double kLeastEvidence = 6;

/// Changes that return to the level before the last one, two thirds of them or more, are no changes but a series that
/// switches, if they are three or more, or if there are visits besides. For this, divisions count from a share of the
/// critical evidence on.
constexpr double kReturning = 2.0 / 3, kLikely = 0.6;
constexpr std::size_t kFewestSwitches = 3;
/// A level has returned if it is nearer to that of the level before the last one, by this share of the last change.
constexpr double kNearReturn = 1.0 / 4;
/// Stays are short if their mean is this when visits count as stays. With fewer changes, there must be so many visits.
/// Visits whose points do not follow each other, by this mean length, are independent noise of two levels.
constexpr std::size_t kShortStay = 20, kShortStayAlone = 16, kFewestVisitsAlone = 2;
constexpr double kMeanVisit = 2.5;
/// A change beyond switching is this many times larger.
constexpr double kBeyondSwitching = 1.5;

struct CriticalEvidence {
  double count, evidence;
};
/// Between these lengths, it is interpolated over the logarithm of the length. `simulate critical` prints the quantiles
/// that they come from: on the noises that are not reported, at most 3 % of unchanged series reach them, also where
/// they are autocorrelated with up to 0.75. A longer series never needs more, so that its growth alone withdraws no
/// change: from 100 points on it is what 1000 points need, which have more places. Below it is higher, because a series
/// is looked at every night, and a short one hardly shows its autocorrelation.
constexpr std::array<CriticalEvidence, 5> kCritical{{{20, 32}, {30, 30}, {40, 27}, {60, 22.5}, {100, 20.5}}};

/// Most points that a start moves by the values, and the distance from a level beyond which a value counts no more, in
/// standard deviations.
constexpr std::size_t kMostMoved = 6;
constexpr double kClipped = 2.5;

/// Points on each side that say how large a change is, the least size in standard deviations of the noise around it,
/// and the median distance of normal noise from its median in such.
constexpr std::size_t kMostNear = 20;
constexpr double kLeastEffect = 1.5, kNormalMad = 0.6745;

/// Points of freedom that a level takes up: its height, and the choice of its place.
constexpr double kPlacePoints = 3;
/// Of a line that is straight, a curve that begins and ends gains less (in evidence): of 200 lines through normal noise
/// or t with 2 and 40 to 400 points, 99 % gained less than 10, through AR(1) with 0.5 95 % less than 14.
constexpr double kBeginsOrEnds = 15;
/// Points on each side of one whose median says where it should be.
constexpr std::size_t kBesideMiddle = 3;
/// Places where such a curve may begin or end.
constexpr std::size_t kRampPlaces = 24;

/// Sums over the scores before each point, so that those of any part cost two subtractions.
class Sums {
 public:
  explicit Sums(std::span<const double> scores) : scores_(scores) {
    for (std::vector<double>* const sums : {&sum_, &squares_, &lag1_, &lag2_}) sums->reserve(scores.size() + 1);
    sum_.push_back(0);
    squares_.push_back(0);
    lag1_.push_back(0);
    lag2_.push_back(0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      sum_.push_back(sum_.back() + scores[i]);
      squares_.push_back(squares_.back() + scores[i] * scores[i]);
      lag1_.push_back(lag1_.back() + (i >= 1 ? scores[i] * scores[i - 1] : 0));
      lag2_.push_back(lag2_.back() + (i >= 2 ? scores[i] * scores[i - 2] : 0));
    }
  }

  std::size_t size() const { return scores_.size(); }
  double mean(std::size_t from, std::size_t to) const { return sum(from, to) / length(from, to); }
  /// Sum of squared distances from the mean.
  double spread(std::size_t from, std::size_t to) const {
    const double all = sum(from, to);
    return std::max(0.0, squares_[to] - squares_[from] - all * all / length(from, to));
  }
  /// Sum of the products of distances from the mean of points `lag` (1 or 2) apart.
  double product(std::size_t from, std::size_t to, std::size_t lag) const {
    if (to - from <= lag) return 0;
    const std::vector<double>& products = lag == 1 ? lag1_ : lag2_;
    const double middle = mean(from, to);
    return products[to] - products[from + lag] - middle * (sum(from + lag, to) + sum(from, to - lag)) +
           static_cast<double>(to - from - lag) * middle * middle;
  }

 private:
  double sum(std::size_t from, std::size_t to) const { return sum_[to] - sum_[from]; }
  static double length(std::size_t from, std::size_t to) { return static_cast<double>(to - from); }

  std::span<const double> scores_;
  std::vector<double> sum_, squares_, lag1_, lag2_;
};

/// Equal values have the score of their mean rank.
std::vector<double> normal_scores(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> scores(n);
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && values[order[end]] == values[order[i]];) ++end;
    const double share = static_cast<double>(i + end) / 2 / static_cast<double>(n);
    const double score = std::sqrt(2.0) * boost::math::erf_inv(2 * share - 1);
    for (std::size_t k = i; k < end; ++k) scores[order[k]] = score;
  }
  return scores;
}

/// The best place to divide a part in two; `from` if it is too short.
std::size_t best_place(const Sums& sums, std::size_t from, std::size_t to) {
  std::size_t best = from;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t place = from + kShortestLevel; place + kShortestLevel <= to; ++place)
    if (const double spread = sums.spread(from, place) + sums.spread(place, to); spread < least)
      std::tie(least, best) = std::pair(spread, place);
  return best;
}

/// Where a change may be, ascending, without 0 and with the end: every point, or the best place of each part of a set
/// of overlapping parts of all lengths (Kovacs, Buhlmann, Li and Munk, "Seeded binary segmentation", Biometrika 110
/// (2023) 249-256).
std::vector<std::size_t> places(const Sums& sums) {
  const std::size_t n = sums.size();
  std::vector<std::size_t> found;
  if (n <= kAllPlaces) {
    for (std::size_t i = kShortestLevel; i + kShortestLevel <= n; ++i) found.push_back(i);
  } else {
    const auto all = static_cast<double>(n);
    for (double length = std::max(kShortestPart, kShortestShare * all); length < 2 * all; length *= kNextPart) {
      const std::size_t part = std::min(n, static_cast<std::size_t>(length));
      for (std::size_t from = 0;; from += part / 2) {
        const std::size_t to = std::min(n, from + part);
        if (const std::size_t place = best_place(sums, from, to); place != from) found.push_back(place);
        if (to == n) break;
      }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
  found.push_back(n);
  return found;
}

/// Takes the bias out of an autocorrelation estimated around the means of `levels` levels of `count` points. Kendall,
/// "Note on bias in the estimation of autocorrelation", Biometrika 41 (1954) 403-404, has it for one level.
double unbiased(double correlation, std::size_t count, std::size_t levels) {
  const auto n = static_cast<double>(count), means = static_cast<double>(levels);
  return std::clamp(correlation + means * (1 + 3 * correlation) / n, 0.0, kMostCorrelation);
}

/// The variance of a mean of many points over that of as many independent ones.
double inflation(double lag1, double lag2) {
  // rho_k = rho_1 decay^(k - 1): an autoregressive process, or levels that stay, with independent noise on top.
  const double decay = lag1 > kSlow ? std::clamp(lag2 / lag1, lag1, kMostCorrelation) : lag1;
  return 1 + 2 * lag1 / (1 - decay);
}

std::vector<std::size_t> edges_of(const std::vector<std::size_t>& starts, std::size_t end) {
  std::vector<std::size_t> edges;
  edges.reserve(starts.size() + 2);
  edges.push_back(0);
  edges.insert(edges.end(), starts.begin(), starts.end());
  edges.push_back(end);
  return edges;
}

/// Of each level between two edges.
std::vector<double> medians_of(std::span<const double> values, const std::vector<std::size_t>& edges) {
  std::vector<double> medians;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    medians.push_back(median(values.subspan(edges[i], edges[i + 1] - edges[i])));
  return medians;
}

/// Runs of points inside of levels that are nearer to the level next to theirs.
struct Visits {
  std::size_t points = 0, runs = 0;
  std::size_t count = 0;  // runs of at least two points

  bool last() const { return static_cast<double>(points) >= kMeanVisit * static_cast<double>(runs); }
};
Visits visits_of(std::span<const double> values, const std::vector<std::size_t>& edges,
                 const std::vector<double>& medians) {
  Visits visits;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    const double other = medians[i == 0 ? 1 : i - 1];
    std::size_t run = 0;
    for (std::size_t k = edges[i]; k < edges[i + 1]; ++k) {
      run = std::abs(values[k] - other) < std::abs(values[k] - medians[i]) ? run + 1 : 0;
      visits.points += run > 0;
      visits.runs += run == 1;
      visits.count += run == 2;
    }
  }
  return visits;
}

bool has_short_stays(std::size_t points, std::size_t levels, const Visits& visits) {
  const std::size_t stays = levels + 2 * visits.count;
  if (levels > kFewestSwitches) return points < kShortStay * stays;
  return visits.count >= kFewestVisitsAlone && visits.last() && points <= kShortStayAlone * stays;
}

/// The median distance of adjacent levels, if the series goes back and forth between them and its stays are short,
/// found or not; else 0. Levels that return after long stays are changes.
double distance_switched(std::span<const double> values, const std::vector<std::size_t>& edges) {
  const std::vector<double> medians = medians_of(values, edges);
  if (medians.size() < 2 || !has_short_stays(values.size(), medians.size(), visits_of(values, edges, medians)))
    return 0;
  std::size_t returns = 0;
  std::vector<double> distances;
  for (std::size_t i = 1; i < medians.size(); ++i) {
    distances.push_back(std::abs(medians[i] - medians[i - 1]));
    returns += i >= 2 && std::abs(medians[i] - medians[i - 2]) < kNearReturn * distances.back();
  }
  const bool is_two_levels = static_cast<double>(returns) >= kReturning * static_cast<double>(medians.size() - 2);
  return is_two_levels ? median(distances) : 0;
}

/// How much more the distance of adjacent levels counts than that of their scores.
class Boosts {
 public:
  Boosts(std::span<const double> values, const std::vector<std::size_t>& edges) : medians_(medians_of(values, edges)) {
    std::vector<double> distances;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      const std::span<const double> level = values.subspan(edges[i], edges[i + 1] - edges[i]);
      for (const double value : level) distances.push_back(std::abs(value - medians_[i]));
      sizes_.push_back(level.size());
      hulls_.push_back(std::ranges::minmax(level));
    }
    for (const auto& [count, fewest] : kFewestApart)
      if (values.size() <= count) fewest_apart_ = std::min(fewest_apart_, fewest);
    std::ranges::sort(distances);
    // The medians take up one point of each level.
    const double share = static_cast<double>(distances.size()) / static_cast<double>(distances.size() - sizes_.size());
    sigma_ = sorted_quantile(distances, kShare) / kNormalShare * std::sqrt(share);
  }

  const std::vector<double>& medians() const { return medians_; }

  /// Between level `i` and the next.
  double at(std::size_t i) const {
    const bool apart = hulls_[i].max < hulls_[i + 1].min || hulls_[i + 1].max < hulls_[i].min;
    if (std::min(sizes_[i], sizes_[i + 1]) < (apart ? fewest_apart_ : kFewestBoosted)) return 1;
    const double step = std::abs(medians_[i + 1] - medians_[i]);
    const double most = apart ? kMostBoostApart : kMostBoost;
    if (sigma_ <= 0) return apart ? most : 1;
    const double boost = step / sigma_ / kApart;
    return std::clamp(boost * boost, 1.0, most);
  }

 private:
  std::vector<double> medians_;
  std::vector<std::size_t> sizes_;
  std::vector<std::ranges::minmax_result<double>> hulls_;
  std::size_t fewest_apart_ = kFewestBoosted;
  double sigma_ = 0;
};

/// A bound on the evidence for a short level: scores of values that are mostly equal are far from normal. None
/// (infinite) for a longer level; 0 if both levels have the same median, as `same` says.
double rarity(std::span<const double> a, std::span<const double> b, bool same) {
  if (same) return 0;
  const bool is_short = std::min(a.size(), b.size()) <= kFewPoints;
  return is_short ? 2 * rarity_of_levels(a, b) : std::numeric_limits<double>::infinity();
}

/// `thorough`: also a division with a change that is none in any case.
Division judged(std::span<const double> values, const Sums& sums, std::vector<std::size_t> starts, bool thorough) {
  const std::size_t n = sums.size(), levels = starts.size() + 1;
  const std::vector<std::size_t> edges = edges_of(starts, n);
  double within = 0;
  std::array<double, 2> products{}, pairs{};
  for (std::size_t i = 0; i < levels; ++i) {
    within += sums.spread(edges[i], edges[i + 1]);
    for (const std::size_t lag : {1, 2}) {
      products[lag - 1] += sums.product(edges[i], edges[i + 1], lag);
      pairs[lag - 1] += static_cast<double>(edges[i + 1] - edges[i] - lag);
    }
  }
  Division division{std::move(starts), std::numeric_limits<double>::infinity(), {}, 0};
  division.each.assign(levels - 1, division.evidence);
  if (const double all = sums.spread(0, n); all > 0) division.unexplained = within / all;
  // Rounding alone leaves about this much in constant levels.
  if (within < 1e-12 * static_cast<double>(n)) {
    for (std::size_t i = 0; i + 2 < edges.size(); ++i)
      if (is_same_value(values[edges[i]], values[edges[i + 1]])) division.evidence = division.each[i] = 0;
    return division;
  }
  std::array<double, 2> correlations{};
  for (const std::size_t lag : {0, 1})
    correlations[lag] = unbiased(products[lag] / within * static_cast<double>(n) / pairs[lag], n, levels);
  const double variance = within / static_cast<double>(n - levels) * inflation(correlations[0], correlations[1]);
  std::vector<double>& each = division.each;
  for (std::size_t i = 0; i + 2 < edges.size(); ++i) {
    const double step = sums.mean(edges[i + 1], edges[i + 2]) - sums.mean(edges[i], edges[i + 1]);
    const double share =
        1 / static_cast<double>(edges[i + 1] - edges[i]) + 1 / static_cast<double>(edges[i + 2] - edges[i + 1]);
    each[i] = step * step / (variance * share);
  }
  division.evidence = std::ranges::min(each);
  if (division.evidence < kLeastEvidence && !thorough) return division;
  const Boosts boosts(values, edges);
  for (std::size_t i = 0; i < each.size(); ++i) {
    const std::span<const double> old_level = values.subspan(edges[i], edges[i + 1] - edges[i]);
    const std::span<const double> new_level = values.subspan(edges[i + 1], edges[i + 2] - edges[i + 1]);
    const bool same = is_same_value(boosts.medians()[i], boosts.medians()[i + 1]);
    each[i] = boosts.at(i) * std::min(each[i], rarity(old_level, new_level, same));
    if (each[i] < kLeastEvidence && !thorough) break;
  }
  division.evidence = std::ranges::min(each);
  return division;
}

/// By place: the sums of squares between each place before it that is a level away, and it.
std::vector<std::vector<double>> spreads_between(const Sums& sums, const std::vector<std::size_t>& at) {
  std::vector<std::vector<double>> spreads(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    spreads[i].reserve(i);
    for (std::size_t j = 0; j < i && at[j] + kShortestLevel <= at[i]; ++j)
      spreads[i].push_back(sums.spread(at[j], at[i]));
  }
  return spreads;
}

/// The least `before[j] + spread[j]` from `j = first` on; infinite if there is none.
double least_sum(const std::vector<double>& before, const std::vector<double>& spread, std::size_t first) {
  // Four minima, because each waits for the one before.
  std::array<double, 4> least;
  least.fill(std::numeric_limits<double>::infinity());
  std::size_t j = first;
  for (; j + least.size() <= spread.size(); j += least.size())
    for (std::size_t k = 0; k < least.size(); ++k) least[k] = std::min(least[k], before[j + k] + spread[j + k]);
  for (; j < spread.size(); ++j) least[0] = std::min(least[0], before[j] + spread[j]);
  return std::ranges::min(least);
}

/// The first `j` of it.
std::size_t place_of_least(const std::vector<double>& before, const std::vector<double>& spread, std::size_t first) {
  std::size_t best = first;
  for (std::size_t j = first + 1; j < spread.size(); ++j)
    if (before[j] + spread[j] < before[best] + spread[best]) best = j;
  return best;
}

}  // namespace

std::vector<Division> divisions(std::span<const double> values) {
  return divisions(values, false);
}

std::vector<Division> divisions(std::span<const double> values, bool thorough) {
  const std::size_t n = values.size();
  if (n < kFewestSegmented) return {};
  const std::vector<double> scores = normal_scores(values);
  const Sums sums(scores);
  const std::vector<std::size_t> at = places(sums);
  const std::size_t most = std::clamp<std::size_t>(n / kPointsPerChange, 1, kMostChanges);
  const std::vector<std::vector<double>> spreads = spreads_between(sums, at);
  // By changes and place: the least sum of squares of the points before it.
  std::vector<std::vector<double>> least{std::vector<double>(at.size())};
  for (std::size_t i = 0; i < at.size(); ++i) least[0][i] = sums.spread(0, at[i]);
  std::vector<Division> all;
  for (std::size_t changes = 1; changes <= most; ++changes) {
    std::vector<double>& sum = least.emplace_back(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) sum[i] = least_sum(least[changes - 1], spreads[i], changes - 1);
    if (sum.back() == std::numeric_limits<double>::infinity()) break;
    std::vector<std::size_t> starts(changes);
    std::size_t place = at.size() - 1;
    for (std::size_t k = changes; k-- > 0;) starts[k] = at[place = place_of_least(least[k], spreads[place], k)];
    all.push_back(judged(values, sums, std::move(starts), thorough));
  }
  return all;
}

namespace {

/// The sum of squares around the best of the curves that are constant, then a straight line, then constant.
double around_ramp(const std::vector<double>& values, double all, double mean) {
  const std::size_t n = values.size(), step = std::max<std::size_t>(1, n / kRampPlaces);
  std::vector<double> sum{0}, moment{0};
  for (std::size_t i = 0; i < n; ++i) {
    sum.push_back(sum.back() + values[i]);
    moment.push_back(moment.back() + static_cast<double>(i) * values[i]);
  }
  double least = all;
  for (std::size_t from = 0; from + step < n; from += step)
    for (std::size_t to = from + step; to < n; to += step) {
      // The curve is 0 up to `from` and 1 from `to` on: its sum, its sum of squares and that of products with values.
      const auto length = static_cast<double>(to - from), after = static_cast<double>(n - 1 - to);
      const double heights = (length + 1) / 2 + after;
      const double squares = (length + 1) * (2 * length + 1) / (6 * length) + after;
      const double products =
          (moment[to + 1] - moment[from] - static_cast<double>(from) * (sum[to + 1] - sum[from])) / length + sum[n] -
          sum[to + 1];
      const double variance = squares - heights * heights / static_cast<double>(n);
      const double covariance = products - heights * mean;
      if (variance > 0) least = std::min(least, all - covariance * covariance / variance);
    }
  return least;
}

/// The values, at most kClipped standard deviations from the median of the points around each of them, less the first
/// of these medians. A single value beyond that is neither on a line nor a level.
std::vector<double> clipped_around_medians(std::span<const double> values) {
  std::vector<double> middles, distances;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i - std::min(i, kBesideMiddle), to = std::min(values.size(), i + kBesideMiddle + 1);
    middles.push_back(median(values.subspan(from, to - from)));
    distances.push_back(std::abs(values[i] - middles[i]));
  }
  const double most = kClipped * median(distances) / kNormalMad;
  std::vector<double> clipped;
  for (std::size_t i = 0; i < values.size(); ++i)
    clipped.push_back(std::clamp(values[i], middles[i] - most, middles[i] + most) - middles.front());
  return clipped;
}

/// Whether a straight line fits better than levels. Of the values themselves: scores of two levels that drift are
/// nearly on a line. A drift that begins or ends is none: it has levels.
bool is_drift(std::span<const double> values, const std::vector<std::size_t>& starts) {
  const std::vector<double> clipped = clipped_around_medians(values);
  const Sums sums(clipped);
  const auto n = static_cast<double>(clipped.size());
  double product = 0;
  for (std::size_t i = 0; i < clipped.size(); ++i) product += (static_cast<double>(i) - (n - 1) / 2) * clipped[i];
  const double all = sums.spread(0, clipped.size());
  const double around_line = all - product * product / (n * (n * n - 1) / 12);
  double around_levels = 0;
  const std::vector<std::size_t> edges = edges_of(starts, clipped.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) around_levels += sums.spread(edges[i], edges[i + 1]);
  const double least = around_levels / std::max(1.0, n - 1 - kPlacePoints * static_cast<double>(starts.size()));
  if (around_line / (n - 2) >= least) return false;
  return n * std::log(around_line / around_ramp(clipped, all, sums.mean(0, clipped.size()))) < kBeginsOrEnds;
}

/// Whether levels explain most of the series, though some of their changes are not sure: there may be more changes than
/// a division has.
bool may_hide_more(std::span<const double> values, const Division& division) {
  return division.starts.size() == kMostChanges && division.unexplained < kHidden &&
         distance_switched(values, edges_of(division.starts, values.size())) == 0;
}

/// How wide the noise around the levels between `edges` is; standard deviations of normal noise.
double noise_around(std::span<const double> values, const std::vector<std::size_t>& edges) {
  const std::vector<double> medians = medians_of(values, edges);
  std::vector<double> distances;
  for (std::size_t i = 0; i < medians.size(); ++i)
    for (std::size_t k = edges[i]; k < edges[i + 1]; ++k) distances.push_back(std::abs(values[k] - medians[i]));
  return sorted_quantile(sorted(distances), kShare) / kNormalShare;
}

/// Moves each start to where the values fit their levels best: scores do not tell how far apart values are. Beyond
/// kClipped standard deviations a value counts no more, so that an outlier before a step does not pull it.
void place_by_values(std::span<const double> values, std::vector<std::size_t>& starts) {
  const std::vector<std::size_t> edges = edges_of(starts, values.size());
  const std::vector<double> medians = medians_of(values, edges);
  const double most = kClipped * noise_around(values, edges);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto gain = [&](std::size_t at) {  // of a point that belongs to the next level and not to its own
      const double mine = std::abs(values[at] - medians[i]), next = std::abs(values[at] - medians[i + 1]);
      return most > 0 ? std::min(mine, most) - std::min(next, most) : mine - next;
    };
    const std::size_t placed = starts[i];
    // The start before has moved already.
    const std::size_t from = i == 0 ? 0 : starts[i - 1];
    const std::size_t first = std::max(from + kShortestLevel, placed - std::min(placed, kMostMoved));
    const std::size_t last = std::min(edges[i + 2] - kShortestLevel, placed + kMostMoved);
    double best = 0, sum = 0;
    for (std::size_t at = placed; at-- > first;)
      if ((sum += gain(at)) > best) std::tie(best, starts[i]) = std::pair(sum, at);
    sum = 0;
    for (std::size_t at = placed; at < last; ++at)
      if ((sum -= gain(at)) > best) std::tie(best, starts[i]) = std::pair(sum, at + 1);
  }
}

/// Takes out the changes to or from a level of few points whose median is as good as that of the level next to it: an
/// outlier among few points looks rare, and a median does not follow it.
void take_out_outliers(std::span<const double> values, std::vector<std::size_t>& starts) {
  for (std::size_t i = 0; i < starts.size();) {
    const std::vector<std::size_t> edges = edges_of(starts, values.size());
    const std::vector<double> medians = medians_of(values, edges);
    const bool is_short = std::min(edges[i + 1] - edges[i], edges[i + 2] - edges[i + 1]) <= kFewPoints;
    if (is_short && std::abs(medians[i + 1] - medians[i]) < kLeastShort * noise_around(values, edges)) {
      starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    } else {
      ++i;
    }
  }
}

/// How far the levels on both sides of a change are apart, in standard deviations of the noise there: of the medians of
/// up to kMostNear points. Infinite without noise.
double local_effect(std::span<const double> values, const std::vector<std::size_t>& edges, std::size_t i) {
  const std::size_t at = edges[i + 1];
  const std::size_t before = std::min(kMostNear, at - edges[i]), after = std::min(kMostNear, edges[i + 2] - at);
  const std::span<const double> near = values.subspan(at - before, before + after);
  const double old_median = median(near.first(before)), new_median = median(near.last(after));
  std::vector<double> distances;
  for (std::size_t k = 0; k < near.size(); ++k)
    distances.push_back(std::abs(near[k] - (k < before ? old_median : new_median)));
  const double sigma = median(distances) / kNormalMad, step = std::abs(new_median - old_median);
  return sigma > 0 ? step / sigma : std::numeric_limits<double>::infinity();
}

/// Whether one of `steps` is at `start`, or has been moved there by the values.
bool is_among(const std::vector<std::size_t>& steps, std::size_t start) {
  return std::ranges::any_of(
      steps, [&](std::size_t step) { return std::max(step, start) - std::min(step, start) < kShortestLevel; });
}

/// Takes out the changes that are smaller than the noise around them, the smallest first: points enough make any
/// difference sure, but nobody sees this one. `steps` stand out, and stay.
void take_out_small(std::span<const double> values, std::vector<std::size_t>& starts,
                    const std::vector<std::size_t>& steps) {
  while (!starts.empty()) {
    const std::vector<std::size_t> edges = edges_of(starts, values.size());
    std::vector<double> effects;
    for (std::size_t i = 0; i < starts.size(); ++i)
      effects.push_back(is_among(steps, starts[i]) ? kLeastEffect : local_effect(values, edges, i));
    const auto least = std::ranges::min_element(effects);
    if (*least >= kLeastEffect) return;
    starts.erase(starts.begin() + (least - effects.begin()));
  }
}

/// Those of `starts` whose levels are farther apart than those that the series switches between.
std::vector<std::size_t> beyond_switching(std::span<const double> values, const std::vector<std::size_t>& starts,
                                          double distance) {
  if (distance == 0) return starts;
  const std::vector<double> medians = medians_of(values, edges_of(starts, values.size()));
  std::vector<std::size_t> beyond;
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (std::abs(medians[i + 1] - medians[i]) > kBeyondSwitching * distance) beyond.push_back(starts[i]);
  return beyond;
}

/// Moves the starts to their places and takes out those that are none.
void settle(std::span<const double> values, std::vector<std::size_t>& starts,
            const std::vector<std::size_t>& steps = {}) {
  place_by_values(values, starts);
  take_out_outliers(values, starts);
  take_out_small(values, starts, steps);
}

struct Switched {
  Levels levels;
  double distance = 0;  ///< between the levels that the series switches between; 0: it does not
};

Switched levels_of(std::span<const double> values, const std::vector<Division>& all, double critical) {
  const auto is_sure = [&](const Division& one) { return one.evidence > critical; };
  auto found = std::find_if(all.rbegin(), all.rend(), is_sure);
  if (found == all.rend()) return {};
  found = std::find_if(found, all.rend(),
                       [&](const Division& one) { return is_sure(one) && !is_drift(values, one.starts); });
  if (found == all.rend()) return {{.drifting = true}, 0};
  double distance = 0;
  for (const Division& one : all)
    if (one.evidence > kLikely * critical)
      distance = std::max(distance, distance_switched(values, edges_of(one.starts, values.size())));
  Levels levels{.starts = beyond_switching(values, found->starts, distance), .switching = distance > 0};
  settle(values, levels.starts);
  return {std::move(levels), distance};
}

/// The changes of parts that have few of them each. A part says what is in its middle half, and its end if no other
/// part does: nearer to an end a level may be cut off, so that its change is not sure. Of its divisions, the one with
/// the most changes counts whose changes there are all sure.
std::vector<std::size_t> starts_in_parts(std::span<const double> values, double critical) {
  std::vector<std::size_t> starts;
  for (std::size_t from = 0;; from += kPart / 2) {
    const std::size_t to = std::min(values.size(), from + kPart);
    const bool is_last = to == values.size();
    // A little more, because two parts may place a change a little differently.
    const std::size_t first = from == 0 ? 0 : kPart / 4 - kShortestLevel;
    const std::size_t end = is_last ? kPart : kPart * 3 / 4 + kShortestLevel;
    const std::vector<Division> all = divisions(values.subspan(from, to - from), true);
    const auto has_its_own = [&](std::size_t start) { return start >= first && start < end; };
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Division& one) {
      for (std::size_t i = 0; i < one.starts.size(); ++i)
        if (has_its_own(one.starts[i]) && one.each[i] <= critical) return false;
      return true;
    });
    if (found != all.rend())
      for (const std::size_t start : found->starts)
        if (has_its_own(start) && (starts.empty() || from + start >= starts.back() + kShortestLevel))
          starts.push_back(from + start);
    if (is_last) return starts;
  }
}

/// The levels that divisions of the series show.
Switched divided(std::span<const double> values, double critical) {
  const std::vector<Division> all = divisions(values);
  if (!all.empty() && may_hide_more(values, all.back()))
    if (std::vector<std::size_t> more = starts_in_parts(values, critical);
        more.size() > kMostChanges && !is_drift(values, more)) {
      place_by_values(values, more);
      return {{.starts = std::move(more)}, 0};
    }
  return levels_of(values, all, critical);
}

/// The levels of the series; where it has sharp steps, these, and the levels of each part between them.
Levels levels_with_steps(std::span<const double> values, double critical, double more) {
  Switched whole = divided(values, critical);
  std::vector<std::size_t> steps = sharp_steps(values, more);
  if (steps.empty()) return std::move(whole.levels);
  const double distance = std::max(whole.distance, distance_switched(values, edges_of(steps, values.size())));
  steps = beyond_switching(values, steps, distance);
  if (steps.empty())
    return {.starts = beyond_switching(values, whole.levels.starts, distance),
            .switching = distance > 0,
            .drifting = whole.levels.drifting};
  Levels levels{.starts = steps, .switching = distance > 0};
  // What the whole series shows is sure as well, where it is no step told twice.
  for (const std::size_t start : beyond_switching(values, whole.levels.starts, distance))
    if (std::ranges::none_of(
            steps, [&](std::size_t step) { return std::max(step, start) - std::min(step, start) <= kMostMoved; }))
      levels.starts.push_back(start);
  std::ranges::sort(levels.starts);
  const std::vector<std::size_t> edges = edges_of(levels.starts, values.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const std::size_t from = edges[i], count = edges[i + 1] - from;
    const Levels part = divided(values.subspan(from, count), critical_evidence(count) + more).levels;
    for (const std::size_t start : part.starts) levels.starts.push_back(from + start);
    if (i + 2 == edges.size()) levels.switching = levels.switching || part.switching;
  }
  std::ranges::sort(levels.starts);
  settle(values, levels.starts, steps);
  for (const std::size_t start : levels.starts)
    if (is_among(steps, start)) levels.sharp.push_back(start);
  return levels;
}

}  // namespace

Levels find_levels(std::span<const double> values) {
  return find_levels(values, values.size(), 0);
}

Levels find_levels(std::span<const double> values, std::size_t count, double more) {
  const std::size_t left_out = values.size() - std::min(values.size(), kMostSegmented);
  const std::span<const double> last = values.subspan(left_out);
  Levels levels = levels_with_steps(last, critical_evidence(std::min(count, kMostSegmented)) + more, more);
  for (std::vector<std::size_t>* starts : {&levels.starts, &levels.sharp})
    for (std::size_t& start : *starts) start += left_out;
  return levels;
}

double evidence_between(std::span<const double> before, std::span<const double> after) {
  std::vector<double> values(before.begin(), before.end());
  values.insert(values.end(), after.begin(), after.end());
  const std::vector<double> scores = normal_scores(values);
  return judged(values, Sums(scores), {before.size()}, true).evidence;
}

double critical_evidence(std::size_t count) {
  const double at = std::log(static_cast<double>(std::max<std::size_t>(1, count)));
  const auto next =
      std::ranges::find_if(kCritical, [&](const CriticalEvidence& one) { return std::log(one.count) >= at; });
  if (next == kCritical.begin()) return next->evidence;
  if (next == kCritical.end()) return kCritical.back().evidence;
  const auto last = next - 1;
  const double share = (at - std::log(last->count)) / (std::log(next->count) - std::log(last->count));
  return last->evidence + share * (next->evidence - last->evidence);
}

}  // namespace lab::stats
