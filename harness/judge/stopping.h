/// When a session has enough processes of a benchmark.
#pragma once

#include <cstddef>
#include <string>

#include "harness/results/result.h"

namespace lab::judge {

/// Half the width of an interval over its middle: head's interval or, if `compared` benchmarks of the session have a
/// base, compare's interval of the ratio to it. 1 if there are too few processes for an interval.
double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared);

}  // namespace lab::judge
