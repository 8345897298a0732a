/// The recordings in variants/allocator/traces, which are part of each executable. recorder/record.py records them
/// again.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/bench/task.h"
#include "variants/common/plans/trace.h"

namespace lab::allocator {

enum class Recorded { kCompile, kPython, kHarness };

/// The file.
std::string_view recorded_file(Recorded which);

/// The plan of a replay. A recording has no random choice, so every seed gives the same.
struct ReplayPlan {
  explicit ReplayPlan(Recorded which);

  const Trace& trace() const { return requests; }

  Trace requests;
  Demand demand;
};

template <Recorded kWhich>
struct RecordedPlan : ReplayPlan {
  explicit RecordedPlan(std::uint64_t) : ReplayPlan(kWhich) {}
  static bench::Workload describe();
};

}  // namespace lab::allocator
