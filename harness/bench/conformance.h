/// --conformance: whether a variant keeps its family's promises, each found out in a process of its own.
#pragma once

#include <string>
#include <string_view>

#include "harness/bench/variant.h"

namespace lab::bench {

/// A check takes milliseconds; on a loaded machine and under a sanitizer some hundred times as long.
inline constexpr double kCheckSeconds = 30;

/// Runs every check as `program --conformance CHECK` and prints what was found. A check that crashes or does not end
/// within `seconds` has failed; what its process says on standard error is passed on. Returns the exit status.
int run_checks(const Variant& variant, const std::string& program, double seconds);

/// Runs the one check in this process, which ends with SIGALRM after `seconds` (0: never), and prints what was found.
int run_check(const Variant& variant, std::string_view name, double seconds);

}  // namespace lab::bench
