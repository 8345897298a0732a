#include "harness/judge/alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace lab::judge {

namespace {

using results::Alarm;

/// Answers that end a bisect.
constexpr std::array<std::string_view, 3> kFinal{"culprit", "candidates", "none"};

Alarm alarm_of(const SeriesHistory& history, const LevelChange& change) {
  Alarm alarm;
  alarm.machine = history.series.machine;
  alarm.benchmark = history.series.benchmark;
  alarm.version = history.series.version;
  alarm.session = history.points[change.index].session;
  alarm.ratio = change.ratio;
  if (change.interval) alarm.low = change.interval->low, alarm.high = change.interval->high;
  alarm.nights = static_cast<int>(change.nights());
  alarm.commits = change.commits;
  if (change.cause == kEitherCause)
    alarm.doubt =
        fmt::format("{}: {} (a bisect measures both sides in one night)", change.changed.back(), change.cause);
  else if (change.in_hindsight)
    alarm.doubt = fmt::format("{} is known only in hindsight", alarm.benchmark);
  return alarm;
}

/// Whether the change at `index` of this series is the alarm's, whose session may have moved a little.
bool is_of(const Alarm& alarm, const results::SeriesKey& series, std::span<const results::SeriesPoint> points,
           std::size_t index) {
  if (alarm.machine != series.machine || alarm.benchmark != series.benchmark || alarm.version != series.version)
    return false;
  const auto found = std::ranges::find(points, alarm.session, &results::SeriesPoint::session);
  if (found == points.end()) return false;
  const auto place = static_cast<std::size_t>(found - points.begin());
  return std::max(place, index) - std::min(place, index) <= kSameChange;
}

bool is_known(const SeriesHistory& history, std::size_t index, std::span<const Alarm> known) {
  return std::ranges::any_of(known,
                             [&](const Alarm& alarm) { return is_of(alarm, history.series, history.points, index); });
}

/// Whether what only hindsight shows is an alarm.
bool is_told(const LevelChange& change, std::span<const results::SeriesPoint> points) {
  return change.settled && points.size() - change.detected_at <= kTellsHindsight && lasts(change, points);
}

/// Whether `time` is nearer to `level` than to `other`, as a ratio.
bool is_nearer(double time, double level, double other) {
  return std::abs(std::log(time / level)) < std::abs(std::log(time / other));
}

}  // namespace

std::vector<Alarm> new_alarms(const SeriesHistory& history, const NightFitness& night, std::span<const Alarm> known,
                              bool first_night) {
  std::vector<Alarm> alarms;
  for (const LevelChange& change : history.findings.changes) {
    if (!change.is_code_regression() || (change.in_hindsight && !is_told(change, history.points))) continue;
    const bool is_new = history.points[change.detected_at].session == night.session;
    const bool from_before = first_night && !is_new;
    // A benchmark without a turn tonight has no time that could confirm an older finding: its next turn decides.
    const bool has_turn = history.points.back().session == night.session;
    if (!from_before && !(night.fit && (is_new || (has_turn && lasts(change, history.points))))) continue;
    Alarm alarm = alarm_of(history, change);
    if (is_known(history, change.index, known) || is_known(history, change.index, alarms)) continue;
    if (from_before) {
      alarm.reported = true;
      alarm.bisect.emplace();
      alarm.bisect->answer = "none";
      alarm.bisect->reason = "from before the first night";
    }
    alarms.push_back(std::move(alarm));
  }
  return alarms;
}

bool lasts(const LevelChange& change, std::span<const results::SeriesPoint> points) {
  return is_nearer(points.back().median, change.after, change.before);
}

std::vector<EndedAlarm> ended_alarms(const SeriesHistory& history, std::span<const Alarm> known) {
  const std::vector<LevelChange>& changes = history.findings.changes;
  std::vector<EndedAlarm> ended;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i].reported || known[i].ended) continue;
    const auto raised = std::ranges::find_if(changes, [&](const LevelChange& change) {
      return change.regressed() && is_of(known[i], history.series, history.points, change.index);
    });
    if (raised == changes.end()) continue;
    const auto end = std::find_if(raised + 1, changes.end(), [&](const LevelChange& change) {
      return is_nearer(change.after, raised->before, raised->after);
    });
    if (end != changes.end()) ended.push_back({i, end->started});
  }
  return ended;
}

std::vector<WithdrawnAlarm> withdrawn_alarms(const SeriesHistory& history, std::span<const Alarm> known) {
  std::vector<WithdrawnAlarm> withdrawn;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i].reported || known[i].ended) continue;
    for (const LevelChange& change : history.findings.changes)
      if (change.cause == kMachineCause && change.regressed() && !change.changed.empty() &&
          is_of(known[i], history.series, history.points, change.index))
        withdrawn.push_back({i, change.changed.back()});
  }
  return withdrawn;
}

std::vector<LevelChange> new_improvements(const SeriesHistory& history, const NightFitness& night) {
  std::vector<LevelChange> improvements;
  for (const LevelChange& change : history.findings.changes)
    if (night.fit && !change.in_hindsight && !change.regressed() && change.cause == kCodeCause &&
        history.points[change.detected_at].session == night.session)
      improvements.push_back(change);
  return improvements;
}

bool explains(const results::AlarmBisect& answer, const Alarm& alarm) {
  const double slower = alarm.low.value_or(0) > 1 ? *alarm.low : alarm.ratio;
  return answer.ratio && std::log(*answer.ratio) >= kExplains * std::log(slower);
}

bool is_open(const Alarm& alarm) {
  const bool is_over = alarm.bisect && std::find(kFinal.begin(), kFinal.end(), alarm.bisect->answer) != kFinal.end();
  return !is_over && alarm.tries < kMostTries && alarm.commits.from && alarm.commits.to;
}

}  // namespace lab::judge
