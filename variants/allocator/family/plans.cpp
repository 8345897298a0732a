#include "variants/allocator/family/plans.h"

#include <string>

namespace lab::allocator {

RandomReplacePlan::RandomReplacePlan(std::uint64_t seed)
    : ReplacementPlan(random_replacements(seed, kLive, kOperations, {kMinBytes, kMaxBytes})) {}

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

SameSizePlan::SameSizePlan(std::uint64_t seed) : ChurnPlan(same_size_churn(seed, kLive, kPairs, kBytes, kMaxBurst)) {}

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

GrowingPlan::GrowingPlan(std::uint64_t seed)
    : lab::GrowingPlan(growing_buffers(seed, kLive, kOperations, kMinBytes, kDoublings)) {}

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

FramePlan::FramePlan(std::uint64_t seed)
    : lab::FramePlan(frames_of_blocks(seed, kFrames, kBlocks, {kMinBytes, kMaxBytes})) {}

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
