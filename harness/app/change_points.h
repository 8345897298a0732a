/// The use case changepoints: finds level changes in series of numbers, point by point as they come, and in hindsight.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/stats/change_points.h"
#include "harness/stats/hindsight.h"

namespace lab::app {

struct NumberSeries {
  std::size_t line = 0;       ///< in the text, from 1
  std::size_t last_line = 0;  ///< the same, but in a column
  std::vector<double> values;
  std::vector<stats::ChangePoint> change_points;
  stats::Hindsight hindsight;
};

/// One series for each line of `text` that is not blank, its numbers separated by commas or blanks; one series for all
/// lines if each has one number. `together`: the series are watched together (stats::DetectorContext::series). Errors
/// (kUsage) begin with `name`, the text's file.
Expected<std::vector<NumberSeries>> find_change_points(std::string_view text, const std::string& name, bool together);

}  // namespace lab::app
