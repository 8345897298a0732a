#include "harness/stats/change_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

#include "harness/stats/autocorrelation.h"
#include "harness/stats/choices.h"
#include "harness/stats/power.h"
#include "harness/stats/quantile.h"
#include "harness/stats/segmentation.h"
#include "harness/stats/spread.h"

namespace lab::stats {

namespace {

constexpr std::size_t kShortest = ChangePointDetector::kShortest, kLongest = ChangePointDetector::kLongest;
constexpr std::size_t kPlain = ChangePointDetector::kPlain;
constexpr double kAlarm = 6.75;
constexpr double kShort = 5;             // divided by the points of the baseline, subtracted from its scores
constexpr double kLeastShift = 1.5;      // sigma: a smaller shift is a narrow cluster or a wave, not a step
constexpr double kLongestPenalty = 1.5;  // subtracted for the longest window under autocorrelation: it fits waves best
constexpr double kExcess = 0.5;          // of Density::excess
// The penalty for heavy tails, from the logarithms of reach and shoulder relative to those of a normal distribution.
constexpr double kReach = 3.5, kReachPenalty = 2, kReachMax = 0.4;
constexpr double kShoulder = 1.6, kShoulderPenalty = 1.4;
// A series counts as autocorrelated with a logistic weight of its estimate, a short one with a larger weight.
constexpr double kCorrelated = 0.15, kSharpness = 1.5, kUncertainty = 0.8;
constexpr double kLongEnough = 60, kShortPenalty = 5;
constexpr double kKnownAs = 40;          // points that the other series' autocorrelation is worth
constexpr double kSigmaVariance = 1.36;  // of the logarithm of robust_sigma of n normal points, times n
constexpr double kMostWorth = 200;       // points that the other series' sigma is worth if none differs
constexpr double kWorthEach = 3;         // so many of these are one point in a young baseline
constexpr double kMostShared = 6;        // points that stand for the other series' noise in a young baseline
constexpr double kPersistence = 0.35;    // share of a point's distance from the median that carries over to the next
constexpr double kMaxDistance = 2.5;     // sigma, of that distance
constexpr double kGap = 0.5;             // of the baseline's range, between it and a plain step
/// Points of a baseline that far from its median, in sigma, are outliers, unless more than so many follow each other.
constexpr double kOutlier = 4;
constexpr std::size_t kMostInRow = 2;
constexpr double kFarFromConstant = 0.0999;  // of a level that never varied: a tenth, whatever the rounding
constexpr std::size_t kSettled = 36;         // fewest points of a level that looking back may find
constexpr std::size_t kLooksBack = 10;       // looks back every time the series has grown by its tenth
constexpr double kLasting = 2;               // times as long as the level before it
constexpr double kMostScale = 100;           // maximum factor by which a carried shape grows with the level
constexpr std::size_t kOwnShape = 20;        // from so many points on, a new level has its own distribution
constexpr double kStepPrecision = 0.1;       // of a detectable step
constexpr double kFalseAlarms = 0.02, kFalseTables = 0.05;  // shares of series and of tables that reach the threshold
constexpr double kDecay = 0.5;                              // per nat beyond
/// A likelihood of an estimated density falls this much too fast. Chosen on simulate's tuning_noises() with seed 7:
/// with 1, the interval of a change contained the true one in 83 % of steps in log-normal noise with 0.8.
constexpr double kTooSharp = 1.8;
constexpr double kTogether = 0.4;  // nats of threshold per logarithm of series

/// Points between two updates of the distribution, which changes slowly in a long series.
std::size_t pace(std::size_t count) {
  return count < 64 ? 1 : count < ChangePointDetector::kMost ? 4 : 8;
}

/// Removes the bias: for independent points the mean estimate is -1 / n (Kendall, "Note on bias in the estimation of
/// autocorrelation", Biometrika 41 (1954) 403-404).
double unbiased(double autocorrelation, std::size_t count) {
  return autocorrelation + 1 / static_cast<double>(count);
}

/// Candidate shifts for a window: from median to median and from edge to edge.
std::array<double, 5> shifts(const Density& density, std::span<const double> ascending) {
  const double edge = 1 / static_cast<double>(ascending.size() + 1);
  return {median(ascending) - density.median(), ascending.front() - density.quantile(0.1),
          ascending.back() - density.quantile(0.9), ascending.front() - density.quantile(edge),
          ascending.back() - density.quantile(1 - edge)};
}

double penalty_of_tails(const Density& density) {
  return kReachPenalty * std::clamp(std::log(density.reach() / kReach), 0.0, kReachMax) +
         kShoulderPenalty * std::clamp(std::log(density.shoulder() / kShoulder), 0.0, 1.0);
}

/// The log-likelihood that a window gains by a shift; `unshifted` has that of each of its points without. `known` is
/// n / (n + m), with n the number of points of the baseline's level.
double total_gain(const Density& density, std::span<const double> window, std::span<const double> unshifted,
                  double shift, double known) {
  std::array<double, kLongest> gains{};  // descending
  for (std::size_t i = 0; i < window.size(); ++i) {
    const auto end = gains.begin() + static_cast<std::ptrdiff_t>(i);
    const double gain = known * (density.log_at(window[i] - shift) - unshifted[i]);
    const auto at = std::upper_bound(gains.begin(), end, gain, std::greater<>());
    std::move_backward(at, end, end + 1);
    *at = gain;
  }
  double sum = 0, rank = 1;
  for (std::size_t i = 0; i < window.size(); ++i, ++rank)
    sum += std::min(gains[i], std::log((static_cast<double>(density.size()) + rank) / rank));
  return sum;
}

double range(std::span<const double> ascending) {
  return ascending.back() - ascending.front();
}

/// Whether a constant series has another value now. Three equal values, or values that differ enough from it, are no
/// beginning of noise.
bool leaves_constant(std::span<const double> window, double constant) {
  const double nearest = std::min(std::abs(window.front() - constant), std::abs(window.back() - constant));
  const bool is_one_side = (window.front() > constant) == (window.back() > constant);
  return is_one_side && nearest > 0 && (range(window) == 0 || nearest >= kFarFromConstant * std::abs(constant));
}

/// How many of `count` points a window of `length` may leave out of account, so that it is as rare for it to lie beyond
/// all others as it is for the shortest window and the shortest baseline.
std::size_t outliers_allowed(std::size_t count, std::size_t length) {
  static const double rare = log_choices(ChangePointDetector::kFewest + kPlain, kPlain);
  const double all = log_choices(count + length, length);
  std::size_t allowed = 0;
  while (all - log_choices(allowed + 1 + length, length) >= rare) ++allowed;
  return allowed;
}

/// The points without the `count` that are farthest from their median.
std::span<const double> without_outliers(std::span<const double> ascending, std::size_t count) {
  const double middle = ascending[ascending.size() / 2];
  for (; count > 0; --count)
    ascending = middle - ascending.front() > ascending.back() - middle ? ascending.subspan(1)
                                                                       : ascending.first(ascending.size() - 1);
  return ascending;
}

/// How many of the values, in their order, are far from the median; 0 if more than kMostInRow follow each other: these
/// are a level.
std::size_t count_outliers(std::span<const double> values, double median, double sigma) {
  std::size_t count = 0, in_row = 0;
  for (const double value : values) {
    in_row = std::abs(value - median) > kOutlier * sigma ? in_row + 1 : 0;
    if (in_row > kMostInRow) return 0;
    count += in_row > 0;
  }
  return count;
}

/// The values of a level that is constant but for so few that kPlain points may leave them out of account, and of which
/// no more than kMostInRow follow each other: without these. Otherwise all of them. `ascending` are the same values.
std::vector<double> without_few_outliers(std::span<const double> values, std::vector<double> ascending) {
  const double constant = ascending[ascending.size() / 2];
  const auto same = std::ranges::equal_range(ascending, constant);
  const std::size_t others = ascending.size() - same.size();
  if (others == 0 || others > outliers_allowed(ascending.size(), kPlain) ||
      count_outliers(values, constant, 0) != others)
    return ascending;
  return {same.begin(), same.end()};
}

/// Whether all of `window` lies beyond `points`, but for up to `outliers` of them, by kGap of their range. Both are
/// sorted; `sigma` is that of `points`.
bool is_plain(std::span<const double> window, std::span<const double> points, double sigma, std::size_t outliers) {
  if (range(points) == 0 && leaves_constant(window, points.front())) return true;
  if (window.size() < kPlain) return false;
  points = without_outliers(points, std::min(outliers, outliers_allowed(points.size(), window.size())));
  // A constant series that begins to vary is no step: its values lie on both sides of the old one, or close to it.
  const double spread = range(points) > 0 ? range(points) : std::max(range(window), sigma / kGap);
  const double gap = kGap * spread;
  return window.front() > points.back() + gap || window.back() < points.front() - gap;
}

}  // namespace

ChangePointDetector::Candidate ChangePointDetector::judge_next(double value) {
  values_.push_back(value);
  Candidate best;
  for (std::size_t m = kShortest; m <= kLongest && m < values_.size(); ++m) {
    const Candidate candidate = judge(values_.size() - m);
    if (candidate.score > best.score) best = candidate;
  }
  return best;
}

bool ChangePointDetector::alarms(std::span<const double> next) {
  for (const double value : next) {
    if (judge_next(value).score > threshold()) return true;
    refresh();
  }
  return false;
}

std::optional<double> ChangePointDetector::detectable_step(std::size_t level) const {
  const std::span<const double> noise = std::span(values_).subspan(std::min(level, values_.size()));
  if (noise.size() < kFewest) return std::nullopt;
  const double sigma = mad_sigma(noise);
  if (!(sigma > 0)) return 0;
  ChangePointDetector ready = *this;
  for (Baseline& baseline : ready.baselines_)
    if (!baseline.density) ready.learn(baseline);
  // Of kTries cases, so many leave the step that one more case needs below theirs with kPower.
  const auto most_missed = static_cast<std::size_t>(static_cast<double>(kTries) - kPower * (kTries + 1));
  const auto is_found = [&](double step) {
    std::size_t missed = 0;
    for (std::size_t i = 0; i < kTries && missed <= most_missed; ++i) {
      std::array<double, kPlain> next{};
      const std::size_t from = i * (noise.size() - kPlain) / (kTries - 1);
      for (std::size_t k = 0; k < kPlain; ++k) next[k] = noise[from + k] + (i % 2 == 0 ? step : -step);
      missed += !ChangePointDetector(ready).alarms(next);
    }
    return missed <= most_missed;
  };
  if (!is_found(kMostTried * sigma)) return std::nullopt;
  double hidden = 0, found = kMostTried * sigma;
  while (found - hidden > kStepPrecision * found) {
    // Most are a few sigma: they are soon between bounds of the same size.
    const double step = hidden == 0 ? found / 4 : std::sqrt(hidden * found);
    (is_found(step) ? found : hidden) = step;
  }
  return found;
}

namespace {

/// The last context that a series of `count` points has seen.
DetectorContext context_after(std::size_t count, std::span<const WatchedFrom> contexts) {
  const auto later = std::ranges::find_if(contexts, [&](const WatchedFrom& one) { return one.index >= count; });
  return later == contexts.begin() ? DetectorContext() : std::prev(later)->context;
}

}  // namespace

ChangePointDetector::ChangePointDetector(std::span<const double> values, std::span<const WatchedFrom> contexts,
                                         const DetectorState& state)
    : values_(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(state.points)),
      level_(state.level),
      alarmed_(state.alarmed),
      looked_back_(state.looked_back),
      found_(state.found) {
  for (const DetectorState::Baseline& one : state.baselines) {
    context_ = context_after(one.made_at, contexts);
    add_baseline(one.end);
    baselines_.back().made_at = one.made_at;
  }
  context_ = context_after(state.points, contexts);
}

DetectorState ChangePointDetector::state() const {
  DetectorState state{values_.size(), level_, alarmed_, looked_back_, {}, found_};
  for (const Baseline& one : baselines_) state.baselines.push_back({one.end, one.made_at});
  return state;
}

bool ChangePointDetector::add(double value) {
  const Candidate best = judge_next(value);
  const bool alarm = best.score > threshold();
  if (alarm) {
    found_.push_back(described(best));
    level_ = next_level(best.index, best.end - best.of_level, best.of_level, found_.back().before, found_.back().after);
    level_.correlation = best.correlation;
    alarmed_ = level_;
    baselines_.clear();
  }
  refresh();
  look_back();
  return alarm;
}

double ChangePointDetector::threshold() const {
  return kAlarm + kTogether * std::log(static_cast<double>(std::max<std::size_t>(1, context_.series)));
}

void ChangePointDetector::refresh() {
  const std::size_t end = values_.size();
  const std::size_t count = std::min(end - level_.start, kMost);
  if (!baselines_.empty() && end - baselines_.back().end < pace(count)) return;
  add_baseline(end);
  while (baselines_.size() > 1 && baselines_[1].end + kLongest <= end + 1) baselines_.pop_front();
}

void ChangePointDetector::add_baseline(std::size_t end) {
  const std::size_t count = std::min(end - std::min(end, level_.start), kMost);
  const bool shape_is_carried = level_.carried.count > 0 && count < kOwnShape;
  if (count < (shape_is_carried ? kShortest : kFewest)) return;
  const std::span<const double> level(values_.data() + end - count, count);
  Baseline baseline{end, values_.size(),     count, without_few_outliers(level, sorted(level)), 0, 0, 0,
                    0,   level_.correlation, {}};
  baseline.left_out = count - baseline.points.size();
  if (shape_is_carried) {
    const double middle = median(level);
    const auto& [from, size, center, scale] = level_.carried;
    for (const double x : std::span(values_).subspan(from, size))
      baseline.points.push_back(scale * (x - center) + middle);
    std::ranges::sort(baseline.points);
  } else if (level_.carried.count == 0 && static_cast<double>(count) < kLongEnough && range(baseline.points) > 0) {
    add_shared(baseline);
  }
  baseline.median = median(baseline.points);
  baseline.sigma = robust_sigma(baseline.points);
  baseline.outliers = count_outliers(level, baseline.median, baseline.sigma);
  baselines_.push_back(std::move(baseline));
}

void ChangePointDetector::add_shared(Baseline& baseline) const {
  if (!context_.shared) return;
  const SharedNoise& shared = *context_.shared;
  const auto count = static_cast<double>(baseline.of_level);
  const double middle = median(baseline.points), own = robust_sigma(baseline.points);
  const double common =
      std::exp((count * std::log(own) + shared.worth * std::log(shared.sigma)) / (count + shared.worth));
  // Never narrower than its own noise.
  for (const double distance : shared.shape) baseline.points.push_back(middle + std::max(own, common) * distance);
  std::ranges::sort(baseline.points);
}

namespace {

/// Where a baseline may begin among `values`, ascending from their first point on: at levels that have lasted until
/// `end`, a shorter time after a step that stands out.
std::vector<std::size_t> baseline_starts(std::span<const double> values, std::size_t end) {
  std::vector<std::size_t> starts{0};
  const Levels levels = find_levels(values);
  for (const std::size_t start : levels.starts)
    if (start + (std::ranges::binary_search(levels.sharp, start) ? kOwnShape : kSettled) <= end)
      starts.push_back(start);
  return starts;
}

}  // namespace

void ChangePointDetector::look_back() {
  const std::size_t end = values_.size();
  if (end < looked_back_ + std::max<std::size_t>(1, std::min(end, kMostSegmented) / kLooksBack)) return;
  looked_back_ = end;
  // Without the last window: points that may be a new level would make the past look autocorrelated.
  const std::size_t last = std::max(alarmed_.start, end - std::min(end, kLongest));
  std::vector<std::size_t> starts =
      baseline_starts(std::span(values_).subspan(alarmed_.start, last - alarmed_.start), end - alarmed_.start);
  for (std::size_t& start : starts) start += alarmed_.start;
  // A level that has not lasted much longer than the one before may be one of two that the series switches between.
  while (starts.size() > 1 && static_cast<double>(end - starts.back()) <
                                  kLasting * static_cast<double>(starts.back() - starts[starts.size() - 2]))
    starts.pop_back();
  if (starts.back() == level_.start) return;
  level_ = alarmed_;
  if (starts.size() > 1) {
    const std::size_t before = starts[starts.size() - 2];
    const std::span<const double> old_level = std::span(values_).subspan(before, starts.back() - before);
    level_ = next_level(starts.back(), before, old_level.size(), median(old_level),
                        median(std::span(values_).subspan(starts.back())));
  }
  baselines_.clear();
  for (std::size_t from = end - std::min(end, kLongest); from <= end; ++from) add_baseline(from);
}

void ChangePointDetector::learn(Baseline& baseline) const {
  baseline.density.emplace(baseline.points);
  // A carried shape keeps its own correlation.
  if (level_.carried.count == 0 || baseline.of_level >= kOwnShape)
    baseline.correlation = baseline.density->autocorrelation(
        std::span(values_).subspan(baseline.end - baseline.of_level, baseline.of_level));
}

ChangePointDetector::Candidate ChangePointDetector::judge(std::size_t index) {
  const auto at =
      std::find_if(baselines_.rbegin(), baselines_.rend(), [&](const Baseline& one) { return one.end <= index; });
  if (at == baselines_.rend()) return {};
  std::vector<double> window = sorted(std::span(values_).subspan(index));
  if (at->left_out > 0 && at->left_out > outliers_allowed(at->of_level, window.size())) return {};
  const double away = median(window) - at->median;
  if (std::abs(away) < at->sigma) return {};
  if (!at->density) learn(*at);
  const Density& density = *at->density;
  const auto n = static_cast<double>(density.size());
  const auto m = static_cast<double>(window.size());
  const bool plain = is_plain(window, at->points, at->sigma, at->outliers);

  // A window that only continues the deviation of the point before it is no step: subtract its decaying influence.
  const double last = std::clamp(values_[index - 1] - density.median(), -kMaxDistance * density.sigma(),
                                 kMaxDistance * density.sigma());
  if (last * away > 0) {
    window.assign(values_.begin() + static_cast<std::ptrdiff_t>(index), values_.end());
    double share = kPersistence;
    for (double& x : window) {
      x -= share * last;
      share *= kPersistence;
    }
    std::ranges::sort(window);
  }

  const double known = static_cast<double>(at->of_level) / (static_cast<double>(at->of_level) + m);
  Candidate best{-1e9, 0, index, &density, at->of_level, at->end, at->correlation};
  std::array<double, kLongest> unshifted{};
  std::ranges::transform(window, unshifted.begin(), [&](double x) { return density.log_at(x); });
  for (const double shift : shifts(density, window)) {
    if (std::abs(shift) < kLeastShift * density.sigma()) continue;
    double gain = total_gain(density, window, unshifted, shift, known);
    // The excess is seldom above 1 and expensive to compute.
    if (gain > kAlarm / 2) gain -= kExcess * m * std::log(std::max(1.0, density.excess(shift)));
    if (gain > best.score) std::tie(best.score, best.shift) = std::pair(gain, shift);
  }

  double correlation = unbiased(at->correlation, level_.carried.count == 0 ? at->of_level : density.size()),
         looks = level_.carried.count == 0 ? static_cast<double>(at->of_level) : n;
  if (context_.shared) {
    correlation = (looks * correlation + kKnownAs * context_.shared->autocorrelation) / (looks + kKnownAs);
    looks += kKnownAs;
  }
  const double weight = 1 / (1 + std::exp(-kSharpness * (correlation - kCorrelated) * std::sqrt(looks)));
  const double likely = std::clamp(correlation + kUncertainty / std::sqrt(looks), 0.0, 0.9);
  best.score /= 1 + weight * (variance_inflation(m, likely) - 1);
  best.likely_correlation = weight * likely;
  best.score -= kShort / n + kShortPenalty * weight * std::max(0.0, kLongEnough / looks - 1) +
                penalty_of_tails(density) + (window.size() == kLongest ? kLongestPenalty * weight : 0);
  if (plain && best.score <= threshold()) {
    best.shift = away;
    best.score = std::nextafter(threshold(), 2 * threshold());
  }
  return best;
}

ChangePoint ChangePointDetector::described(const Candidate& candidate) const {
  const Density& density = *candidate.density;
  const std::span<const double> window = std::span(values_).subspan(candidate.index);
  const auto likelihood = [&](double shift) {
    double sum = 0;
    for (const double x : window) sum += density.log_at(x - shift);
    return sum;
  };
  constexpr int kSteps = 300;
  const double step = 6 * density.sigma() / kSteps;
  double best = likelihood(candidate.shift), shift = candidate.shift;
  std::vector<std::pair<double, double>> profile;
  for (int k = -kSteps; k <= kSteps; ++k) {
    const double moved = candidate.shift + k * step;
    profile.emplace_back(moved, likelihood(moved));
    if (profile.back().second > best) std::tie(shift, best) = profile.back();
  }
  // Half of the 95 % quantile of the chi-squared distribution with one degree of freedom. The factors account for the
  // uncertainty of the baseline's level, for points that follow each other, and for a density that was estimated.
  const auto level = static_cast<double>(candidate.of_level), points = static_cast<double>(window.size());
  const double fall =
      1.9207 * (level + points) / level * variance_inflation(points, candidate.likely_correlation) * kTooSharp;
  double low = shift, high = shift;
  for (const auto& [moved, value] : profile) {
    if (value < best - fall) continue;
    low = std::min(low, moved);
    high = std::max(high, moved);
  }
  ChangePoint point;
  point.index = candidate.index;
  point.detected_at = values_.size() - 1;
  point.before = density.median();
  point.after = point.before + shift;
  if (point.before > 0 && point.before + low > 0 && std::isfinite((point.before + high) / point.before))
    point.ratio = {point.after / point.before, (point.before + low) / point.before,
                   (point.before + high) / point.before};
  const double reached = context_.series > 1 ? kFalseTables : kFalseAlarms;
  point.confidence = 1 - reached * std::exp(-kDecay * (candidate.score - threshold()));
  return point;
}

ChangePointDetector::Level ChangePointDetector::next_level(std::size_t start, std::size_t from, std::size_t count,
                                                           double before, double after) const {
  Level level{start, level_.carried, level_.correlation};
  // A level that was too short for its own shape passes on the shape that it got.
  if (count >= kFewest || level.carried.count == 0) {
    const std::size_t last = std::min(count, kMost);
    // Noise grows with the level. If it does not, an overestimate is safer than an underestimate.
    level.carried = {from + count - last, last, before,
                     before > 0 && after > before ? std::min(after / before, kMostScale) : 1};
  }
  return level;
}

namespace {

/// The values with all levels moved to that of the last one.
std::vector<double> without_steps(std::span<const double> values) {
  std::vector<double> moved(values.begin(), values.end());
  std::vector<std::size_t> edges = find_levels(values).starts;
  if (edges.empty()) return moved;
  const double last = median(values.subspan(edges.back()));
  edges.insert(edges.begin(), 0);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double shift = last - median(values.subspan(edges[i], edges[i + 1] - edges[i]));
    for (std::size_t at = edges[i]; at < edges[i + 1]; ++at) moved[at] += shift;
  }
  return moved;
}

}  // namespace

std::optional<SharedNoise> shared_noise(std::span<const std::vector<double>> series, std::size_t fewest_series) {
  std::vector<double> correlations, log_sigmas, distances, sampling;
  for (const std::vector<double>& values : series) {
    if (values.size() < ChangePointDetector::kFewest) continue;
    const std::vector<double> last =
        without_steps(std::span(values).last(std::min(values.size(), ChangePointDetector::kMost)));
    if (range(sorted(last)) == 0) continue;
    const Density density(last);
    correlations.push_back(unbiased(density.autocorrelation(last), last.size()));
    log_sigmas.push_back(std::log(density.sigma()));
    sampling.push_back(kSigmaVariance / static_cast<double>(last.size()));
    for (const double x : last) distances.push_back((x - density.median()) / density.sigma());
  }
  if (correlations.empty() || correlations.size() < fewest_series) return std::nullopt;
  SharedNoise shared{median(correlations), std::exp(median(log_sigmas)), 0, {}};
  // The sampling error of the variance between k series, two standard errors up.
  const double spread = robust_sigma(sorted(log_sigmas));
  const auto k = static_cast<double>(log_sigmas.size());
  const double between = spread * spread * (1 + 2 * std::sqrt(2 / k)) - median(sampling);
  shared.worth = between > 0 ? std::min(kSigmaVariance / between, kMostWorth) : kMostWorth;
  const auto points = static_cast<std::size_t>(std::min(shared.worth / kWorthEach, kMostShared));
  std::ranges::sort(distances);
  for (std::size_t i = 0; i < points; ++i)
    shared.shape.push_back(sorted_quantile(distances, (static_cast<double>(i) + 0.5) / static_cast<double>(points)));
  return shared;
}

std::size_t points_missing(std::size_t count) {
  return ChangePointDetector::kEnough - std::min(count, ChangePointDetector::kEnough);
}

std::vector<ChangePoint> find_change_points(std::span<const double> values, const DetectorContext& context) {
  ChangePointDetector detector(context);
  for (const double value : values) detector.add(value);
  return detector.change_points();
}

std::vector<ChangePoint> find_change_points(std::span<const double> values, std::span<const WatchedFrom> contexts) {
  ChangePointDetector detector;
  watch(detector, values, contexts);
  return detector.change_points();
}

void watch(ChangePointDetector& detector, std::span<const double> values, std::span<const WatchedFrom> contexts) {
  for (std::size_t i = detector.size(); i < values.size(); ++i) {
    for (; !contexts.empty() && contexts.front().index <= i; contexts = contexts.subspan(1))
      detector.watch(contexts.front().context);
    detector.add(values[i]);
  }
}

}  // namespace lab::stats
