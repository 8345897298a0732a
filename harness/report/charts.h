/// The charts: one Vega-Lite specification a file in page/charts/, drawn in the page and as SVG files.
///
/// A specification names its data sets ("data": {"name": "rows"}), holds {{words}} that a Chart fills in, and colours
/// as the page's CSS variables ("var(--c1)"). page/charts/theme.json is the configuration that all share.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "harness/report/document.h"

namespace lab::report {

/// The chart's specification with its data, words and the theme in place; its width is its container's.
boost::json::object specification(const Chart& chart);

/// The same for a drawing that is not laid out by a browser, so its width is fixed: for the page, which has the title
/// and the colours, or for a file of its own, which has its title in it and the light palette's colours.
enum class Place { kPage, kFile };
boost::json::object drawing_specification(const Chart& chart, Place place);

/// The palette as CSS: variables for light, and for dark under prefers-color-scheme.
std::string palette_css();

/// `text` with every var(--name) that the palette has replaced by the light colour.
std::string with_light_colours(std::string_view text);

}  // namespace lab::report
