/// Workloads that replace blocks in slots: random_replace with and without touch, same_size_churn.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/task.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/tasks.h"

namespace lab::allocator {

/// The timed part of the tasks that replace blocks.
template <Allocator A, Touch kTouch>
class SlotsOf : public SlotTask {
 public:
  SlotsOf(const bench::Case& inputs, MakeReplacements plan) : SlotTask(inputs, plan), heap_(plan_.demand) {
    fill(heap_, kTouch);
  }
  ~SlotsOf() override { free_blocks(heap_, slots_); }

 protected:
  Block make(std::size_t bytes, std::uint32_t id) { return make_block<kTouch>(heap_.allocator(), bytes, id); }
  void discard(const Block& block, bench::Checksum& sum) {
    A& allocator = heap_.allocator();
    if constexpr (kTouch == Touch::kBlocks) sum.word(contents(allocator, block).id());
    free_block(allocator, block.begin, block.bytes);
  }
  // The only copy of this loop. Not inlined: then what the allocator does is inlined here.
  using At = std::vector<Replacement>::const_iterator;
  [[gnu::noinline]] bench::Checksum replace(At first, At last, bench::Checksum sum) {
    for (At at = first; at != last; ++at) {
      Block& slot = slots_[at->slot];
      discard(slot, sum);
      slot = make(at->bytes, at->id);
    }
    return sum;
  }

  Erased<A> heap_;
};

/// The replacements of any plan, in one phase.
template <Allocator A, Touch kTouch = Touch::kBlocks>
class PlannedReplace : public SlotsOf<A, kTouch> {
 public:
  using SlotsOf<A, kTouch>::SlotsOf;

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] { sum = this->replace(this->plan_.operations.begin(), this->plan_.operations.end(), sum); });
    this->count(this->heap_);
    return sum.value();
  }
};

/// Touches its blocks only outside of the timed phase.
template <Allocator A>
class UntouchedReplace : public PlannedReplace<A, Touch::kNothing> {
 public:
  using Plan = UntouchedReplacePlan;
  explicit UntouchedReplace(const bench::Case& inputs)
      : PlannedReplace<A, Touch::kNothing>(inputs, replacements<RandomReplacePlan>) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    PlannedReplace<A, Touch::kNothing>::repeat(clock);
    return this->mark_and_read(this->heap_);
  }
};

template <Allocator A>
class SameSizeChurn : public SlotsOf<A, Touch::kBlocks> {
 public:
  using Plan = SameSizePlan;
  explicit SameSizeChurn(const bench::Case& inputs) : SlotsOf<A, Touch::kBlocks>(inputs, replacements<Plan>) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    const auto random = this->plan_.operations.begin() + Plan::kPairs;
    clock.time(0, [&] { sum = this->replace(this->plan_.operations.begin(), random, sum); });
    clock.time(1, [&] { burst(sum); });
    clock.time(2, [&] { sum = this->replace(random, this->plan_.operations.end(), sum); });
    this->count(this->heap_);
    return sum.value();
  }

 private:
  void burst(bench::Checksum& sum) {
    std::uint32_t id = 0;
    std::array<Block, Plan::kMaxBurst> stack;
    for (const std::uint32_t depth : this->plan_.bursts) {
      for (std::uint32_t i = 0; i < depth; ++i) stack[i] = this->make(Plan::kBytes, id++);
      for (std::uint32_t i = depth; i-- > 0;) this->discard(stack[i], sum);
    }
  }
};

}  // namespace lab::allocator
