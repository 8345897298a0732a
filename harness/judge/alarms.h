/// Which changes of a history nightly reports, and which bisects it continues.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/history.h"
#include "harness/judge/night.h"
#include "harness/results/alarm.h"

namespace lab::judge {

/// Share of a slowdown's logarithm: a commit that explains less is not its culprit.
inline constexpr double kExplains = 0.5;
/// Most nights spent on one bisect. One that failed so often would take time from the others forever.
inline constexpr int kMostTries = 5;
/// A reported change may move by this many sessions as more nights arrive, and is still the same change.
inline constexpr std::size_t kSameChange = 8;

/// What only hindsight shows is no alarm if it was known more sessions ago: an earlier night told it, or it was none.
inline constexpr std::size_t kTellsHindsight = 60;

/// Regressions of `history` (a series of tonight's machine) that the code may have caused and `known` lacks: those
/// found tonight, and earlier ones that still last, because an unfit night may have found them. What only hindsight
/// shows is one, too, if it is settled and still lasts. None in an unfit night. On the `first_night` (no state yet) all
/// older ones count as reported.
std::vector<results::Alarm> new_alarms(const SeriesHistory& history, const NightFitness& night,
                                       std::span<const results::Alarm> known, bool first_night);

/// Whether the last time is nearer to the new level than to the old one. A change found in an unfit night may be only
/// that night's disturbance.
bool lasts(const LevelChange& change, std::span<const results::SeriesPoint> points);

/// A reported alarm that is over.
struct EndedAlarm {
  std::size_t alarm = 0;  ///< in `known`
  std::string since;      ///< when the first session began that was back to normal
};
/// The alarms in `known` of this series that were reported, and whose level a later change has ended: its times are
/// nearer to the level before the alarm.
std::vector<EndedAlarm> ended_alarms(const SeriesHistory& history, std::span<const results::Alarm> known);

/// A reported alarm that was the machine, as more sessions show.
struct WithdrawnAlarm {
  std::size_t alarm = 0;  ///< in `known`
  std::string evidence;
};
std::vector<WithdrawnAlarm> withdrawn_alarms(const SeriesHistory& history, std::span<const results::Alarm> known);

/// The changes for the better that the code caused and that tonight's session showed first. None in an unfit night.
std::vector<LevelChange> new_improvements(const SeriesHistory& history, const NightFitness& night);

/// Whether a bisect's culprit explains most of the alarm's slowdown.
bool explains(const results::AlarmBisect& answer, const results::Alarm& alarm);

/// Whether the alarm's bisect has no answer yet but may still get one.
bool is_open(const results::Alarm& alarm);

}  // namespace lab::judge
