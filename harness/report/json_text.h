/// Helpers of the outputs of --json.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string_view>

#include "harness/stats/interval.h"

namespace lab::report {

/// null for "".
inline boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
}

/// One end of an interval; null without an interval.
inline boost::json::value end_or_null(const std::optional<stats::Interval>& interval, double stats::Interval::*end) {
  return interval ? boost::json::value((*interval).*end) : boost::json::value(nullptr);
}

}  // namespace lab::report
