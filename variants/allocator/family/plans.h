/// The plans of the family's workloads: common plans with the family's numbers, and what describes the workloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/bench/task.h"
#include "variants/allocator/family/subject.h"
#include "variants/common/plans/plans.h"

namespace lab::allocator {

/// Random sizes in random slots.
struct RandomReplacePlan : ReplacementPlan {
  static constexpr std::size_t kLive = 10'000, kOperations = 100'000, kMinBytes = 16, kMaxBytes = 4096;
  static constexpr bool kMixesThousands = true;  ///< see kSearchesEveryFreeBlock
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

/// What the article calls the worst case: every leaf allocated, then every other one freed.
struct WorstCasePlan {
  static constexpr std::size_t kBlocks = 1 << 14, kBytes = 64, kTwice = kBlocks / 4;
  static constexpr std::size_t kArenaBytes = kBlocks * kBytes;

  explicit WorstCasePlan(std::uint64_t seed);
  static bench::Workload describe();

  /// In an arena of kArenaBytes, filled until it refuses: the bytes of the freed blocks that requests of twice the size
  /// do not get, as a share of the arena.
  std::map<std::string, double> arena_counters(const Subject& subject) const;

  std::uint32_t first_id;
  Demand demand;
};

/// Large blocks that live for a short time, each followed by a small one that lives on.
struct LongAndShortPlan {
  static constexpr std::size_t kPairs = 512;
  static constexpr Sizes kLarge{2048, 8192}, kSmall{16, 128};
  static constexpr double kRequestedShare = 0.6;  ///< of the large blocks' bytes
  static constexpr std::size_t kArenaBytes = std::size_t{1} << 22;

  explicit LongAndShortPlan(std::uint64_t seed);
  static bench::Workload describe();

  /// In an arena of kArenaBytes, filled with these pairs, in turns, until it refuses one; then its large blocks are
  /// freed.
  std::map<std::string, double> arena_counters(const Subject& subject) const;

  std::vector<std::uint32_t> large, small;  ///< sizes
  std::size_t request_bytes = 0;
  Demand demand;
};

/// Blocks that live long among blocks that live for a short time.
struct LifetimesPlan : ReplacementPlan {
  static constexpr std::size_t kLong = 5'000, kShort = 500, kShortPairs = 114 * kShort, kShortPerLong = 19,
                               kMinBytes = 16, kMaxBytes = 1024;
  static constexpr bool kMixesThousands = true;
  explicit LifetimesPlan(std::uint64_t seed);
  static bench::Workload describe();

  ReplacementPlan long_lived() const { return slots_of(*this, 0, kLong); }
  ReplacementPlan short_lived() const { return slots_of(*this, kLong, kShort); }
};

/// The same requests, in two heaps.
struct LifetimesApartPlan : LifetimesPlan {
  using LifetimesPlan::LifetimesPlan;
  static bench::Workload describe();

  /// The minimum heaps of both together.
  std::map<std::string, double> arena_counters(const Subject& subject) const;
};

/// random_replace as a function of the size: blocks of half of `bytes` to `bytes`.
struct SizeSweepPlan : ReplacementPlan {
  static constexpr std::size_t kLive = 1'000, kOperations = 20'000;
  SizeSweepPlan(std::uint64_t seed, double bytes);
  static bench::Workload describe();
};

/// random_replace as a function of the number of live blocks, with its sizes.
struct LiveSweepPlan : ReplacementPlan {
  static constexpr bool kMixesThousands = true;
  static constexpr std::size_t kOperations = 20'000;
  LiveSweepPlan(std::uint64_t seed, double live);
  static bench::Workload describe();
};

/// Which numbers of threads a workload runs on: half of the cores, all, and twice as many.
inline constexpr unsigned kMostThreads = 240;
unsigned threads_at(double per_core, unsigned cores);

/// Parts of slots that go from thread to thread, so that most blocks are freed by another thread than the one that
/// allocated them.
struct LarsonPlan : ReplacementPlan {
  static constexpr std::size_t kParts = kMostThreads, kLive = 50, kRounds = 5, kOperations = 100, kMinBytes = 16,
                               kMaxBytes = 512;
  explicit LarsonPlan(std::uint64_t seed);
  static bench::Workload describe();
};

/// Blocks that one thread allocates and another frees.
struct CrossThreadPlan {
  static constexpr std::size_t kBlocks = 60'000, kMinBytes = 16, kMaxBytes = 512;
  static constexpr std::size_t kQueued = 1024;  ///< at most, between the two
  static constexpr bool kFreesOfOthers = true;  ///< see kFreesOfOthersTakeLong

  explicit CrossThreadPlan(std::uint64_t seed);
  static bench::Workload describe();

  std::vector<std::uint32_t> bytes;
};

/// frame_scratch, with its blocks divided among threads.
struct FrameThreadsPlan : FramePlan {
  using FramePlan::FramePlan;
  static bench::Workload describe();
};

inline constexpr const char* kLostShare = "lost_share";
inline constexpr const char* kLostOfFreed = "lost_share_of_freed";
inline constexpr const char* kRequestServed = "large_request_served";
inline constexpr const char* kLargestShare = "largest_request_share";

}  // namespace lab::allocator
