#include "variants/allocator/family/plans.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/base/random.h"

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

WorstCasePlan::WorstCasePlan(std::uint64_t seed)
    : first_id(static_cast<std::uint32_t>(Random(seed).below(1 << 23))),
      demand{.bytes = kBlocks * kBytes, .blocks = kBlocks} {}

bench::Workload WorstCasePlan::describe() {
  bench::Workload workload;
  workload.name = "worst_case";
  workload.title = "Free every other one of 16,384 blocks of 64 bytes, then make requests of 128 bytes";
  workload.phases = {"every_other", "twice_as_large"};
  workload.operations = kBlocks / 2 + kTwice;
  workload.phase_operations = {{"every_other", kBlocks / 2}, {"twice_as_large", kTwice}};
  workload.operation = "pair";
  return workload;
}

LongAndShortPlan::LongAndShortPlan(std::uint64_t seed) {
  Random random(seed);
  std::size_t large_bytes = 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    large.push_back(random_bytes(random, kLarge));
    small.push_back(random_bytes(random, kSmall));
    large_bytes += large.back();
    demand.bytes += large.back() + small.back();
  }
  demand.blocks = 2 * kPairs;
  request_bytes = static_cast<std::size_t>(static_cast<double>(large_bytes) * kRequestedShare);
}

bench::Workload LongAndShortPlan::describe() {
  bench::Workload workload;
  workload.name = "long_and_short";
  workload.title =
      "Allocate large and small blocks in turns, free the large ones, request 60 % of their memory at once";
  workload.phases = {"blocks", "large_request"};
  workload.operations = 2 * kPairs + 1;
  workload.phase_operations = {{"blocks", 2 * kPairs}, {"large_request", 1}};
  workload.operation = "pair";
  return workload;
}

LifetimesPlan::LifetimesPlan(std::uint64_t seed)
    : ReplacementPlan(two_lifetimes(seed, kLong, kShort, kShortPairs, kShortPerLong, {kMinBytes, kMaxBytes})) {}

bench::Workload LifetimesPlan::describe() {
  bench::Workload workload;
  workload.name = "lifetimes_mixed";
  workload.title = "Replace the oldest of 500 blocks, and every 20th time one of 5,000 long-lived ones, in one heap";
  workload.phases = {"total"};
  workload.operations = kShortPairs + kShortPairs / kShortPerLong;
  workload.operation = "pair";
  return workload;
}

bench::Workload LifetimesApartPlan::describe() {
  bench::Workload workload = LifetimesPlan::describe();
  workload.name = "lifetimes_apart";
  workload.title = "The same requests as lifetimes_mixed, with a heap of its own for each lifetime";
  return workload;
}

namespace {

bench::Workload sweep(std::string name, std::string title, bench::Axis axis, std::size_t operations) {
  bench::Workload workload;
  workload.name = std::move(name);
  workload.title = std::move(title);
  workload.phases = {"total"};
  workload.operations = operations;
  workload.operation = "pair";
  workload.axis = std::move(axis);
  return workload;
}

}  // namespace

SizeSweepPlan::SizeSweepPlan(std::uint64_t seed, double bytes)
    : ReplacementPlan(random_replacements(seed, kLive, kOperations,
                                          {static_cast<std::size_t>(bytes) / 2, static_cast<std::size_t>(bytes)})) {}

bench::Workload SizeSweepPlan::describe() {
  bench::Axis axis{"largest block", "bytes", {}};
  for (double bytes = 16; bytes <= 65536; bytes *= 4) axis.points.push_back({bytes});
  return sweep("replace_by_size",
               "Free a random one of 1,000 blocks, allocate another of half to all of the given size", std::move(axis),
               kOperations);
}

LiveSweepPlan::LiveSweepPlan(std::uint64_t seed, double live)
    : ReplacementPlan(random_replacements(seed, static_cast<std::size_t>(live), kOperations,
                                          {RandomReplacePlan::kMinBytes, RandomReplacePlan::kMaxBytes})) {}

bench::Workload LiveSweepPlan::describe() {
  bench::Axis axis{"live blocks", "", {}};
  for (const double live : {100, 1'000, 10'000, 40'000}) axis.points.push_back({live});
  return sweep("replace_by_live",
               "Free a random one of the given number of blocks, allocate another of 16 to 4096 bytes", std::move(axis),
               kOperations);
}

unsigned threads_at(double per_core, unsigned cores) {
  return static_cast<unsigned>(std::clamp<long>(std::lround(per_core * cores), 1, kMostThreads));
}

namespace {

/// A workload on threads: the points are the same on every machine, the threads depend on its cores.
bench::Workload on_threads(std::initializer_list<double> per_core) {
  bench::Workload workload;
  workload.phases = {"total"};
  workload.parallel = true;
  workload.axis = bench::Axis{"threads per core", "", {}};
  for (const double at : per_core) workload.axis->points.push_back({at});
  return workload;
}

}  // namespace

LarsonPlan::LarsonPlan(std::uint64_t seed)
    : ReplacementPlan(parted_replacements(seed, kParts, kLive, kRounds, kOperations, {kMinBytes, kMaxBytes})) {}

bench::Workload LarsonPlan::describe() {
  bench::Workload workload = on_threads({0.5, 1, 2});
  workload.name = "larson";
  workload.title = "Threads replace blocks of 16 to 512 bytes and hand their slots to the next thread in each round";
  workload.operations = kRounds * kParts * kOperations;
  workload.operation = "pair";
  return workload;
}

CrossThreadPlan::CrossThreadPlan(std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = 0; i < kBlocks; ++i) bytes.push_back(random_bytes(random, {kMinBytes, kMaxBytes}));
}

bench::Workload CrossThreadPlan::describe() {
  bench::Workload workload = on_threads({1, 2});
  workload.name = "cross_thread_free";
  workload.title = "In pairs of threads, one allocates blocks of 16 to 512 bytes, and the other frees them";
  workload.operations = kBlocks;
  workload.operation = "pair";
  return workload;
}

bench::Workload FrameThreadsPlan::describe() {
  bench::Workload workload = on_threads({0.5, 1, 2});
  workload.name = "frame_scratch_threads";
  workload.title = "Threads allocate 2,000 blocks of 16 to 512 bytes together, then all of them are freed";
  workload.phases = {"allocate", "release"};
  workload.operations = kFrames * kBlocks;
  workload.operation = "block";
  return workload;
}

}  // namespace lab::allocator
