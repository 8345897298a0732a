/// --conformance: checks whether a variant keeps its family's promises. Each check runs in its own process.
#pragma once

#include <string>
#include <string_view>

#include "harness/bench/variant.h"

namespace lab::bench {

/// A check takes milliseconds, and some seconds where a CPU compiles and runs its shaders. With six others at work on
/// two cores, that became 30 s: what is slow for others' sake does conform.
inline constexpr double kCheckSeconds = 120;

/// Runs every check as `program --conformance CHECK` and prints the results. A check that crashes or does not end
/// within `seconds` fails; its standard error is passed on. Returns the exit status.
int run_checks(const Variant& variant, const std::string& program, double seconds);

/// Runs one check in this process, which ends with SIGALRM after `seconds` (0: never), and prints the result.
int run_check(const Variant& variant, std::string_view name, double seconds);

}  // namespace lab::bench
