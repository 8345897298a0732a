#include "variants/allocator/family/plans.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/base/random.h"
#include "variants/common/workloads/workload.h"

namespace lab::allocator {

RandomReplacePlan::RandomReplacePlan(std::uint64_t seed)
    : ReplacementPlan(random_replacements(seed, kLive, kOperations, {kMinBytes, kMaxBytes})) {}

bench::Workload RandomReplacePlan::describe() {
  return make_workload("random_replace", "Free a random one of 10,000 blocks, allocate another of 16 to 4096 bytes",
                       {"total"}, kOperations, "pair");
}

bench::Workload UntouchedReplacePlan::describe() {
  bench::Workload workload = RandomReplacePlan::describe();
  workload.name = "random_replace_untouched";
  workload.title = "The same requests as random_replace, without reading or writing the blocks";
  return workload;
}

SameSizePlan::SameSizePlan(std::uint64_t seed) : ChurnPlan(same_size_churn(seed, kLive, kPairs, kBytes, kMaxBurst)) {}

bench::Workload SameSizePlan::describe() {
  bench::Workload workload =
      make_workload("same_size_churn", "Free and allocate 64-byte blocks: oldest first, newest first, at random",
                    {"fifo", "lifo", "random"}, 3 * kPairs, "pair");
  for (const std::string& phase : workload.phases) workload.phase_operations[phase] = kPairs;
  return workload;
}

GrowingPlan::GrowingPlan(std::uint64_t seed)
    : lab::GrowingPlan(growing_buffers(seed, kLive, kOperations, kMinBytes, kDoublings)) {}

bench::Workload GrowingPlan::describe() {
  bench::Workload workload = make_workload(
      "growing_buffers", "Buffers that double from 64 bytes to as much as 64 KiB: allocate, copy, free the old one",
      {"total"}, kOperations, "growth");
  workload.version = 2;  // version 1 freed all buffers, untimed, after each repetition
  return workload;
}

FramePlan::FramePlan(std::uint64_t seed)
    : lab::FramePlan(frames_of_blocks(seed, kFrames, kBlocks, {kMinBytes, kMaxBytes})) {}

bench::Workload FramePlan::describe() {
  return make_workload("frame_scratch", "Allocate 2,000 blocks of 16 to 512 bytes, then free all of them",
                       {"allocate", "release"}, kFrames * kBlocks, "block");
}

WorstCasePlan::WorstCasePlan(std::uint64_t seed)
    : first_id(static_cast<std::uint32_t>(Random(seed).below(1 << 23))),
      demand{.bytes = kBlocks * kBytes, .blocks = kBlocks} {}

bench::Workload WorstCasePlan::describe() {
  bench::Workload workload =
      make_workload("worst_case", "Free every other one of 16,384 blocks of 64 bytes, then make requests of 128 bytes",
                    {"every_other", "twice_as_large"}, kBlocks / 2 + kTwice, "pair");
  workload.phase_operations = {{"every_other", kBlocks / 2}, {"twice_as_large", kTwice}};
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
  bench::Workload workload = make_workload(
      "long_and_short",
      "Allocate large and small blocks in turns, free the large ones, request 60 % of their memory at once",
      {"blocks", "large_request"}, 2 * kPairs + 1, "pair");
  workload.phase_operations = {{"blocks", 2 * kPairs}, {"large_request", 1}};
  return workload;
}

LifetimesPlan::LifetimesPlan(std::uint64_t seed)
    : ReplacementPlan(two_lifetimes(seed, kLong, kShort, kShortPairs, kShortPerLong, {kMinBytes, kMaxBytes})) {}

bench::Workload LifetimesPlan::describe() {
  return make_workload(
      "lifetimes_mixed",
      "Replace the oldest of 500 blocks, and every 20th time one of 5,000 long-lived ones, in one heap", {"total"},
      kShortPairs + kShortPairs / kShortPerLong, "pair");
}

bench::Workload LifetimesApartPlan::describe() {
  bench::Workload workload = LifetimesPlan::describe();
  workload.name = "lifetimes_apart";
  workload.title = "The same requests as lifetimes_mixed, with a heap of its own for each lifetime";
  return workload;
}

namespace {

bench::Workload sweep(std::string name, std::string title, bench::Axis axis, std::size_t operations) {
  bench::Workload workload = make_workload(std::move(name), std::move(title), {"total"}, operations, "pair");
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
bench::Workload on_threads(std::initializer_list<double> per_core, bench::Workload workload) {
  workload.parallel = true;
  workload.axis = bench::Axis{"threads per core", "", {}};
  for (const double at : per_core) workload.axis->points.push_back({at});
  return workload;
}

}  // namespace

LarsonPlan::LarsonPlan(std::uint64_t seed)
    : ReplacementPlan(parted_replacements(seed, kParts, kLive, kRounds, kOperations, {kMinBytes, kMaxBytes})) {}

bench::Workload LarsonPlan::describe() {
  return on_threads(
      {0.5, 1, 2},
      make_workload("larson",
                    "Threads replace blocks of 16 to 512 bytes and hand their slots to the next thread in each round",
                    {"total"}, kRounds * kParts * kOperations, "pair"));
}

CrossThreadPlan::CrossThreadPlan(std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = 0; i < kBlocks; ++i) bytes.push_back(random_bytes(random, {kMinBytes, kMaxBytes}));
}

bench::Workload CrossThreadPlan::describe() {
  return on_threads(
      {1, 2}, make_workload("cross_thread_free",
                            "In pairs of threads, one allocates blocks of 16 to 512 bytes, and the other frees them",
                            {"total"}, kBlocks, "pair"));
}

bench::Workload FrameThreadsPlan::describe() {
  return on_threads(
      {0.5, 1, 2},
      make_workload("frame_scratch_threads",
                    "Threads allocate 2,000 blocks of 16 to 512 bytes together, then all of them are freed",
                    {"allocate", "release"}, kFrames * kBlocks, "block"));
}

}  // namespace lab::allocator
