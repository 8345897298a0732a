#include "harness/judge/common_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::judge {

namespace {

/// A change and the sessions between which it lies, by their numbers on the machine.
struct Place {
  SeriesHistory* history = nullptr;
  LevelChange* change = nullptr;
  std::size_t after = 0, until = 0;  ///< the last session surely before it, the first surely after it
  bool slower = false;

  double size() const { return std::abs(std::log(change->ratio)); }
};

using Sessions = std::map<std::string, std::size_t>;

Sessions sessions_of(std::span<const SeriesHistory> histories) {
  Sessions numbers;
  for (const SeriesHistory& history : histories)
    for (const results::SeriesPoint& point : history.points) numbers.emplace(point.started, 0);
  std::size_t next = 0;
  for (auto& [started, number] : numbers) number = next++;
  return numbers;
}

/// All changes that no recorded fact explains, the earliest first.
std::vector<Place> places_of(std::span<SeriesHistory> histories, const Sessions& sessions) {
  std::vector<Place> places;
  for (SeriesHistory& history : histories)
    for (LevelChange& change : history.findings.changes)
      if (change.cause == kCodeCause || change.cause == kMachineCause)
        places.push_back({&history, &change, sessions.at(history.points[change.earliest - 1].started),
                          sessions.at(history.points[change.latest].started), change.regressed()});
  std::ranges::sort(places, {}, &Place::until);
  return places;
}

/// Those whose places have a session in common with all others of the group.
std::vector<std::vector<Place>> groups_of(const std::vector<Place>& places) {
  std::vector<std::vector<Place>> groups;
  std::vector<bool> taken(places.size(), false);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (taken[i]) continue;
    std::vector<Place>& group = groups.emplace_back();
    std::size_t after = places[i].after, until = places[i].until;
    for (std::size_t j = i; j < places.size(); ++j) {
      const Place& other = places[j];
      if (taken[j] || other.slower != places[i].slower || other.after >= until || after >= other.until) continue;
      after = std::max(after, other.after);
      until = std::min(until, other.until);
      taken[j] = true;
      group.push_back(other);
    }
  }
  return groups;
}

struct Count {
  std::size_t all = 0, moved = 0;
};

/// The machine's benchmarks on both sides of a group's place.
struct Benchmarks {
  Count rebuilt, unchanged;
  double largest = 0;  ///< Place::size() of unchanged executables
};

Benchmarks benchmarks_at(std::span<const SeriesHistory> histories, const std::vector<Place>& group,
                         const Sessions& sessions) {
  std::size_t after = 0, until = sessions.size();
  for (const Place& one : group) {
    after = std::max(after, one.after);
    until = std::min(until, one.until);
  }
  Benchmarks found;
  for (const SeriesHistory& history : histories) {
    if (history.series.benchmark != results::without_metric(history.series.benchmark)) continue;
    const auto number = [&](const results::SeriesPoint& point) { return sessions.at(point.started); };
    const auto begin = history.points.begin(), end = history.points.end();
    const auto last = std::ranges::upper_bound(begin, end, after, {}, number);
    const auto first = std::ranges::lower_bound(begin, end, until, {}, number);
    // A level has at least three sessions: two may be outliers.
    if (last - begin < 3 || end - first < 3) continue;
    const bool same = !first->executable.empty() && std::prev(last)->executable == first->executable;
    if (!same && results::is_fixed_name(history.series.benchmark)) continue;  // another fixed build took its place
    const auto moved = std::ranges::find(group, &history, &Place::history);
    Count& count = same ? found.unchanged : found.rebuilt;
    ++count.all;
    count.moved += moved != group.end();
    if (same && moved != group.end()) found.largest = std::max(found.largest, moved->size());
  }
  return found;
}

void tell(const std::vector<Place>& group, const Benchmarks& found) {
  const Count &rebuilt = found.rebuilt, &unchanged = found.unchanged;
  const bool is_machine = unchanged.moved > 0 && 2 * unchanged.moved >= unchanged.all;
  const bool is_common = rebuilt.all >= kFewestCommon &&
                         static_cast<double>(rebuilt.moved) >= kCommonShare * static_cast<double>(rebuilt.all);
  for (const Place& one : group) {
    if (one.change->cause != kCodeCause) continue;
    if (is_machine && one.size() <= kExplainedBy * found.largest) {
      one.change->cause = kMachineCause;
      one.change->changed.push_back(
          fmt::format("{} of {} unchanged executables changed, too", unchanged.moved, unchanged.all));
    } else if (is_common && !is_machine && unchanged.all < kFewestUnmoved) {
      one.change->cause = kEitherCause;
      one.change->changed.push_back(fmt::format("{} of {} benchmarks changed at once", rebuilt.moved, rebuilt.all));
    } else if (is_common && !is_machine) {
      one.change->changed.push_back(
          fmt::format("{} of {} rebuilt benchmarks changed, and {} of {} unchanged executables", rebuilt.moved,
                      rebuilt.all, unchanged.moved, unchanged.all));
    }
  }
}

}  // namespace

void tell_common(std::span<SeriesHistory> histories) {
  const Sessions sessions = sessions_of(histories);
  for (const std::vector<Place>& group : groups_of(places_of(histories, sessions)))
    tell(group, benchmarks_at(histories, group, sessions));
}

}  // namespace lab::judge
