/// The checks of --conformance for an allocator. Checks of a capability run only if the allocator has it.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// Each check constructs its own allocators.
std::vector<bench::ConformanceCheck> checks_of(const Subject& subject);

}  // namespace lab::allocator
