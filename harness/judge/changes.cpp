#include "harness/judge/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "harness/judge/summary.h"
#include "harness/stats/autocorrelation.h"
#include "harness/stats/hindsight.h"
#include "harness/stats/quantile.h"
#include "harness/stats/ranks.h"
#include "harness/stats/spread.h"

namespace lab::judge {

namespace {

constexpr std::size_t kMostShift = 8;  ///< most sessions between a change's estimated place and a likely one
constexpr double kMostMisfit = 6;
constexpr double kHuber = 1.345;

/// Sessions of a level that its ratio is computed from. More would cost time, and levels drift.
constexpr std::size_t kMostSessions = 16;

constexpr const char* kNone = "none";

/// What is known of a machine is learned again when its sessions are more by one in so many.
constexpr std::size_t kLearnsAgain = 4;

double loss(double residual) {
  const double size = std::abs(residual);
  return size <= kHuber ? size * size : 2 * kHuber * size - kHuber * kHuber;
}

double misfit(std::span<const double> level, double sigma) {
  const double middle = stats::median(level);
  double sum = 0;
  for (const double value : level) sum += loss((value - middle) / sigma);
  return sum;
}

results::CommitRange commits_between(std::span<const results::SeriesPoint> points, std::size_t earliest,
                                     std::size_t latest) {
  return {points[earliest - 1].commit, points[latest].commit};
}

std::string shown(const results::MeasurementEnvironment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? kNone : found->second;
}

std::string seed_of(const results::SeriesPoint& point) {
  return shown(*point.environment, kSeed);
}

std::map<std::string, std::vector<std::size_t>> places_by_seed(std::span<const results::SeriesPoint> points) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < points.size(); ++i) places[seed_of(points[i])].push_back(i);
  return places;
}

struct KnownCause {
  std::string_view prefix, cause;
};
/// By prefixes of names; what tells more comes first. A compiler's pin is "toolchain", too.
constexpr std::array kCauses{KnownCause{"processor", "hardware"},
                             KnownCause{"cores", "hardware"},
                             KnownCause{"memory", "hardware"},
                             KnownCause{"gpus", "hardware"},
                             KnownCause{kHost, "host"},
                             KnownCause{"kernel", "kernel"},
                             KnownCause{"microcode", "microcode"},
                             KnownCause{"toolchain", "toolchain"},
                             KnownCause{"compiler", "toolchain"},
                             KnownCause{"march", "toolchain"},
                             KnownCause{"flags", "toolchain"},
                             KnownCause{"pin gcc", "toolchain"},
                             KnownCause{"pin binutils", "toolchain"},
                             KnownCause{"pin sysroot", "toolchain"},
                             KnownCause{"pin ", "pin"},
                             KnownCause{"", "settings"}};

std::size_t rank_of(std::string_view name) {
  const auto known = [&](const KnownCause& cause) { return name.starts_with(cause.prefix); };
  return static_cast<std::size_t>(std::ranges::find_if(kCauses, known) - kCauses.begin());
}

/// Whether a difference of this name changes executables alone.
bool is_of_build(const std::string& name) {
  const std::string_view cause = cause_of(name);
  return cause == "toolchain" || cause == "pin";
}

/// Whether the machine moved to another host between two points and stayed there. In a container each night may have a
/// host name of its own, which says nothing.
bool has_moved(std::span<const results::SeriesPoint> points, std::size_t before, std::size_t after) {
  constexpr std::size_t kStays = 3;  // nights on either side
  const auto host = [&](std::size_t at) { return shown(*points[at].environment, kHost); };
  for (std::size_t i = 1; i < kStays; ++i)
    if ((before >= i && host(before - i) != host(before)) ||
        (after + i < points.size() && host(after + i) != host(after)))
      return false;
  return true;
}

/// Sets cause and changed: the differences between the last session before the change and the first after it. An
/// executable that is the same was built by no other compiler, whatever the others were built by.
void find_cause(std::span<const results::SeriesPoint> points, LevelChange& change) {
  const results::SeriesPoint& before = points[change.earliest - 1];
  const results::SeriesPoint& after = points[change.latest];
  const results::MeasurementEnvironment& old_ones = *before.environment;
  const results::MeasurementEnvironment& new_ones = *after.environment;
  const bool same = !before.executable.empty() && before.executable == after.executable;
  std::set<std::string> names;
  for (const auto& [name, value] : old_ones) names.insert(name);
  for (const auto& [name, value] : new_ones) names.insert(name);
  std::size_t rank = kCauses.size();
  for (const std::string& name : names) {
    const std::string was = shown(old_ones, name), is = shown(new_ones, name);
    if (was == is || (same && is_of_build(name)) || (name == kLibcBuild && (was == kNone || is == kNone))) continue;
    if (name == kHost && !has_moved(points, change.earliest - 1, change.latest)) continue;
    rank = std::min(rank, rank_of(name));
    change.changed.push_back(fmt::format("{} {} -> {}", name, was, is));
  }
  if (rank < kCauses.size()) change.cause = kCauses[rank].cause;
  if (!change.cause.empty()) return;
  change.cause = same ? kMachineCause : kCodeCause;
  if (same) change.changed.push_back("the executable is the same, byte for byte");
}

std::vector<stats::Datum> data(std::span<const results::SeriesPoint> level) {
  std::vector<stats::Datum> data;
  for (const results::SeriesPoint& point : level) data.push_back({0, point.median});
  return data;
}

std::vector<double> logarithms(std::span<const results::SeriesPoint> points) {
  std::vector<double> logs;
  for (const results::SeriesPoint& point : points) logs.push_back(std::log(point.median));
  return logs;
}

/// Nights of a level that say how much they depend on each other.
constexpr std::size_t kMostCorrelated = 64;

/// The interval of the levels' ratio. The rank test takes nights for independent. Where they are not, a mean of so many
/// tells as much as one of fewer: the interval is wider by the root of what that does to its variance.
std::optional<stats::Interval> interval_of(const stats::BlockedArms& levels, double autocorrelation, double nights) {
  const std::optional<stats::Interval> independent = levels.interval(1 - stats::kCoverage);
  if (!independent) return std::nullopt;
  const double wider = std::sqrt(stats::variance_inflation(nights, autocorrelation)), ratio = levels.ratio();
  return stats::Interval{ratio * std::pow(independent->low / ratio, wider),
                         ratio * std::pow(independent->high / ratio, wider)};
}

/// Sets before, after, ratio and its interval from the levels [start, index) and [index, end).
void estimate_levels(std::span<const results::SeriesPoint> points, std::size_t start, std::size_t end,
                     LevelChange& change) {
  const std::size_t from = change.index - std::min(change.index - start, kMostSessions);
  const std::size_t to = std::min(end, change.index + kMostSessions);
  const std::vector<stats::Datum> old_level = data(points.subspan(from, change.index - from));
  const std::vector<stats::Datum> new_level = data(points.subspan(change.index, to - change.index));
  change.before = median_of(old_level);
  change.after = median_of(new_level);
  change.ratio = change.after / change.before;
  const std::size_t first = change.index - std::min(change.index - start, kMostCorrelated);
  const std::size_t last = std::min(end, change.index + kMostCorrelated);
  const double autocorrelation =
      stats::autocorrelation_within(logarithms(points.subspan(first, change.index - first)),
                                    logarithms(points.subspan(change.index, last - change.index)));
  const auto a = static_cast<double>(old_level.size()), b = static_cast<double>(new_level.size());
  change.interval = interval_of({old_level, new_level}, autocorrelation, 2 * a * b / (a + b));
}

/// Whether hindsight's change is that of an alarm, whose place may be uncertain: an outlier shortly before a step looks
/// like its beginning.
bool is_alarmed(std::span<const double> logs, std::span<const stats::ChangePoint> alarms, std::size_t index) {
  for (std::size_t i = 0; i < alarms.size(); ++i) {
    const std::size_t start = i == 0 ? 0 : alarms[i - 1].index;
    const std::size_t end = i + 1 < alarms.size() ? alarms[i + 1].index : logs.size();
    const IndexRange places = likely_range(logs, start, alarms[i].index, end);
    if (places.earliest <= index && index <= places.latest) return true;
  }
  return false;
}

/// stats::look_back(). find_changes() and pattern_of() of one series ask for the same, so each thread remembers the
/// last.
const stats::Hindsight& hindsight_of(std::span<const double> logs) {
  thread_local std::vector<double> known;
  thread_local stats::Hindsight hindsight;
  if (!std::ranges::equal(known, logs)) {
    hindsight = stats::look_back(logs);
    known.assign(logs.begin(), logs.end());
  }
  return hindsight;
}

/// The places of all changes, and whether each was alarmed.
std::vector<LevelChange> places_of(std::span<const double> logs, std::span<const stats::WatchedFrom> contexts,
                                   std::string& memory) {
  const std::vector<stats::ChangePoint> alarms = find_change_points(logs, contexts, memory);
  std::vector<LevelChange> changes;
  const auto add = [&](std::size_t index, std::size_t detected_at, bool in_hindsight, double confidence) {
    LevelChange& change = changes.emplace_back();
    change.index = index;
    change.detected_at = detected_at;
    change.in_hindsight = in_hindsight;
    change.confidence = confidence;
  };
  for (const stats::ChangePoint& alarm : alarms) add(alarm.index, alarm.detected_at, false, alarm.confidence);
  std::vector<stats::HindsightChange> untold = stats::untold(hindsight_of(logs).changes, alarms);
  std::erase_if(untold, [&](const stats::HindsightChange& change) { return is_alarmed(logs, alarms, change.index); });
  std::vector<std::size_t> sure;
  if (!untold.empty()) sure = stats::sure_starts(logs, contexts.empty() ? 1 : contexts.back().context.series);
  for (const stats::HindsightChange& change : untold) {
    add(change.index, change.known_at, true, 0);
    changes.back().settled =
        std::ranges::any_of(sure, [&](std::size_t start) { return stats::is_same_change(start, change.index); });
  }
  std::ranges::sort(changes, {}, &LevelChange::index);
  return changes;
}

/// The points at which the contexts begin.
std::vector<stats::WatchedFrom> places_of_contexts(std::span<const results::SeriesPoint> points,
                                                   std::span<const WatchedSince> contexts) {
  std::vector<stats::WatchedFrom> places;
  for (const WatchedSince& one : contexts) {
    const auto first = std::ranges::lower_bound(points, one.started, {}, &results::SeriesPoint::started);
    places.push_back({static_cast<std::size_t>(first - points.begin()), one.context});
  }
  return places;
}

/// find_changes() for points of one seed.
std::vector<LevelChange> changes_of_one_seed(std::span<const results::SeriesPoint> points,
                                             std::span<const WatchedSince> contexts, std::string& memory) {
  const std::vector<double> logs = logarithms(points);
  std::vector<LevelChange> changes = places_of(logs, places_of_contexts(points, contexts), memory);
  std::size_t start = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    LevelChange& change = changes[i];
    const std::size_t end = i + 1 < changes.size() ? changes[i + 1].index : points.size();
    change.more_is_better = points.back().metric && points.back().metric->better == bench::Better::kMore;
    change.started = points[change.index].started;
    estimate_levels(points, start, end, change);
    const IndexRange places = likely_range(logs, start, change.index, end);
    change.earliest = places.earliest;
    change.latest = places.latest;
    change.commits = commits_between(points, places.earliest, places.latest);
    find_cause(points, change);
    start = change.index;
  }
  return changes;
}

/// What is known before the session that began at `started`.
stats::DetectorContext context_at(std::span<const results::TimedSeries> series, const std::string& started,
                                  const Memories& known, Memories& left) {
  constexpr std::size_t kFewest = stats::ChangePointDetector::kFewest, kLongest = stats::ChangePointDetector::kLongest;
  std::vector<const results::TimedSeries*> long_enough;
  std::size_t begun = 0;
  const auto before = [&](const results::TimedSeries& one) {
    return static_cast<std::size_t>(std::ranges::lower_bound(one.started, started) - one.started.begin());
  };
  for (const results::TimedSeries& one : series) {
    begun += !one.started.empty() && one.started.front() <= started;
    if (before(one) >= kFewest) long_enough.push_back(&one);
  }
  std::vector<std::span<const double>> medians;
  const std::size_t of = std::min(long_enough.size(), kMostShared);
  for (std::size_t i = 0; i < of; ++i) {
    const results::TimedSeries& one = *long_enough[i * long_enough.size() / of];
    medians.push_back(std::span(one.medians).first(std::max(kFewest, before(one) - kLongest)));
  }
  return {std::max<std::size_t>(1, begun), shared_noise(medians, kFewestSeries, known, left)};
}

}  // namespace

std::string_view cause_of(std::string_view name) {
  return kCauses[rank_of(name)].cause;
}

IndexRange likely_range(std::span<const double> values, std::size_t start, std::size_t index, std::size_t end) {
  const double sigma = stats::mad_sigma(values.subspan(start, index - start));
  if (!(sigma > 0)) return {index, index};
  const std::size_t first = std::max(start + 1, index - std::min(index, kMostShift));
  const std::size_t last = std::min(end - 1, index + kMostShift);
  std::vector<double> misfits;
  for (std::size_t place = first; place <= last; ++place)
    misfits.push_back(misfit(values.subspan(start, place - start), sigma) +
                      misfit(values.subspan(place, end - place), sigma));
  const double most = *std::min_element(misfits.begin(), misfits.end()) + kMostMisfit;
  IndexRange places{index, index};
  for (std::size_t place = first; place <= last; ++place) {
    if (misfits[place - first] > most) continue;
    places.earliest = std::min(places.earliest, place);
    places.latest = std::max(places.latest, place);
  }
  return places;
}

std::vector<LevelChange> find_changes(std::span<const results::SeriesPoint> points,
                                      std::span<const WatchedSince> contexts) {
  Memories none;
  return find_changes(points, contexts, none);
}

std::vector<LevelChange> find_changes(std::span<const results::SeriesPoint> points,
                                      std::span<const WatchedSince> contexts, Memories& memories) {
  const auto seeds = places_by_seed(points);
  std::erase_if(memories, [&](const auto& memory) { return !seeds.contains(memory.first); });
  if (seeds.size() == 1) return changes_of_one_seed(points, contexts, memories[seeds.begin()->first]);
  std::vector<LevelChange> changes;
  for (const auto& [seed, places] : seeds) {
    std::vector<results::SeriesPoint> of_seed;
    for (const std::size_t place : places) of_seed.push_back(points[place]);
    for (LevelChange& change : changes_of_one_seed(of_seed, contexts, memories[seed])) {
      for (std::size_t* index : {&change.index, &change.detected_at, &change.earliest, &change.latest})
        *index = places[*index];
      changes.push_back(std::move(change));
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  return changes;
}

std::optional<double> smallest_detectable(std::span<const results::SeriesPoint> points,
                                          std::span<const LevelChange> changes,
                                          std::span<const WatchedSince> contexts) {
  std::vector<results::SeriesPoint> of_seed;
  std::size_t level = 0;
  const std::size_t start = changes.empty() ? 0 : changes.back().index;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == start) level = of_seed.size();
    if (seed_of(points[i]) == seed_of(points.back())) of_seed.push_back(points[i]);
  }
  if (of_seed.size() < level + stats::ChangePointDetector::kFewest) return std::nullopt;
  stats::ChangePointDetector detector;
  stats::watch(detector, logarithms(of_seed), places_of_contexts(of_seed, contexts));
  const std::optional<double> step = detector.detectable_step(level);
  return step ? std::optional(std::expm1(*step)) : std::nullopt;
}

SeriesPattern pattern_of(std::span<const results::SeriesPoint> points) {
  if (points.empty()) return {};
  const std::vector<std::size_t> places = places_by_seed(points).at(seed_of(points.back()));
  std::vector<double> logs;
  for (const std::size_t place : places) logs.push_back(std::log(points[place].median));
  const stats::Hindsight& hindsight = hindsight_of(logs);
  SeriesPattern pattern;
  pattern.switching = hindsight.switching;
  pattern.drifting = hindsight.drifting;
  if (!hindsight.noise.empty()) {
    pattern.noise_ratio = hindsight.noise.back().ratio;
    pattern.noise_at = places[hindsight.noise.back().index];
    pattern.noise_started = points[*pattern.noise_at].started;
  }
  return pattern;
}

std::vector<std::string> hosts_of(std::span<const results::SeriesPoint> points) {
  std::set<std::string> hosts, left;
  std::string current;
  bool in_turns = false;
  for (const results::SeriesPoint& point : points) {
    const auto found = point.environment->find(kHost);
    if (found == point.environment->end() || found->second.empty() || found->second == current) continue;
    in_turns = in_turns || left.contains(found->second);
    left.insert(current);
    hosts.insert(current = found->second);
  }
  return in_turns ? std::vector(hosts.begin(), hosts.end()) : std::vector<std::string>();
}

JudgedRange judged_of(std::span<const results::SeriesPoint> points, std::span<const LevelChange> changes) {
  if (points.empty()) return {stats::points_missing(0), 0, kTooYoungReason};
  const std::string seed = seed_of(points.back());
  const std::vector<std::size_t> places = places_by_seed(points).at(seed);
  const std::size_t missing = stats::points_missing(places.size());
  const bool found = std::any_of(changes.begin(), changes.end(),
                                 [&](const LevelChange& change) { return seed_of(points[change.index]) == seed; });
  // Hindsight may find a change before alarms are possible.
  const std::size_t fewest = stats::ChangePointDetector::kFewest;
  if (missing == 0 || found) return {0, fewest < places.size() ? places[fewest] : points.size(), ""};
  return {missing, 0, stats::points_missing(points.size()) == 0 ? kSeedsReason : kTooYoungReason};
}

std::vector<WatchedSince> watched_machine(std::span<const results::TimedSeries> series) {
  Memories none;
  return watched_machine(series, none);
}

std::vector<WatchedSince> watched_machine(std::span<const results::TimedSeries> series, Memories& memories) {
  std::set<std::string> all;
  for (const results::TimedSeries& one : series) all.insert(one.started.begin(), one.started.end());
  const std::vector<std::string> sessions(all.begin(), all.end());
  std::vector<WatchedSince> known;
  Memories left;
  for (std::size_t at = stats::ChangePointDetector::kFewest; at < sessions.size(); at += 1 + at / kLearnsAgain)
    known.push_back({sessions[at], context_at(series, sessions[at], memories, left)});
  memories = std::move(left);
  return known;
}

std::vector<MetricChange> find_metric_changes(std::span<const results::SeriesPoint> points) {
  std::map<std::string, std::vector<std::size_t>> having;  // by metric: the sessions that have it
  std::set<std::string> noisy;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const auto& [metric, value] : *points[i].exact) {
      having[metric].push_back(i);
      if (!value) noisy.insert(metric);
    }
  std::vector<MetricChange> changes;
  for (const auto& [metric, sessions] : having) {
    if (noisy.contains(metric)) continue;
    std::map<std::string, std::size_t> last;  // session of each seed
    for (const std::size_t session : sessions) {
      const results::SeriesPoint& after = points[session];
      const auto [previous, is_first] = last.try_emplace(seed_of(after), session);
      const std::size_t before = std::exchange(previous->second, session);
      if (is_first || points[before].exact == after.exact) continue;
      const double was = *points[before].exact->at(metric), is = *after.exact->at(metric);
      if (was != is)
        changes.push_back({session, after.started, metric, was, is, commits_between(points, before + 1, session)});
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  return changes;
}

}  // namespace lab::judge
