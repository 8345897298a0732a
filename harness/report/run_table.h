/// What a session measured, as the table that `run` ends with.
#pragma once

#include <cstddef>
#include <string>

#include "harness/results/result.h"

namespace lab::report {

/// A group a workload, its variants by speed, each with its time over the reference's (1.00x); within `width` columns
/// (0: any). No ratios in a workload that its reference did not run.
std::string run_table(const results::Result& result, std::size_t width);

}  // namespace lab::report
