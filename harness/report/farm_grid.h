/// The grid of a farm: a row for each benchmark, a column for each machine, and what changed there in the last nights.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/farm.h"
#include "harness/report/farm_pages.h"
#include "harness/results/store.h"

namespace lab::report {

/// Nights that the grid shows, days in UTC, the last of which is that of the farm's last session.
inline constexpr int kGridNights = 30;

struct GridRows {
  std::vector<std::string> nights;      ///< days, the oldest first
  std::vector<std::string> machines;    ///< the columns: by class and name
  std::vector<bool> has_verdicts;       ///< of each column; false if hosts take turns under its name
  std::vector<std::string> benchmarks;  ///< the rows: those with open alarms, those changed last, then by name
  /// cells[row][column]: the series there, in its newest version; null if that machine never measured it.
  std::vector<std::vector<const judge::FarmSeries*>> cells;
};

/// Refers to `view.series`.
GridRows grid_rows(const FarmView& view, int nights = kGridNights);

/// {"now", "nights", "machines", "benchmarks", "cells"}: a cell is one character: '.' no data in these nights, 'o'
/// data, 'r' a regression of the code in them, 'e' a change of the environment or the machine, 'i' an improvement.
boost::json::object farm_grid(const FarmView& view, const GridRows& rows);

/// {"rows": [...]} for api/sparks. `levels`: of the series of rows [from, to), row after row, as Store::levels since
/// the first of `rows.nights`; nothing for a cell without a series.
boost::json::object farm_sparks(const GridRows& rows, std::size_t from, std::size_t to,
                                std::span<const results::TimedSeries> levels);

}  // namespace lab::report
