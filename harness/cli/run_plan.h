/// `run --plan`: which change a session would be able to see, before it is made.
#pragma once

#include <filesystem>

#include "harness/base/error.h"
#include "harness/exec/session.h"

namespace lab::cli {

/// Prints a table from the newest readable result in `machine_folder` that has processes enough: its noise of each of
/// the session's benchmarks, how many processes the session would have, and the smallest change that a comparison with
/// as many of a base would find. Without such a result it says so and how to get one, for the same `filters`. Starts
/// nothing.
Expected<ExitStatus> print_plan(const exec::SessionSpec& spec, const std::vector<std::string>& filters,
                                const std::filesystem::path& machine_folder);

}  // namespace lab::cli
