/// Which changes a session could see, as a table and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/judge/forecast.h"

namespace lab::report {

/// A row a benchmark: its noise, its processes and the smallest change that would be found. Without a pilot, how to get
/// one for the same `filters`.
std::string to_text(const judge::Forecast& forecast, const std::vector<std::string>& filters, std::size_t width);

/// One object on a line, in which what is not known is null.
std::string to_json(const judge::Forecast& forecast);

}  // namespace lab::report
