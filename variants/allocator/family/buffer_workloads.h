/// Workloads whose blocks have an order of their own: growing_buffers, frame_scratch.
#pragma once

#include <cstdint>

#include "harness/bench/checksum.h"
#include "harness/bench/task.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/tasks.h"

namespace lab::allocator {

template <Allocator A>
class GrowingBuffers : public GrowingTask {
 public:
  using Plan = GrowingPlan;
  explicit GrowingBuffers(const bench::Case& inputs) : GrowingTask(inputs), heap_(plan_.demand) { fill(heap_); }
  ~GrowingBuffers() override { free_blocks(heap_, buffers_); }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      bench::Checksum timed;  // in a register, also where the compiler does not inline this
      for (const Plan::Step& step : plan_.operations) apply(heap_.allocator(), step, timed);
      sum = timed;
    });
    count(heap_);
    return read(heap_, sum).value();
  }

 private:
  Erased<A> heap_;
};

template <Allocator A>
class FrameScratch : public FrameTask {
 public:
  using Plan = FramePlan;
  explicit FrameScratch(const bench::Case& inputs) : FrameTask(inputs), heap_(plan_.demand) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    for (std::size_t frame = 0; frame < Plan::kFrames; ++frame) {
      const std::uint32_t* const bytes = plan_.bytes.data() + frame * Plan::kBlocks;
      const std::uint32_t first_id = static_cast<std::uint32_t>(frame * Plan::kBlocks);
      clock.time(0, [&] {
        for (std::uint32_t i = 0; i < Plan::kBlocks; ++i) {
          blocks_[i] = allocate_block(heap_.allocator(), bytes[i]);
          contents(heap_.allocator(), blocks_[i]).mark(first_id + i);
        }
      });
      sum = read(heap_, sum);
      count(heap_);
      clock.time(1, [&] { release(); });
    }
    return sum.value();
  }

 private:
  void release() {
    if constexpr (Resets<A>) {
      heap_.allocator().reset();
    } else {
      for (const Block& block : blocks_) free_block(heap_.allocator(), block.begin, block.bytes);
    }
  }

  Erased<A> heap_;
};

}  // namespace lab::allocator
