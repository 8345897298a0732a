/// What the streaming workloads show beside their times.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

/// Adds them to the workloads that have them.
void add_exhibits(const Subject& subject, std::vector<bench::Workload>& workloads);

}  // namespace lab::gpu_memory
