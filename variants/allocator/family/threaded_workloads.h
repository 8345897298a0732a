/// Workloads on several threads: cross_thread_free, larson, frame_scratch_threads. Their checksums do not depend on how
/// many threads there are.
#pragma once

#include <cstdint>

#include "harness/bench/checksum.h"
#include "harness/bench/task.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/tasks.h"
#include "variants/allocator/family/team.h"

namespace lab::allocator {

/// Thread 2 i allocates and writes, thread 2 i + 1 reads and frees.
template <Allocator A>
class CrossThreadFree : public CrossThreadTask {
 public:
  using Plan = CrossThreadPlan;

  explicit CrossThreadFree(const bench::Case& inputs)
      : CrossThreadTask(inputs), heap_(demand_), team_(demand_.threads) {}

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
    return sum();
  }

 private:
  void produce(BlockQueue& queue, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i)
      queue.push(make_block(heap_.allocator(), plan_.bytes[i], static_cast<std::uint32_t>(i)));
  }
  std::uint64_t consume(BlockQueue& queue, std::size_t count) {
    SumOfIds sum;
    for (; count > 0; --count) {
      const Block block = queue.pop();
      sum.add(block.id());
      free_block(heap_.allocator(), block.begin, block.bytes);
    }
    return sum.value();
  }

  Erased<A> heap_;
  Team team_;
};

/// In each round, every part of the slots is with the thread after the one that had it before.
template <Allocator A>
class Larson : public LarsonTask {
 public:
  using Plan = LarsonPlan;

  explicit Larson(const bench::Case& inputs) : LarsonTask(inputs), heap_(demand_), team_(demand_.threads) {
    fill(heap_);
  }
  ~Larson() override { free_blocks(heap_, slots_); }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    begin();
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
    return sum();
  }

 private:
  void replace(std::size_t round, std::size_t part) {
    bench::Checksum sum = sums_[part];
    const Replacement* const first = plan_.operations.data() + (round * Plan::kParts + part) * Plan::kOperations;
    for (const Replacement* next = first; next != first + Plan::kOperations; ++next) {
      Block& block = slots_[next->slot];
      sum.word(block.id());
      free_block(heap_.allocator(), block.begin, block.bytes);
      block = make_block(heap_.allocator(), next->bytes, next->id);
    }
    sums_[part] = sum;
  }

  Erased<A> heap_;
  Team team_;
};

template <Allocator A>
class FrameThreads : public FrameThreadsTask {
 public:
  using Plan = FrameThreadsPlan;

  explicit FrameThreads(const bench::Case& inputs) : FrameThreadsTask(inputs), heap_(demand_), team_(demand_.threads) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    for (std::size_t frame = 0; frame < Plan::kFrames; ++frame) {
      team_.gather();
      clock.time(0, [&] { team_.run([&](unsigned thread) { allocate(frame, thread); }); });
      sum = read(sum);
      if constexpr (Resets<A>) {
        clock.time(1, [&] { heap_.allocator().reset(); });
      } else {
        team_.gather();
        clock.time(1, [&] { team_.run([&](unsigned thread) { release(thread); }); });
      }
    }
    return sum.value();
  }

 private:
  void allocate(std::size_t frame, unsigned thread) {
    const auto first = static_cast<std::uint32_t>(frame * Plan::kBlocks);
    const std::uint32_t* const bytes = plan_.bytes.data() + first;
    const std::size_t end = first_of(thread + 1, team_.size(), Plan::kBlocks);
    for (std::size_t i = first_of(thread, team_.size(), Plan::kBlocks); i < end; ++i) {
      blocks_[i] = allocate_block(heap_.allocator(), bytes[i]);
      blocks_[i].mark(first + static_cast<std::uint32_t>(i));
    }
  }
  void release(unsigned thread) {
    if constexpr (FreesBlocks<A>) {
      const std::size_t end = first_of(thread + 1, team_.size(), Plan::kBlocks);
      for (std::size_t i = first_of(thread, team_.size(), Plan::kBlocks); i < end; ++i)
        free_block(heap_.allocator(), blocks_[i].begin, blocks_[i].bytes);
    }
  }

  Erased<A> heap_;
  Team team_;
};

}  // namespace lab::allocator
