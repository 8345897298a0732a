#include "harness/stats/culprit_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

constexpr double kSideEnds = 5;  ///< measurements
constexpr double kOthers = 0.05, kLikelyOthers = 0.5;
constexpr double kMostOfBuild = 12;  ///< measurements, while nothing more is built
constexpr double kWorthwhileSteps = 0.2, kPatienceSteps = 100;
constexpr std::array<double, 4> kBatchesOfBuild{1, 2, 4, 8};
constexpr double kDeviations = 2;

double entropy_of(double p) {
  return p > 0 ? -p * std::log(p) : 0;
}

}  // namespace

StepsPosterior::StepsPosterior(const Measurements& data, CommitsOfSearch commits) : commits_(std::move(commits)) {
  std::set<std::size_t> measured;
  measurements_ = data.size();
  for (std::size_t i = 0; i < data.size(); ++i) measured.insert(data.commit(i));
  for (const std::size_t commit : measured) {
    std::size_t places = 0;
    if (!measured_.commits.empty())
      for (std::size_t k = measured_.commits.back() + 1; k <= commit; ++k) places += commits_.excluded[k] ? 0 : 1;
    measured_.commits.push_back(commit);
    measured_.places.push_back(places);
    std::vector<double> values;
    for (std::size_t i = 0; i < data.size(); ++i)
      if (data.commit(i) == commit) values.push_back(data.values()[i]);
    means_.push_back(median(values));
  }
  sets_ = fit_steps(data, measured_);
  double precision = 0, squares = 0;
  null_ = 0;
  for (const StepSet& set : sets_) {
    if (set.effects.empty()) null_ += set.probability;
    if (set.steps() > 1) several_ += set.probability;
    precision += set.probability * set.precision;
    squares += set.probability * set.offset * set.offset;
  }
  noise_ = 1 / std::sqrt(precision);
  offset_ = std::sqrt(squares);
  steps_.assign(commits_.excluded.size(), 0);
  for (std::size_t gap = 1; gap < measured_.commits.size(); ++gap)
    for (std::size_t k = measured_.commits[gap - 1] + 1; k <= measured_.commits[gap]; ++k)
      if (!commits_.excluded[k]) steps_[k] = probability_of_gap(gap) / static_cast<double>(measured_.places[gap]);
}

double StepsPosterior::probability_of_gap(std::size_t gap) const {
  double sum = 0;
  for (const StepSet& set : sets_)
    if (set.has_step(gap)) sum += set.probability;
  return sum;
}

std::vector<FoundStep> StepsPosterior::named(double confidence) const {
  std::vector<FoundStep> found;
  std::vector<std::size_t> gaps;
  for (std::size_t gap = 1; gap < measured_.commits.size(); ++gap) {
    const double probability = probability_of_gap(gap);
    if (probability < confidence) continue;
    SuspectRange range{0, 0, std::min(1.0, probability)};
    bool is_open = false;
    for (std::size_t k = measured_.commits[gap - 1] + 1; k <= measured_.commits[gap]; ++k) {
      if (commits_.excluded[k]) continue;
      if (range.first == 0) range.first = k;
      range.last = k;
      is_open = is_open || (k < measured_.commits[gap] && !commits_.skipped[k]);
    }
    if (is_open) continue;
    FoundStep step{range, 1, {}};
    double size = 0;
    std::vector<double> taken(gaps.size());
    for (const StepSet& set : sets_) {
      if (!set.has_step(gap)) continue;
      size += set.probability * (set.level(gap) - set.level(gap - 1));
      for (std::size_t i = 0; i < gaps.size(); ++i)
        if (std::ranges::find(set.effects, StepEffect{gaps[i], gap}) != set.effects.end()) taken[i] += set.probability;
    }
    step.ratio = std::exp(size / probability);
    for (std::size_t i = 0; i < gaps.size(); ++i)
      if (taken[i] > 0.5) step.taken_back = i;
    found.push_back(step);
    gaps.push_back(gap);
  }
  return found;
}

std::vector<StepSide> StepsPosterior::sides(const std::vector<FoundStep>& named) const {
  std::vector<StepSide> sides;
  std::size_t from = 0;  // among the measured
  for (std::size_t i = 0; i <= named.size(); ++i) {
    std::size_t to = measured_.commits.size() - 1, next = 0;
    if (i < named.size()) {
      next = static_cast<std::size_t>(std::ranges::lower_bound(measured_.commits, named[i].commits.last) -
                                      measured_.commits.begin());
      to = next - 1;
    }
    StepSide side{measured_.commits[from], measured_.commits[to], 0, 1, false};
    std::size_t places = 0;
    for (std::size_t gap = from + 1; gap <= to; ++gap) places += measured_.places[gap];
    if (places > 0) {
      for (const StepSet& set : sets_) {
        bool has = false;
        for (std::size_t gap = from + 1; gap <= to; ++gap) has = has || set.has_step(gap);
        if (has) side.other += set.probability;
      }
      const double left = commits_.counts[side.from], right = commits_.counts[side.to];
      side.is_tested = std::min(left, right) >= kSideEnds;
      side.most = std::exp(std::abs(means_[to] - means_[from]) +
                           kDeviations * noise_ * std::sqrt(1 / known(left) + 1 / known(right)));
      sides.push_back(side);
    }
    from = next;
  }
  return sides;
}

double StepsPosterior::level_variance(std::size_t commit) const {
  const auto at =
      static_cast<std::size_t>(std::ranges::upper_bound(measured_.commits, commit) - measured_.commits.begin()) - 1;
  double after = 0;  // the share of the gap's places up to the commit
  if (measured_.commits[at] < commit && measured_.places[at + 1] > 0) {
    for (std::size_t k = measured_.commits[at] + 1; k <= commit; ++k) after += commits_.excluded[k] ? 0 : 1;
    after /= static_cast<double>(measured_.places[at + 1]);
  }
  double mean = 0, squares = 0;
  const auto add = [&](double share, double level) {
    mean += share * level;
    squares += share * level * level;
  };
  for (const StepSet& set : sets_) {
    add(set.probability * (1 - after), set.level(at));
    if (after > 0) add(set.probability * after, set.level(at + 1));
  }
  return std::max(0.0, squares - mean * mean);
}

double StepsPosterior::known(double count) const {
  if (count <= 0) return 0;
  const double links = std::min(count, commits_.links);
  return links / (offset_ * offset_ + links / count);
}

double StepsPosterior::gain(std::size_t commit, double count) const {
  const double before = known(commits_.counts[commit]);
  return std::log1p(level_variance(commit) / (noise_ * noise_) * (known(commits_.counts[commit] + count) - before)) / 2;
}

double StepsPosterior::rest(const std::vector<bool>& allowed) const {
  constexpr double kMany = 1e6;
  double sum = 0;
  for (std::size_t k = 0; k < steps_.size(); ++k)
    if (!commits_.skipped[k] && allowed[k]) sum += gain(k, kMany);
  return sum;
}

double StepsPosterior::worthwhile() const {
  double entropy = 0;
  for (const StepSet& set : sets_) entropy += entropy_of(set.probability);
  const double patience = std::max(1.0, static_cast<double>(measurements_) / kPatienceSteps);
  return kWorthwhileSteps * patience * entropy;
}

std::optional<std::size_t> StepsPosterior::most_telling(std::span<const double> build_seconds, double measure_seconds,
                                                        const std::vector<bool>& allowed) const {
  std::optional<std::size_t> best;
  double most = 0;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (commits_.skipped[k] || !allowed[k]) continue;
    for (const double batch : kBatchesOfBuild) {
      if (batch > 1 && build_seconds[k] <= 0) break;
      const double found = gain(k, batch) / (build_seconds[k] + batch * measure_seconds);
      if (found <= most) continue;
      most = found;
      best = k;
    }
  }
  return best;
}

std::optional<std::size_t> StepsPosterior::next(double confidence, std::span<const double> build_seconds,
                                                double measure_seconds) const {
  const std::vector<FoundStep> found = named(confidence);
  if (found.empty()) {
    if (is_exhausted()) return std::nullopt;
    return most_telling(build_seconds, measure_seconds, std::vector<bool>(steps_.size(), true));
  }
  double others = 0;
  for (const StepSide& side : sides(found)) {
    if (!side.is_tested) return commits_.counts[side.from] < commits_.counts[side.to] ? side.from : side.to;
    others = std::max(others, side.other);
  }
  if (others <= kOthers) return std::nullopt;
  const bool may_build = others > kLikelyOthers;
  std::vector<bool> allowed(steps_.size());
  for (std::size_t k = 0; k < allowed.size(); ++k)
    allowed[k] = may_build || (build_seconds[k] <= 0 && commits_.counts[k] < kMostOfBuild);
  if (rest(allowed) < worthwhile()) return std::nullopt;
  return most_telling(build_seconds, measure_seconds, allowed);
}

}  // namespace lab::stats
