/// Workloads on several threads: cross_thread_free, larson, frame_scratch_threads. Their checksums do not depend on how
/// many threads there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/team.h"

namespace lab::allocator {

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

/// Thread 2 i allocates and writes, thread 2 i + 1 reads and frees.
template <Allocator A>
class CrossThreadFree : public bench::Task {
 public:
  using Plan = CrossThreadPlan;

  CrossThreadFree(Plan plan, unsigned threads)
      : plan_(std::move(plan)),
        pairs_(threads < 2 ? 1 : threads / 2),
        allocator_(demand(2 * pairs_)),
        queues_(std::make_unique<BlockQueue[]>(pairs_)),
        sums_(pairs_),
        team_(2 * pairs_) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    team_.gather();
    clock.time(0, [&] {
      team_.run([this](unsigned thread) {
        const unsigned pair = thread / 2;
        const std::size_t first = first_of(pair, pairs_, Plan::kBlocks),
                          end = first_of(pair + 1, pairs_, Plan::kBlocks);
        if (thread % 2 == 0)
          produce(queues_[pair], first, end);
        else
          sums_[pair] = consume(queues_[pair], end - first);
      });
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t one : sums_) sum += one;
    return sum;
  }

 private:
  static Demand demand(unsigned threads) {
    const std::size_t live = threads * (Plan::kQueued + 2);
    return {.bytes = live * Plan::kMaxBytes, .blocks = live, .threads = threads};
  }
  void produce(BlockQueue& queue, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const Block block = allocate_block(allocator_, plan_.bytes[i]);
      block.mark(static_cast<std::uint32_t>(i));
      queue.push(block);
    }
  }
  std::uint64_t consume(BlockQueue& queue, std::size_t count) {
    SumOfIds sum;
    for (; count > 0; --count) {
      const Block block = queue.pop();
      sum.add(block.id());
      free_block(allocator_, block.begin, block.bytes);
    }
    return sum.value();
  }

  const Plan plan_;
  const unsigned pairs_;
  A allocator_;
  std::unique_ptr<BlockQueue[]> queues_;
  std::vector<std::uint64_t> sums_;
  Team team_;
};

/// In each round, every part of the slots is with the thread after the one that had it before.
template <Allocator A>
class Larson : public bench::Task {
 public:
  using Plan = LarsonPlan;

  Larson(Plan plan, unsigned threads)
      : plan_(std::move(plan)),
        allocator_(demand(threads)),
        slots_(plan_.fill.size()),
        sums_(Plan::kParts),
        team_(threads) {
    for (const Replacement& fill : plan_.fill) slots_[fill.slot] = make(fill);
  }
  ~Larson() override {
    for (const Block& block : slots_) free_block(allocator_, block.begin, block.bytes);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    sums_.assign(Plan::kParts, {});
    team_.gather();
    clock.time(0, [&] {
      team_.run([this](unsigned thread) {
        for (std::size_t round = 0; round < Plan::kRounds; ++round) {
          for (std::size_t part = 0; part < Plan::kParts; ++part)
            if ((part + round) % team_.size() == thread) replace(round, part);
          team_.meet();
        }
      });
    });
    bench::Checksum sum;
    for (const bench::Checksum& one : sums_) sum.word(one.value());
    return sum.value();
  }

 private:
  Demand demand(unsigned threads) const {
    Demand whole = plan_.demand;
    whole.bytes = plan_.fill.size() * Plan::kMaxBytes;  // threads may be at any place of the plan
    whole.threads = threads;
    return whole;
  }
  Block make(const Replacement& next) {
    const Block block = allocate_block(allocator_, next.bytes);
    block.mark(next.id);
    return block;
  }
  void replace(std::size_t round, std::size_t part) {
    bench::Checksum sum = sums_[part];
    const Replacement* const first = plan_.operations.data() + (round * Plan::kParts + part) * Plan::kOperations;
    for (const Replacement* next = first; next != first + Plan::kOperations; ++next) {
      Block& block = slots_[next->slot];
      sum.word(block.id());
      free_block(allocator_, block.begin, block.bytes);
      block = make(*next);
    }
    sums_[part] = sum;
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> slots_;
  std::vector<bench::Checksum> sums_;  // of each part
  Team team_;
};

template <Allocator A>
class FrameThreads : public bench::Task {
 public:
  using Plan = FrameThreadsPlan;

  FrameThreads(Plan plan, unsigned threads)
      : plan_(std::move(plan)), allocator_(demand(threads)), blocks_(Plan::kBlocks), team_(threads) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    for (std::size_t frame = 0; frame < Plan::kFrames; ++frame) {
      team_.gather();
      clock.time(0, [&] { team_.run([&](unsigned thread) { allocate(frame, thread); }); });
      for (const Block& block : blocks_) sum.word(block.id());
      if constexpr (Resets<A>) {
        clock.time(1, [&] { allocator_.reset(); });
      } else {
        team_.gather();
        clock.time(1, [&] { team_.run([&](unsigned thread) { release(thread); }); });
      }
    }
    return sum.value();
  }

 private:
  Demand demand(unsigned threads) const {
    Demand whole = plan_.demand;
    whole.threads = threads;
    return whole;
  }
  void allocate(std::size_t frame, unsigned thread) {
    const auto first = static_cast<std::uint32_t>(frame * Plan::kBlocks);
    const std::uint32_t* const bytes = plan_.bytes.data() + first;
    const std::size_t end = first_of(thread + 1, team_.size(), Plan::kBlocks);
    for (std::size_t i = first_of(thread, team_.size(), Plan::kBlocks); i < end; ++i) {
      blocks_[i] = allocate_block(allocator_, bytes[i]);
      blocks_[i].mark(first + static_cast<std::uint32_t>(i));
    }
  }
  void release(unsigned thread) {
    if constexpr (FreesBlocks<A>) {
      const std::size_t end = first_of(thread + 1, team_.size(), Plan::kBlocks);
      for (std::size_t i = first_of(thread, team_.size(), Plan::kBlocks); i < end; ++i)
        free_block(allocator_, blocks_[i].begin, blocks_[i].bytes);
    }
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> blocks_;
  Team team_;
};

}  // namespace lab::allocator
