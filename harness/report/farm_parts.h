/// What the pages of a farm have in common (farm_pages.h).
#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/document.h"
#include "harness/report/farm_pages.h"

namespace lab::report {

inline constexpr std::time_t kDay = 24 * 60 * 60;
/// Sessions in a table, of one machine.
inline constexpr std::size_t kShownSessions = 60;

/// Without `b` of the page on which it is chosen.
std::string compare_address(std::string_view a, std::string_view b = "");
std::vector<std::string> shown_names(std::vector<std::string> names);

/// A change of the farm in one of its series.
struct SeriesChange {
  const judge::FarmSeries* series = nullptr;
  const judge::LevelChange* change = nullptr;
};
/// In every series that shows it, sorted by benchmark and machine.
std::vector<SeriesChange> series_changes(const FarmView& view, const judge::FarmChange& change);

/// The change that a known alarm is; null if the detectors no longer see it.
const judge::FarmChange* change_of(const FarmView& view, std::string_view alarm);

/// "52.5 ns", or a number of the metric.
std::string value_text(const judge::FarmSeries& series, double value);
/// "52.5 ns on farm-3 until 2026-07-04"
std::string before_text(const SeriesChange& one);

TableCell commits_cell(const results::CommitRange& commits);
TableCell machine_cell(const std::string& machine);
TableCell benchmark_cell(const results::SeriesKey& series);
TableCell night_cell(const results::SessionRecord& session);  ///< leads to the session's report

/// Why a session is in no series; "" if it is in one.
std::string doubt_of(const results::SessionRecord& session);
/// The sessions of the farm's last `days` days that are in no series, the latest first.
std::vector<const results::SessionRecord*> recent_doubts(const FarmView& view, int days);

/// A document whose only page has nothing yet.
Document live_document(std::string title, std::string lead);

}  // namespace lab::report
