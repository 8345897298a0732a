/// `run --plan`: which change a session would be able to see, before it is made.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/measure/session.h"
#include "harness/results/result.h"

namespace lab::cli {

/// Prints a table from the newest readable result of `machine` that has processes enough: its noise of each of the
/// session's benchmarks, how many processes the session would have, and the smallest change that a comparison with as
/// many of a base would find. Without such a result it says so and how to get one, for the same `filters`. `as_json`:
/// the same as one object, in which what is not known is null. Starts nothing.
Expected<ExitStatus> print_plan(const measure::SessionSpec& spec, const std::vector<std::string>& filters,
                                const results::Machine& machine, bool as_json);

}  // namespace lab::cli
