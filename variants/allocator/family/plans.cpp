#include <algorithm>
#include <utility>

#include "harness/base/random.h"
#include "variants/allocator/family/workloads.h"

namespace lab::allocator {

namespace {

std::uint32_t random_bytes(Random& random, std::size_t low, std::size_t high) {
  return static_cast<std::uint32_t>(random.between(low, high));
}

/// Sets the fill to the state in which the operations leave the slots, and the demand to the maximum that is live.
void close_cycle(ReplacementPlan& plan, std::vector<Replacement> fill) {
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
  Random random(seed);
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < kOperations; ++i)
    operations.push_back(
        {static_cast<std::uint32_t>(random.below(kLive)), random_bytes(random, kMinBytes, kMaxBytes), id++});
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < kLive; ++slot)
    untouched.push_back({slot, random_bytes(random, kMinBytes, kMaxBytes), id++});
  close_cycle(*this, std::move(untouched));
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

bench::Workload UntouchedReplacePlan::describe() {
  bench::Workload workload = RandomReplacePlan::describe();
  workload.name = "random_replace_untouched";
  workload.title = "The same requests as random_replace, without reading or writing the blocks";
  return workload;
}

SameSizePlan::SameSizePlan(std::uint64_t seed) {
  Random random(seed);
  // The bursts use the ids 0 to kPairs - 1, their positions.
  std::uint32_t id = kPairs;
  for (std::size_t i = 0; i < kPairs; ++i) operations.push_back({static_cast<std::uint32_t>(i % kLive), kBytes, id++});
  for (std::size_t i = 0; i < kPairs; ++i)
    operations.push_back({static_cast<std::uint32_t>(random.below(kLive)), kBytes, id++});
  std::vector<Replacement> untouched;
  for (std::uint32_t slot = 0; slot < kLive; ++slot) untouched.push_back({slot, kBytes, id++});
  close_cycle(*this, std::move(untouched));
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
  for (const std::string& phase : workload.phases) workload.phase_operations[phase] = kPairs;
  workload.operation = "pair";
  return workload;
}

GrowingPlan::GrowingPlan(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> steps_of(kLive);  // indices of each buffer's operations
  for (std::uint32_t i = 0; i < kOperations; ++i) {
    const auto buffer = static_cast<std::uint32_t>(random.below(kLive));
    operations.push_back({buffer, 0, i + 1});
    steps_of[buffer].push_back(i);
  }
  for (const std::vector<std::uint32_t>& steps : steps_of) {
    // A buffer's operations form a cycle. Lifetimes fill the cycle from a random step on; the last one is cut to fit.
    // So the last operations leave the buffer in the state in which the first ones expect it.
    const std::size_t first = steps.empty() ? 0 : random.below(steps.size());
    for (std::size_t placed = 0; placed < steps.size();) {
      const std::size_t life = std::min(steps.size() - placed, 1 + random.between(1, 10));
      for (std::size_t age = 0; age < life; ++age, ++placed)
        operations[steps[(first + placed) % steps.size()]].bytes = static_cast<std::uint32_t>(kMinBytes << age);
    }
    auto begin = steps.end();
    while (begin != steps.begin() && (begin == steps.end() || operations[*begin].bytes != kMinBytes)) --begin;
    for (; begin != steps.end(); ++begin) fill.push_back(operations[*begin]);
  }
  std::vector<std::size_t> bytes(kLive);
  std::size_t live = 0;
  const auto apply = [&](const Step& step) {
    // The old and the new block are both live during the copy.
    if (step.bytes != kMinBytes) demand.bytes = std::max(demand.bytes, live + step.bytes);
    live = live - std::exchange(bytes[step.buffer], step.bytes) + step.bytes;
    demand.bytes = std::max(demand.bytes, live);
  };
  for (const Step& step : fill) apply(step);
  for (const Step& step : operations) apply(step);
  demand.blocks = kLive + 1;
}

bench::Workload GrowingPlan::describe() {
  bench::Workload workload;
  workload.name = "growing_buffers";
  workload.version = 2;  // version 1 freed all buffers, untimed, after each repetition
  workload.title = "Buffers that double from 64 bytes to as much as 64 KiB: allocate, copy, free the old one";
  workload.phases = {"total"};
  workload.operations = kOperations;
  workload.operation = "growth";
  return workload;
}

FramePlan::FramePlan(std::uint64_t seed) {
  Random random(seed);
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
