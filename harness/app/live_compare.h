/// Two commits or two machines of a farm compared, from the sessions that they have in common.
#pragma once

#include <string>

#include "harness/app/live.h"
#include "harness/app/live_reader.h"
#include "harness/report/farm_pages.h"

namespace lab::app {

/// The sessions of both commits, machine by machine.
Expected<report::ComparedFarm> compare_commits(const LiveState& state, LiveReader& reader, const std::string& a,
                                               const std::string& b);

/// The ratios of the last nights, at most kComparedNights, in which both machines measured a benchmark.
inline constexpr std::size_t kComparedNights = 7;
Expected<report::ComparedFarm> compare_machines(const LiveState& state, LiveReader& reader, const std::string& a,
                                                const std::string& b);

}  // namespace lab::app
