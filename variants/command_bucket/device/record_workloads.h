/// Workloads that record the sorted commands into real command buffers, and render them.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/command_bucket/family/command_bucket.h"

namespace lab::command_bucket {

/// "record_primary" and "record_secondaries". Unsupported where no driver is installed.
std::vector<bench::Workload> record_workloads(const Renderer& renderer);

}  // namespace lab::command_bucket
