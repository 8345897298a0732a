#include "harness/stats/sharp_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "harness/stats/quantile.h"
#include "harness/stats/rarity.h"

namespace lab::stats {

namespace {

/// Points on each side of a place whose medians are compared.
constexpr std::array<std::size_t, 2> kCompared{3, 5};
/// Share of the places that say how far medians are apart without a step: so many are within kNormalQuiet standard
/// deviations. More would contain the steps of a series that has many.
constexpr double kQuietShare = 0.7, kNormalQuiet = 1.0364;
/// Places around that say it, and so many at least that are not beside a step found before.
constexpr std::size_t kAround = 128, kFewestAround = 24;
/// It is computed anew every so many places.
constexpr std::size_t kPace = 32;
/// Lengths of the sides of which the rarest count, at most.
constexpr std::array<std::size_t, 3> kSides{5, 10, 20};
/// A step lasts: the medians of the sides differ by this share of its distance.
constexpr double kLastingShare = 0.5;
/// Times that is looked for further steps beside those found.
constexpr int kRounds = 3;
/// The distances of so many places on both sides of a step contain it.
constexpr std::size_t kBeside = 4;
/// Places so near to each other may be the same step.
constexpr std::size_t kSameStep = 3;

struct Need {
  double distance, rarity;  // evidence
};
constexpr std::array<Need, 2> kNeeds{{{25, 20}, {18, 28}}};

/// The distances of the medians of `compared` points before and from each place on; 0 where there are fewer points.
std::vector<double> distances(std::span<const double> values, std::size_t compared) {
  std::vector<double> all(values.size() + 1), medians;
  medians.reserve(values.size());
  std::array<double, kCompared.back()> some{};
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(compared / 2);
  for (std::size_t from = 0; from + compared <= values.size(); ++from) {
    const auto end = std::ranges::copy(values.subspan(from, compared), some.begin()).out;
    for (auto next = some.begin() + 1; next != end; ++next)  // of so few, insertion is the fastest sort
      for (auto at = next; at != some.begin() && *at < *std::prev(at); --at) std::iter_swap(at, std::prev(at));
    medians.push_back(*middle);
  }
  for (std::size_t place = compared; place < medians.size(); ++place)
    if (!is_same_value(medians[place], medians[place - compared]))
      all[place] = medians[place] - medians[place - compared];
  return all;
}

/// The standard deviation of the distances around each place.
class Noise {
 public:
  Noise(const std::vector<double>& distances, std::size_t compared, const std::vector<std::size_t>& steps) {
    const std::size_t last = distances.size() - std::min(distances.size(), compared);
    for (std::size_t place = compared, next = 0; place < last; ++place) {
      while (next < steps.size() && steps[next] + kBeside < place) ++next;
      if (next == steps.size() || place + kBeside < steps[next]) add(place, distances[place]);
    }
    if (sizes_.size() >= kFewestAround) return;
    places_.clear();
    sizes_.clear();
    for (std::size_t place = compared; place < last; ++place) add(place, distances[place]);
  }

  /// Around a place after those that were asked for.
  double around(std::size_t place) {
    const std::size_t count = std::min(kAround, sizes_.size());
    while (here_ < places_.size() && places_[here_] < place) ++here_;
    const std::size_t from = std::min(here_ - std::min(here_, count / 2), sizes_.size() - count) / kPace * kPace;
    if (from == from_) return sigma_;
    from_ = from;
    const auto first = sizes_.begin() + static_cast<std::ptrdiff_t>(from);
    near_.assign(first, first + static_cast<std::ptrdiff_t>(count));
    const auto rank = near_.begin() + static_cast<std::ptrdiff_t>(kQuietShare * static_cast<double>(count));
    std::nth_element(near_.begin(), rank, near_.end());
    return sigma_ = *rank / kNormalQuiet;
  }

 private:
  void add(std::size_t place, double distance) {
    places_.push_back(place);
    sizes_.push_back(std::abs(distance));
  }

  std::vector<std::size_t> places_;
  std::vector<double> sizes_, near_;
  std::size_t here_ = 0;  // the first place that is not before the last one asked for
  std::optional<std::size_t> from_;
  double sigma_ = 0;
};

struct Step {
  std::size_t place = 0;
  double rarity = 0;  // evidence
  double distance = 0;
};

/// The largest evidence that the points in [start, place) and [place, end) lie apart, of all lengths of both sides.
double apart(std::span<const double> values, std::size_t start, std::size_t place, std::size_t end, double distance,
             std::size_t fewest) {
  double most = 0;
  for (const std::size_t before : kSides)
    for (const std::size_t after : kSides) {
      const std::size_t left = std::min(before, place - start), right = std::min(after, end - place);
      if (std::min(left, right) < fewest) continue;
      const std::span<const double> old_side = values.subspan(place - left, left);
      const std::span<const double> new_side = values.subspan(place, right);
      if ((median(new_side) - median(old_side)) / distance < kLastingShare) continue;
      most = std::max(most, 2 * rarity_of_levels(old_side, new_side));
    }
  return most;
}

/// The places with enough evidence, those of both comparisons in one list.
std::vector<Step> candidates(std::span<const double> values, const std::array<std::vector<double>, 2>& all_distances,
                             const std::vector<std::size_t>& steps, double more) {
  std::vector<Step> found;
  for (std::size_t which = 0; which < kCompared.size(); ++which) {
    const std::size_t compared = kCompared[which];
    const std::vector<double>& distances = all_distances[which];
    Noise noise(distances, compared, steps);
    for (std::size_t place = compared; place + compared <= values.size(); ++place) {
      const double distance = distances[place];
      if (distance == 0) continue;
      const double sigma = noise.around(place);
      const double far = sigma > 0 ? distance * distance / (sigma * sigma) : std::numeric_limits<double>::infinity();
      if (std::ranges::none_of(kNeeds, [&](const Need& need) { return far > need.distance + more; })) continue;
      // The last step at least kSameStep before, and the first as far after.
      const auto after = std::ranges::lower_bound(steps, place + kSameStep);
      const auto before = std::ranges::upper_bound(steps, place - kSameStep);
      const std::size_t start = before == steps.begin() ? 0 : *std::prev(before);
      const std::size_t end = after == steps.end() ? values.size() : *after;
      const double rarity = apart(values, start, place, end, distance, compared);
      if (std::ranges::any_of(
              kNeeds, [&](const Need& need) { return far > need.distance + more && rarity > need.rarity + more; }))
        found.push_back({place, rarity, std::abs(distance)});
    }
  }
  std::ranges::sort(found, {}, &Step::place);
  return found;
}

/// The best of each run of candidates that may be the same step.
std::vector<std::size_t> best_of_runs(const std::vector<Step>& candidates) {
  std::vector<std::size_t> best;
  for (auto first = candidates.begin(); first != candidates.end();) {
    auto end = first + 1;
    while (end != candidates.end() && end->place <= std::prev(end)->place + kSameStep) ++end;
    best.push_back(std::max_element(first, end, [](const Step& a, const Step& b) {
                     return std::pair(a.rarity, a.distance) < std::pair(b.rarity, b.distance);
                   })->place);
    first = end;
  }
  return best;
}

}  // namespace

std::vector<std::size_t> sharp_steps(std::span<const double> values, double more) {
  const std::array all{distances(values, kCompared[0]), distances(values, kCompared[1])};
  std::vector<std::size_t> steps;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::size_t> next = steps;
    for (const std::size_t place : best_of_runs(candidates(values, all, steps, more)))
      if (std::ranges::none_of(
              steps, [&](std::size_t step) { return std::max(step, place) - std::min(step, place) <= kSameStep; }))
        next.push_back(place);
    if (next.size() == steps.size()) break;
    std::ranges::sort(next);
    steps = std::move(next);
  }
  return steps;
}

}  // namespace lab::stats
