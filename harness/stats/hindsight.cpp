#include "harness/stats/hindsight.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/quantile.h"
#include "harness/stats/segmentation.h"

namespace lab::stats {

namespace {

/// A series of up to so many points is looked at after every night to find when a change was known. In a longer one the
/// steps grow with the distance from the change, and only so many points before it are looked at.
constexpr std::size_t kEveryNight = 400, kNightSteps = 8, kPointsBefore = 150;

/// The last point of the shortest beginning of the series that has the change.
std::size_t known_at(std::span<const double> values, std::size_t index) {
  const bool is_short = values.size() <= kEveryNight;
  const std::size_t from = is_short ? 0 : index - std::min(index, kPointsBefore);
  for (std::size_t count = index + kShortestLevel; count < values.size();
       count += is_short ? 1 : 1 + (count - index) / kNightSteps)
    if (std::ranges::any_of(find_levels(values.subspan(from, count - from), count, 0).starts,
                            [&](std::size_t start) { return is_same_change(from + start, index); }))
      return count - 1;
  return values.size() - 1;
}

/// The first points of all levels but the first; sets switching and drifting, of the last part. In a long series, from
/// part to part: a part keeps the changes that are not near its end, and the next begins at the last of them. `more`:
/// of evidence than a part of its length needs.
std::vector<std::size_t> starts_of(std::span<const double> values, double more, Hindsight& hindsight) {
  constexpr std::size_t kKept = kMostSegmented * 3 / 4;
  std::vector<std::size_t> starts;
  for (std::size_t from = 0;;) {
    const std::size_t count = std::min(kMostSegmented, values.size() - from);
    const bool is_last = from + count == values.size();
    const Levels levels = find_levels(values.subspan(from, count), count, more);
    std::size_t next = from + kMostSegmented / 2;
    for (const std::size_t start : levels.starts)
      if (is_last || start < kKept) {
        starts.push_back(from + start);
        next = std::max(next, from + start);
      }
    hindsight.switching = levels.switching;
    hindsight.drifting = levels.drifting;
    if (is_last) return starts;
    from = next;
  }
}

/// The largest change of each creep: changes one after the other in one direction, of which none need be sure beside
/// other series, but all together are. What is compared is the level before the first with that after the last.
std::vector<std::size_t> largest_of_creeps(std::span<const double> values, const std::vector<std::size_t>& starts,
                                           double more) {
  std::vector<std::size_t> edges{0};
  edges.insert(edges.end(), starts.begin(), starts.end());
  edges.push_back(values.size());
  const auto level = [&](std::size_t i) { return values.subspan(edges[i], edges[i + 1] - edges[i]); };
  std::vector<double> rises;
  for (std::size_t i = 0; i < starts.size(); ++i) rises.push_back(median(level(i + 1)) - median(level(i)));
  std::vector<std::size_t> largest;
  for (std::size_t first = 0, last = 0; first < rises.size(); first = last + 1) {
    for (last = first; last + 1 < rises.size() && (rises[last + 1] > 0) == (rises[first] > 0);) ++last;
    const std::span<const double> before = level(first), after = level(last + 1);
    if (last == first || std::min(before.size(), after.size()) < kSettledPoints ||
        evidence_between(before, after) <= critical_evidence(before.size() + after.size()) + more)
      continue;
    const auto most = std::max_element(rises.begin() + static_cast<std::ptrdiff_t>(first),
                                       rises.begin() + static_cast<std::ptrdiff_t>(last + 1),
                                       [](double a, double b) { return std::abs(a) < std::abs(b); });
    largest.push_back(starts[static_cast<std::size_t>(most - rises.begin())]);
  }
  return largest;
}

std::vector<NoiseChange> noise_changes(std::span<const double> distances) {
  // Neither a line nor switching explains distances better, as they are far from normal.
  const std::span<const double> last = distances.last(std::min(distances.size(), kMostSegmented));
  const std::vector<Division> all = divisions(last);
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const Division& one) { return one.evidence > critical_evidence(last.size()); });
  if (found == all.rend()) return {};
  std::vector<std::size_t> starts;
  for (const std::size_t start : found->starts) starts.push_back(start + distances.size() - last.size());
  std::vector<NoiseChange> changes;
  for (std::size_t i = 0, from = 0; i < starts.size(); ++i) {
    const std::size_t at = starts[i];
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : distances.size();
    const double old = median(distances.subspan(from, at - from)), now = median(distances.subspan(at, end - at));
    if (old > 0 && now > 0) changes.push_back({at, now / old});
    from = at;
  }
  return changes;
}

}  // namespace

Hindsight look_back(std::span<const double> values) {
  Hindsight hindsight;
  std::vector<std::size_t> edges = starts_of(values, 0, hindsight);
  edges.insert(edges.begin(), 0);
  edges.push_back(values.size());
  std::vector<double> distances;
  double before = 0;
  for (std::size_t i = 0; i + 1 < edges.size() && edges[i] < edges[i + 1]; ++i) {
    const std::span<const double> level = values.subspan(edges[i], edges[i + 1] - edges[i]);
    const double middle = median(level);
    for (const double value : level) distances.push_back(std::abs(value - middle));
    if (i > 0) hindsight.changes.push_back({edges[i], known_at(values, edges[i]), before, middle});
    before = middle;
  }
  if (!hindsight.switching && !hindsight.drifting) hindsight.noise = noise_changes(distances);
  return hindsight;
}

std::vector<std::size_t> sure_starts(std::span<const double> values, std::size_t series) {
  const double more = 2 * std::log(static_cast<double>(std::max<std::size_t>(1, series)));
  Hindsight unused;
  const std::vector<std::size_t> all = starts_of(values, more, unused);
  std::vector<std::size_t> sure;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : all[i - 1], to = i + 1 < all.size() ? all[i + 1] : values.size();
    if (all[i] - from >= kSettledPoints && to - all[i] >= kSettledPoints) sure.push_back(all[i]);
  }
  for (const std::size_t start : largest_of_creeps(values, starts_of(values, 0, unused), more))
    if (std::ranges::none_of(sure, [&](std::size_t known) { return is_same_change(known, start); }))
      sure.push_back(start);
  std::ranges::sort(sure);
  return sure;
}

bool is_same_change(std::size_t a, std::size_t b) {
  return std::max(a, b) - std::min(a, b) <= kNearPoints;
}

std::vector<HindsightChange> untold(const std::vector<HindsightChange>& hindsight,
                                    const std::vector<ChangePoint>& alarms) {
  std::vector<HindsightChange> rest;
  for (const HindsightChange& change : hindsight)
    if (std::ranges::none_of(alarms,
                             [&](const ChangePoint& alarm) { return is_same_change(alarm.index, change.index); }))
      rest.push_back(change);
  return rest;
}

}  // namespace lab::stats
