/// A chart of lines over x, one or more of them for each variant (page/charts/lines.json).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/document.h"
#include "harness/stats/interval.h"

namespace lab::report {

struct LinePoint {
  double x = 0, y = 0;
  std::optional<stats::Interval> interval;
};

struct Line {
  std::string name;
  std::string benchmark;  ///< for the page's filters
  std::vector<LinePoint> points;
};

struct LineAxes {
  std::string x_title, y_title;  ///< with units
  bool x_log = false, y_log = false;
  bool ticks_at_points = false;            ///< labels the x axis at the lines' points alone
  std::optional<std::string> y_time = {};  ///< y is a time in ns of this: " per pair"
  /// A second line of some labels of the x axis.
  std::map<double, std::string> x_notes = {};
};

/// Most lines with a colour of their own; the others are grey, and the tooltip names them.
inline constexpr std::size_t kColouredLines = 5;

/// The caller adds title, note and text.
Chart line_chart(std::string_view name, const std::vector<Line>& lines, const LineAxes& axes);

}  // namespace lab::report
