/// The workloads of the family and their exhibits, compiled once for all versions.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/command_bucket/family/command_bucket.h"

namespace lab::command_bucket {

inline constexpr std::size_t kMeshes = 10'000;
inline constexpr std::size_t kLights = 10'000;

/// The pool that a version renders `threads` threads' frames with: of one worker, which starts no thread, for a version
/// that does not use it.
unsigned workers_for(Threading threading, unsigned threads);

std::vector<bench::Workload> workloads(const Renderer& renderer);

}  // namespace lab::command_bucket
