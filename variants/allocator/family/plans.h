/// The plans of the family's workloads: common plans with the family's numbers, and what describes the workloads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/bench/variant.h"
#include "variants/common/plans.h"

namespace lab::allocator {

/// Random sizes in random slots.
struct RandomReplacePlan : ReplacementPlan {
  static constexpr std::size_t kLive = 10'000, kOperations = 100'000, kMinBytes = 16, kMaxBytes = 4096;
  explicit RandomReplacePlan(std::uint64_t seed);
  static bench::Workload describe();
};

/// The same requests, but the blocks are not touched: the cost of the allocator alone, without the memory traffic of
/// its user.
struct UntouchedReplacePlan : RandomReplacePlan {
  using RandomReplacePlan::RandomReplacePlan;
  static bench::Workload describe();
};

/// One size. The bursts come between the two kinds of replacements.
struct SameSizePlan : ChurnPlan {
  static constexpr std::size_t kLive = 10'000, kPairs = 30'000, kBytes = 64, kMaxBurst = 64;
  explicit SameSizePlan(std::uint64_t seed);
  static bench::Workload describe();
};

/// Buffers that double. Page faults occur only if the allocator returns memory to the system in a timed free. The id of
/// a step is stamped into the appended bytes.
struct GrowingPlan : lab::GrowingPlan {
  static constexpr std::size_t kLive = 256, kOperations = 20'000, kMinBytes = 64;
  static constexpr unsigned kDoublings = 10;
  static constexpr std::size_t kMaxBytes = kMinBytes << kDoublings;
  explicit GrowingPlan(std::uint64_t seed);
  static bench::Workload describe();
};

struct FramePlan : lab::FramePlan {
  static constexpr std::size_t kFrames = 20, kBlocks = 2'000, kMinBytes = 16, kMaxBytes = 512;
  explicit FramePlan(std::uint64_t seed);
  static bench::Workload describe();
};

}  // namespace lab::allocator
