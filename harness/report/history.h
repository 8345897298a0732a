/// The history section of a report: the changes, and the nights around them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/history.h"
#include "harness/report/document.h"

namespace lab::report {

struct HistoryOptions {
  std::size_t most_points = 180;  ///< a plot shows at most so many of the last ones
  /// The histories are of several machines: the table and the plots name them.
  bool with_machine = false;
  std::function<std::string(const results::SeriesKey&)> link = {};  ///< where a benchmark in the table leads
};

/// The levels of one series, its points and its changes. `history` has points.
Chart history_chart(const judge::SeriesHistory& history, const HistoryOptions& options = {});

/// Every change of level in `histories`, the latest first; they need no points.
Table changes_table(std::span<const judge::SeriesHistory> histories, const HistoryOptions& options = {});

/// The changes in one sentence; "" without changes.
std::string history_sentence(std::span<const judge::SeriesHistory> histories);

/// The latest changes first, each with its plot; an empty section if there are fewer than two sessions.
Section history_section(std::span<const judge::SeriesHistory> histories);

}  // namespace lab::report
