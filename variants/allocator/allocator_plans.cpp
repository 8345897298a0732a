#include <algorithm>

#include "harness/bench/random.h"
#include "variants/allocator/workloads.h"

namespace lab::allocator {

namespace {

std::uint32_t random_bytes(bench::Random& random, std::size_t low, std::size_t high) {
  return static_cast<std::uint32_t>(random.between(low, high));
}

/// Fills the slots with what the plan's operations leave in them, and finds the most that is live.
void close_circle(ReplacementPlan& plan, std::vector<Replacement> fill) {
  for (const Replacement& operation : plan.operations) fill[operation.slot] = operation;
  std::size_t live = 0;
  for (const Replacement& slot : fill) live += slot.bytes;
  std::vector<Replacement> slots = plan.fill = std::move(fill);
  plan.demand = {.bytes = live, .blocks = slots.size()};
  for (const Replacement& operation : plan.operations) {
    live = live - slots[operation.slot].bytes + operation.bytes;
    slots[operation.slot] = operation;
    plan.demand.bytes = std::max(plan.demand.bytes, live);
  }
}

}  // namespace

RandomReplacePlan::RandomReplacePlan(std::uint64_t seed) {
  bench::Random random(seed);
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < kOperations; ++i)
    operations.push_back(
        {static_cast<std::uint32_t>(random.below(kLive)), random_bytes(random, kMinBytes, kMaxBytes), id++});
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < kLive; ++slot)
    untouched.push_back({slot, random_bytes(random, kMinBytes, kMaxBytes), id++});
  close_circle(*this, std::move(untouched));
}

bench::Workload RandomReplacePlan::describe() {
  bench::Workload workload;
  workload.name = "random_replace";
  workload.title = "Free a random one of 10,000 blocks, allocate another of 16 to 4096 bytes";
  workload.phases = {"total"};
  workload.operations = kOperations;
  workload.operation = "pair";
  return workload;
}

SameSizePlan::SameSizePlan(std::uint64_t seed) {
  bench::Random random(seed);
  // The ids of the bursts come first: they are their positions.
  std::uint32_t id = kPairs;
  for (std::size_t i = 0; i < kPairs; ++i) operations.push_back({static_cast<std::uint32_t>(i % kLive), kBytes, id++});
  for (std::size_t i = 0; i < kPairs; ++i)
    operations.push_back({static_cast<std::uint32_t>(random.below(kLive)), kBytes, id++});
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < kLive; ++slot) untouched.push_back({slot, kBytes, id++});
  close_circle(*this, std::move(untouched));
  for (std::size_t left = kPairs; left > 0; left -= bursts.back())
    bursts.push_back(static_cast<std::uint32_t>(random.between(1, std::min(left, kMaxBurst))));
  demand.bytes += kMaxBurst * kBytes;
  demand.blocks += kMaxBurst;
}

bench::Workload SameSizePlan::describe() {
  bench::Workload workload;
  workload.name = "same_size_churn";
  workload.title = "Free and allocate 64-byte blocks: oldest first, newest first, at random";
  workload.phases = {"fifo", "lifo", "random"};
  workload.operations = 3 * kPairs;
  workload.operation = "pair";
  return workload;
}

GrowingPlan::GrowingPlan(std::uint64_t seed) {
  bench::Random random(seed);
  std::vector<std::size_t> bytes(kLive), final_bytes(kLive);
  std::size_t live = 0;
  for (std::size_t i = 0; i < kOperations; ++i) {
    const std::size_t buffer = random.below(kLive);
    const std::size_t old = bytes[buffer];
    const bool anew = old == final_bytes[buffer];
    if (anew) final_bytes[buffer] = kMinBytes << random.between(1, 10);
    bytes[buffer] = anew ? kMinBytes : 2 * old;
    steps.push_back({static_cast<std::uint32_t>(buffer), static_cast<std::uint32_t>(bytes[buffer])});
    // Both are live while one is copied into the other.
    demand.bytes = std::max(demand.bytes, live + (anew ? 0 : bytes[buffer]));
    live = live - old + bytes[buffer];
    demand.bytes = std::max(demand.bytes, live);
  }
  demand.blocks = kLive + 1;
}

bench::Workload GrowingPlan::describe() {
  bench::Workload workload;
  workload.name = "growing_buffers";
  workload.title = "Buffers that double from 64 bytes to as much as 64 KiB: allocate, copy, free the old one";
  workload.phases = {"total"};
  workload.operations = kOperations;
  workload.operation = "growth";
  return workload;
}

FramePlan::FramePlan(std::uint64_t seed) {
  bench::Random random(seed);
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    std::size_t live = 0;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      bytes.push_back(random_bytes(random, kMinBytes, kMaxBytes));
      live += bytes.back();
    }
    demand.bytes = std::max(demand.bytes, live);
  }
  demand.blocks = kBlocks;
}

bench::Workload FramePlan::describe() {
  bench::Workload workload;
  workload.name = "frame_scratch";
  workload.title = "Allocate 2,000 blocks of 16 to 512 bytes, then free all of them";
  workload.phases = {"allocate", "release"};
  workload.operations = kFrames * kBlocks;
  workload.operation = "block";
  return workload;
}

}  // namespace lab::allocator
