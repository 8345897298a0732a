/// What the on-line detector knew after the last night of a series, and the noise that a machine's series shared, as
/// text that is kept with both. The next night needs no replay of the year. All of it is a cache: a hash of what was
/// seen says whether it counts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stats/change_points.h"

namespace lab::judge {

/// Texts by their keys: what find_change_points() left of a series, by the seed of its sessions; what shared_noise()
/// left of a machine, by hashes.
using Memories = std::map<std::string, std::string>;

/// As JSON, and back. None of a text that this is not.
std::string memories_text(const Memories& memories);
Memories parse_memories(std::string_view text);

/// stats::shared_noise() of at least `fewest` of the series with these medians, of their logarithms. Taken from `known`
/// if that has it, and added to `left`.
std::optional<stats::SharedNoise> shared_noise(const std::vector<std::span<const double>>& medians, std::size_t fewest,
                                               const Memories& known, Memories& left);

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
