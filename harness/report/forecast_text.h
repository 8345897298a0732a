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

/// Why `blocks` processes of each arm cannot show any change in a table of `rows` rows, and how many can; "" if they
/// can. `fewest_blocks`: stats::fewest_blocks().
std::string hopeless_sentence(int blocks, std::size_t rows, std::size_t fewest_blocks);

/// One object on one line; unknown values are null.
std::string to_json(const judge::Forecast& forecast);

}  // namespace lab::report
