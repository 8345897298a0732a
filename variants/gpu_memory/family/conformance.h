/// What each variant must keep: `<executable> --conformance`.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

std::vector<bench::ConformanceCheck> checks_of(const Subject& subject);

}  // namespace lab::gpu_memory
