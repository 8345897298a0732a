/// The changes that a session could detect, as a table and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/judge/forecast.h"

namespace lab::report {

/// One row per benchmark: noise, processes and the smallest detectable change. Without a pilot: how to get one for the
/// same `filters`.
std::string to_text(const judge::Forecast& forecast, const std::vector<std::string>& filters, std::size_t width);

/// One object on one line; unknown values are null.
std::string to_json(const judge::Forecast& forecast);

}  // namespace lab::report
