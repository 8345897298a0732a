/// The charts: one Vega-Lite specification per file in page/charts/, drawn in the page and as SVG files.
///
/// A specification names its data sets ("data": {"name": "rows"}). It holds {{placeholders}} that a Chart fills in.
/// Its colours are the page's CSS variables ("var(--c1)"). All share the configuration page/charts/theme.json.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "harness/report/document.h"
#include "harness/report/format.h"

namespace lab::report {

/// The chart's specification with data, placeholders and theme filled in. Its width is that of its container.
boost::json::object specification(const Chart& chart);

/// The same for a drawing without a browser's layout: its width is fixed. kPage: the page supplies title and colours.
/// kFile: a standalone file, which includes its title and the light palette's colours.
enum class DrawingTarget { kPage, kFile };
boost::json::object drawing_specification(const Chart& chart, DrawingTarget place);

/// The unit of an axis whose specification holds {{unit}} and {{unit_size}}; of a second one, with `axis` before them.
void set_unit(Chart& chart, const AxisUnit& unit, const std::string& axis = "");

/// The palette as CSS: variables for light, and for dark under prefers-color-scheme.
std::string palette_css();

/// Replaces every var(--name) of the palette in `text` by the light colour.
std::string with_light_colours(std::string_view text);

}  // namespace lab::report
