/// The loop of the article's script in plain Python, so that what the article says of its time can be judged.
#pragma once

#include <string>

#include "harness/bench/variant.h"

namespace lab::object_visibility {

/// The first of the PATH's and the system's python3 that has NumPy; "" if neither has.
std::string python_with_numpy();

/// Unsupported where there is no python3.
bench::Workload python_loop_workload();
/// The same over an array of NumPy. Unsupported where python3 has no NumPy.
bench::Workload numpy_loop_workload();

}  // namespace lab::object_visibility
