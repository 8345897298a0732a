/// The charts: one Vega-Lite specification a file in page/charts/, drawn in the page and as SVG files.
///
/// A specification names its data sets ("data": {"name": "rows"}), holds {{words}} that a Chart fills in, and colours as
/// the page's CSS variables ("var(--c1)"). page/charts/theme.json is the configuration that all share.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "harness/report/document.h"

namespace lab::report {

/// The chart's specification with its data, words and the theme in place; its width is its container's.
boost::json::object specification(const Chart& chart);

/// The same for a file of its own: a fixed width, its title, the light palette's colours. Without the title it is for
/// a place that says it already.
boost::json::object specification_for_file(const Chart& chart);

/// An SVG drawn from `specification_for_file` with every colour replaced by a CSS variable of the page: for the page.
/// The palette as CSS: variables for light, and for dark under prefers-color-scheme.
std::string palette_css();

/// `text` with every var(--name) replaced by the light palette's colour; aborts on a name that the palette lacks.
std::string with_light_colours(std::string_view text);

}  // namespace lab::report
