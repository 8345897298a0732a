/// The table of a session's measurements that `run` prints at its end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::report {

/// One group per workload, variants sorted by speed, each with its time ratio to the reference (1.00x). At most `width`
/// columns wide (0: unlimited). `also`: metrics shown beside those that are judged. No ratios for a workload that the
/// reference did not run.
std::string run_table(const results::Result& result, std::size_t width, const std::vector<std::string>& also = {});

}  // namespace lab::report
