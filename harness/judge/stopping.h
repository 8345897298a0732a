/// When a session knows enough of a benchmark.
#pragma once

#include <cstddef>
#include <string>

#include "harness/results/result.h"

namespace lab::judge {

/// Half the width over the middle of head's interval or, where `compared` benchmarks of the session have a base, of the
/// interval that compare gives the ratio to it. 1 where there are too few processes for an interval.
double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared);

}  // namespace lab::judge
