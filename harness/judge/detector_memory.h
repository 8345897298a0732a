/// What the on-line detector knew after the last night of a series, as text that is kept with the series. The next
/// night needs no replay of the year.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stats/change_points.h"

namespace lab::judge {

/// What find_change_points() left of a series, by the seed of its sessions.
using DetectorMemories = std::map<std::string, std::string>;

/// The detector that left `memory`, if it saw the beginning of these values in the beginning of these contexts;
/// otherwise one that has seen nothing. So after a night that came late, all are judged again.
stats::ChangePointDetector remembered(std::span<const double> values, std::span<const stats::WatchedFrom> contexts,
                                      std::string_view memory);

/// stats::find_change_points(values, contexts), the same bit for bit whatever `memory` is. Sets `memory` for the next
/// call; to "" for a short series, which is soon replayed.
std::vector<stats::ChangePoint> find_change_points(std::span<const double> values,
                                                   std::span<const stats::WatchedFrom> contexts, std::string& memory);

/// A state as text, and back. None of a text that this is not.
std::string state_text(const stats::DetectorState& state);
std::optional<stats::DetectorState> parse_state(std::string_view text);

}  // namespace lab::judge
