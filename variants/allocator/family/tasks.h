/// What the family's tasks have that no repetition times: plans, live blocks, counters, the first blocks and the frees
/// at the end. It is compiled once for the family, over AnyAllocator. The class that a variant instantiates derives
/// from it, has the allocator, and its timed loops call that one directly.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/task.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/recorded_traces.h"
#include "variants/allocator/family/subject.h"
#include "variants/allocator/family/team.h"

namespace lab::allocator {

void free_blocks(AnyAllocator& allocator, const std::vector<Block>& blocks);

/// A task whose counters are those at one point of the first repetition, the same point in every process; so they are
/// exact.
class CountingTask : public bench::Task {
 public:
  ~CountingTask() override;
  std::map<std::string, double> counters() const override;

 protected:
  CountingTask();

  /// The allocator's counters and those of `live`, at the first call. Later calls do nothing.
  void count(AnyAllocator& allocator, const std::vector<Block>& live, const Demand& demand);

  std::map<std::string, double> counters_;
};

/// Makes the plan of a task that replaces blocks. Most have no bursts.
using MakeReplacements = ChurnPlan (*)(const bench::Case&);

/// `Plan`, as such a function. Defined for the plans that a task has.
template <typename Plan>
ChurnPlan replacements(const bench::Case& inputs);

/// Slots with live blocks, which are replaced.
class SlotTask : public CountingTask {
 public:
  ~SlotTask() override;

 protected:
  SlotTask(const bench::Case& inputs, MakeReplacements plan);

  /// Allocates the first block of each slot and marks it, if blocks are touched.
  void fill(AnyAllocator& allocator, Touch touch);
  void count(AnyAllocator& allocator) { CountingTask::count(allocator, slots_, plan_.demand); }
  /// Proves that blocks which nobody touched exist and do not overlap: it marks all, then reads all back.
  std::uint64_t mark_and_read(AnyAllocator& allocator) const;

  const ChurnPlan plan_;
  std::vector<Block> slots_;
};

class GrowingTask : public CountingTask {
 public:
  ~GrowingTask() override;

 protected:
  explicit GrowingTask(const bench::Case& inputs);

  void fill(AnyAllocator& allocator);
  void count(AnyAllocator& allocator) { CountingTask::count(allocator, buffers_, plan_.demand); }
  /// Adds what all steps appended to the live buffers. Read only: a free or an allocation between repetitions would
  /// change the cost of the next one.
  bench::Checksum read(const AnyAllocator& allocator, bench::Checksum sum) const;

  template <Heap A>
  void apply(A& allocator, const GrowingPlan::Step& step, bench::Checksum& sum) {
    Block& buffer = buffers_[step.buffer];
    if (step.bytes == GrowingPlan::kMinBytes) retire(allocator, buffer, sum);
    grow(allocator, buffer, step.bytes, step.id);
  }

  const GrowingPlan plan_;
  std::vector<Block> buffers_;

 private:
  static constexpr std::size_t kLine = 64;

  static std::uint64_t load(const unsigned char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  template <Heap A>
  static void grow(A& allocator, Block& buffer, std::size_t bytes, std::uint64_t stamp) {
    const Block grown = allocate_block(allocator, bytes);
    unsigned char* const at_grown = contents(allocator, grown).begin;
    if (buffer.bytes > 0) {
      std::memcpy(at_grown, contents(allocator, buffer).begin, buffer.bytes);
      free_block(allocator, buffer.begin, buffer.bytes);
    }
    // One word per cache line stands for the appended data: it costs the memory traffic and little else.
    for (std::size_t at = buffer.bytes; at < bytes; at += kLine) {
      const std::uint64_t word = stamp << 32 | at;
      std::memcpy(at_grown + at, &word, sizeof word);
    }
    buffer = grown;
  }

  // Reads the last word that each growth step appended: a copy that is too short loses it. The rest is read outside of
  // the timed phase.
  template <Heap A>
  static void retire(A& allocator, Block& buffer, bench::Checksum& sum) {
    for (std::size_t end = GrowingPlan::kMinBytes; end <= buffer.bytes; end *= 2)
      sum.word(load(contents(allocator, buffer).begin + end - kLine));
    if (buffer.bytes > 0) free_block(allocator, buffer.begin, buffer.bytes);
    buffer = {};
  }
};

class FrameTask : public CountingTask {
 public:
  ~FrameTask() override;

 protected:
  explicit FrameTask(const bench::Case& inputs);

  void count(AnyAllocator& allocator) { CountingTask::count(allocator, blocks_, plan_.demand); }
  bench::Checksum read(const AnyAllocator& allocator, bench::Checksum sum) const;

  const FramePlan plan_;
  std::vector<Block> blocks_;
};

class WorstCaseTask : public CountingTask {
 public:
  using Plan = WorstCasePlan;
  ~WorstCaseTask() override;

 protected:
  explicit WorstCaseTask(const bench::Case& inputs);

  void fill(AnyAllocator& allocator);
  /// Sorts the blocks by address, and counts.
  void begin(AnyAllocator& allocator);
  /// Adds the blocks that no repetition frees.
  SumOfIds read_kept(SumOfIds sum) const;

  const Plan plan_;
  std::vector<Block> blocks_, twice_;
  std::array<std::uint32_t, Plan::kBlocks / 2> ids_{};
};

class LongAndShortTask : public CountingTask {
 public:
  ~LongAndShortTask() override;

 protected:
  explicit LongAndShortTask(const bench::Case& inputs);

  void count(AnyAllocator& allocator);

  const LongAndShortPlan plan_;
  std::vector<Block> large_, small_;
};

/// Slots of two heaps.
class LifetimesApartTask : public CountingTask {
 public:
  ~LifetimesApartTask() override;

 protected:
  explicit LifetimesApartTask(const bench::Case& inputs);

  void fill(AnyAllocator& of_long, AnyAllocator& of_short);
  void free_all(AnyAllocator& of_long, AnyAllocator& of_short) const;
  /// The sizes of both heaps together.
  void count(AnyAllocator& of_long, AnyAllocator& of_short);

  static bool is_long(std::size_t slot) { return slot < LifetimesApartPlan::kLong; }

  const LifetimesApartPlan plan_;
  const Demand long_demand_, short_demand_;
  std::vector<Block> slots_;
};

class ReplayTask : public CountingTask {
 public:
  ~ReplayTask() override;

 protected:
  explicit ReplayTask(Recorded which);

  void count(AnyAllocator& allocator) { CountingTask::count(allocator, blocks_, plan_.demand); }

  const ReplayPlan plan_;
  std::vector<Block> blocks_;
  std::uint32_t next_id_ = 0;
};

/// A queue from one thread to one other.
class BlockQueue {
 public:
  void push(const Block& block) {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    wait([&] { return end - begin_.load(std::memory_order_acquire) < CrossThreadPlan::kQueued; });
    blocks_[end % CrossThreadPlan::kQueued] = block;
    end_.store(end + 1, std::memory_order_release);
  }
  Block pop() {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    wait([&] { return end_.load(std::memory_order_acquire) != begin; });
    const Block block = blocks_[begin % CrossThreadPlan::kQueued];
    begin_.store(begin + 1, std::memory_order_release);
    return block;
  }

 private:
  // The other thread may need this one's core.
  template <typename Condition>
  static void wait(const Condition& condition) {
    while (!condition()) std::this_thread::yield();
  }

  alignas(designs::kApart) std::atomic<std::size_t> begin_ = 0;
  alignas(designs::kApart) std::atomic<std::size_t> end_ = 0;
  alignas(designs::kApart) Block blocks_[CrossThreadPlan::kQueued];
};

/// On threads, how many blocks of which size exist at one time is no exact value, so these tasks count nothing. The
/// team is the derived class's: its threads end before the allocator does.
class CrossThreadTask : public bench::Task {
 public:
  ~CrossThreadTask() override;

 protected:
  explicit CrossThreadTask(const bench::Case& inputs);

  std::uint64_t sum() const;

  static constexpr std::size_t kLivePerThread = CrossThreadPlan::kQueued + 2;

  const CrossThreadPlan plan_;
  const unsigned pairs_;
  const Demand demand_;
  std::unique_ptr<BlockQueue[]> queues_;
  std::vector<std::uint64_t> sums_;
};

class LarsonTask : public bench::Task {
 public:
  ~LarsonTask() override;

 protected:
  explicit LarsonTask(const bench::Case& inputs);

  void fill(AnyAllocator& allocator);
  void begin() { sums_.assign(LarsonPlan::kParts, {}); }
  std::uint64_t sum() const;

  const LarsonPlan plan_;
  const Demand demand_;
  std::vector<Block> slots_;
  std::vector<bench::Checksum> sums_;  // of each part
};

class FrameThreadsTask : public bench::Task {
 public:
  ~FrameThreadsTask() override;

 protected:
  explicit FrameThreadsTask(const bench::Case& inputs);

  bench::Checksum read(bench::Checksum sum) const;

  const FrameThreadsPlan plan_;
  const Demand demand_;
  std::vector<Block> blocks_;
};

}  // namespace lab::allocator
