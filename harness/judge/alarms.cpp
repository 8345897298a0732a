#include "harness/judge/alarms.h"

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
  return alarm;
}

/// Whether the change is known already: same series, nearly the same session.
bool is_known(const Alarm& alarm, std::size_t index, std::span<const results::SeriesPoint> points,
              std::span<const Alarm> known) {
  return std::any_of(known.begin(), known.end(), [&](const Alarm& old) {
    if (old.machine != alarm.machine || old.benchmark != alarm.benchmark || old.version != alarm.version) return false;
    const auto found = std::find_if(points.begin(), points.end(),
                                    [&](const results::SeriesPoint& point) { return point.session == old.session; });
    if (found == points.end()) return false;
    const auto place = static_cast<std::size_t>(found - points.begin());
    return std::max(place, index) - std::min(place, index) <= kSameChange;
  });
}

}  // namespace

std::vector<Alarm> new_alarms(const SeriesHistory& history, const NightFitness& night, std::span<const Alarm> known,
                              bool first_night) {
  std::vector<Alarm> alarms;
  for (const LevelChange& change : history.findings.changes) {
    if (!change.is_code_regression()) continue;
    const bool is_new = history.points[change.detected_at].session == night.session;
    const bool from_before = first_night && !is_new;
    // A benchmark without a turn tonight has no time that could confirm an older finding: its next turn decides.
    const bool has_turn = history.points.back().session == night.session;
    if (!from_before && !(night.fit && (is_new || (has_turn && lasts(change, history.points))))) continue;
    Alarm alarm = alarm_of(history, change);
    if (is_known(alarm, change.index, history.points, known) || is_known(alarm, change.index, history.points, alarms))
      continue;
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
  const double last = std::log(points.back().median);
  return std::abs(last - std::log(change.after)) < std::abs(last - std::log(change.before));
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
