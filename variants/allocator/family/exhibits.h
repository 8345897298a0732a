/// The exhibits of random_replace: how long single operations take, and how the heap fragments. Both go through virtual
/// calls, so that no variant compiles them.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// Gives the workload its exhibits; none if the allocator cannot do it.
void add_exhibits(const Subject& subject, std::vector<bench::Workload>& workloads);

}  // namespace lab::allocator
