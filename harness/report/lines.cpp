#include "harness/report/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <ranges>
#include <set>

#include "harness/report/charts.h"
#include "harness/report/format.h"

namespace lab::report {

namespace json = boost::json;

namespace {

/// Above this number of points in a line, each is only as large as the line is wide.
constexpr std::size_t kMostDots = 30;

json::object row_of(const Line& line, const LinePoint& point, const std::string& shade, bool time) {
  const stats::Estimate shown{0, point.y, point.interval};
  return {{"line", line.name}, {"benchmark", line.benchmark},
          {"shade", shade},    {"x", point.x},
          {"y", point.y},      {"shown", time ? duration_with_interval(shown) : with_interval(shown)}};
}

json::object interval_of(const Line& line, const LinePoint& point, const std::string& shade) {
  return {{"line", line.name}, {"benchmark", line.benchmark}, {"shade", shade},
          {"x", point.x},      {"low", point.interval->low},  {"high", point.interval->high}};
}

}  // namespace

Chart line_chart(std::string_view name, const std::vector<Line>& lines, const LineAxes& axes) {
  json::array rows, intervals, shades;
  const std::size_t coloured =
      lines.size() == kColouredLines + 1 ? lines.size() : std::min(kColouredLines, lines.size());
  for (const Line& line : lines | std::views::take(coloured)) shades.push_back(json::value(line.name));
  if (coloured < lines.size()) shades.push_back("others");
  std::set<double> at;
  std::size_t most = 0;
  double low = std::numeric_limits<double>::max(), high = 0;
  for (std::size_t drawn = 0; drawn < lines.size(); ++drawn) {
    const std::size_t i = (coloured + drawn) % lines.size();  // the named lines over the others
    const std::string shade = i < coloured ? lines[i].name : "others";
    for (const LinePoint& point : lines[i].points) {
      rows.push_back(row_of(lines[i], point, shade, axes.y_time.has_value()));
      low = std::min(low, point.y);
      high = std::max(high, point.y);
      if (point.interval && point.interval->low < point.interval->high)
        intervals.push_back(interval_of(lines[i], point, shade));
      at.insert(point.x);
    }
    most = std::max(most, lines[i].points.size());
  }
  const auto scale = [](bool log, json::object options) {
    options["type"] = log ? "log" : "linear";
    if (!log) options["zero"] = false;
    return options;
  };
  std::string x_label = "datum.label";
  if (!axes.x_notes.empty()) {
    json::object notes;
    for (const auto& [x, note] : axes.x_notes) notes[fmt::format("{}", x)] = note;
    x_label = fmt::format("[datum.label, {}[datum.value] || '']", json::serialize(notes));
  }
  const auto title = [](const std::string& text, bool log) { return log ? text + " (log scale)" : text; };
  Chart chart("lines", name);
  chart.data = {{"rows", std::move(rows)}, {"intervals", std::move(intervals)}};
  const AxisUnit unit = axes.y_time ? time_axis(low, high) : AxisUnit{};
  chart.words = {{"x_title", title(axes.x_title, axes.x_log)},
                 {"y_title", title(axes.y_time ? unit.name + *axes.y_time : axes.y_title, axes.y_log)},
                 {"y_shown", axes.y_time ? "time" + *axes.y_time : axes.y_title},
                 {"x_label", x_label}};
  set_unit(chart, unit);
  chart.values = {{"x_scale", scale(axes.x_log, {{"nice", false}, {"padding", 12}})},
                  {"y_scale", scale(axes.y_log, {{"nice", false}, {"padding", 12}})},
                  {"point_size", most > kMostDots ? 4 : 62},
                  {"shades", std::move(shades)},
                  {"x_values", nullptr}};
  if (axes.ticks_at_points) chart.values.back().second = json::array(at.begin(), at.end());
  return chart;
}

}  // namespace lab::report
