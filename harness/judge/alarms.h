/// Which changes of a history nightly tells, and which bisects go on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/judge/history.h"
#include "harness/judge/night.h"
#include "harness/results/alarm.h"

namespace lab::judge {

/// Of a slowdown, on the logarithm: a commit that is good for less is not its culprit.
inline constexpr double kExplains = 0.5;
/// Nights that work on one bisect: what has failed so often would take the time of others for ever.
inline constexpr int kMostTries = 5;
/// Sessions by which a change that was told may seem to have moved, as more nights become known.
inline constexpr std::size_t kSameChange = 8;

/// Regressions by code of `followed`, a series of tonight's machine, that `known` does not have: those of tonight's
/// session and, as they may have been found in an unfit night, those that last. None in an unfit night. On the
/// `first_night` (no state yet) all that is older counts as told.
std::vector<results::Alarm> new_alarms(const SeriesHistory& followed, const JudgedNight& night,
                                       std::span<const results::Alarm> known, bool first_night);

/// Whether the last time is nearer to the new level than to the old: what an unfit night found may be its own
/// disturbance.
bool lasts(const Change& change, std::span<const results::Point> points);

/// Whether a bisect's culprit made the benchmark slower by most of what the alarm says.
bool explains(const results::BisectAnswer& answer, const results::Alarm& alarm);

/// Whether its bisect has no answer yet and may still get one.
bool is_open(const results::Alarm& alarm);

}  // namespace lab::judge
