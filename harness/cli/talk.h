/// Small words and times that every subcommand needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace lab::cli {

/// Wrong usage or input: ExitStatus::kUsage.
Error usage_error(std::string what, std::string hint);

/// "1 block", "2 blocks"; `many` where that is not `one` with an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = "");

/// Seconds of a clock that only goes forward.
double monotonic_seconds();

}  // namespace lab::cli
