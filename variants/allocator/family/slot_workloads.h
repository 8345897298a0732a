/// Workloads that replace blocks in slots: random_replace with and without touch, same_size_churn.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"

namespace lab::allocator {

/// Base of the tasks that replace blocks: slots with live blocks.
template <Allocator A, Touch kTouch>
class SlotTask : public bench::Task {
 public:
  explicit SlotTask(const ReplacementPlan& plan) : allocator_(plan.demand), slots_(plan.fill.size()) {
    for (const Replacement& fill : plan.fill) slots_[fill.slot] = make(fill.bytes, fill.id);
  }
  ~SlotTask() override {
    for (const Block& block : slots_) free_block(allocator_, block.begin, block.bytes);
  }
  std::map<std::string, double> counters() const override { return counters_; }

 protected:
  Block make(std::size_t bytes, std::uint32_t id) {
    const Block block = allocate_block(allocator_, bytes);
    if constexpr (kTouch == Touch::kBlocks) contents(allocator_, block).mark(id);
    return block;
  }
  void discard(const Block& block, bench::Checksum& sum) {
    if constexpr (kTouch == Touch::kBlocks) sum.word(contents(allocator_, block).id());
    free_block(allocator_, block.begin, block.bytes);
  }
  template <typename Iterator>
  void replace(Iterator first, Iterator last, bench::Checksum& sum) {
    for (Iterator at = first; at != last; ++at) {
      Block& slot = slots_[at->slot];
      discard(slot, sum);
      slot = make(at->bytes, at->id);
    }
  }
  void record_counters(const Demand& demand) {
    if (counters_.empty()) counters_ = first_repetition_counters(allocator_, slots_, demand);
  }

  A allocator_;
  std::vector<Block> slots_;

 private:
  std::map<std::string, double> counters_;
};

template <Allocator A, Touch kTouch = Touch::kBlocks>
class RandomReplace : public SlotTask<A, kTouch> {
 public:
  using Plan = RandomReplacePlan;
  explicit RandomReplace(Plan plan) : SlotTask<A, kTouch>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), plan_.operations.end(), sum); });
    this->record_counters(plan_.demand);
    return sum.value();
  }

 protected:
  const Plan plan_;
};

/// Touches its blocks only outside of the timed phase, to prove that they exist and do not overlap: it marks all live
/// blocks, then reads all back.
template <Allocator A>
class UntouchedReplace : public RandomReplace<A, Touch::kNothing> {
 public:
  using Plan = UntouchedReplacePlan;
  explicit UntouchedReplace(Plan plan) : RandomReplace<A, Touch::kNothing>(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    RandomReplace<A, Touch::kNothing>::repeat(clock);
    bench::Checksum sum;
    for (const Replacement& fill : this->plan_.fill) contents(this->allocator_, this->slots_[fill.slot]).mark(fill.id);
    for (const Block& block : this->slots_) sum.word(contents(this->allocator_, block).id());
    return sum.value();
  }
};

/// The replacements of any plan, in one phase. (RandomReplace is apart: its timed loop stays the one it was.)
template <Allocator A>
class PlannedReplace : public SlotTask<A, Touch::kBlocks> {
 public:
  explicit PlannedReplace(ReplacementPlan plan) : SlotTask<A, Touch::kBlocks>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), plan_.operations.end(), sum); });
    this->record_counters(plan_.demand);
    return sum.value();
  }

 private:
  const ReplacementPlan plan_;
};

template <Allocator A>
class SameSizeChurn : public SlotTask<A, Touch::kBlocks> {
 public:
  using Plan = SameSizePlan;
  explicit SameSizeChurn(Plan plan) : SlotTask<A, Touch::kBlocks>(plan), plan_(std::move(plan)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    const auto random = plan_.operations.begin() + Plan::kPairs;
    clock.time(0, [&] { this->replace(plan_.operations.begin(), random, sum); });
    clock.time(1, [&] { burst(sum); });
    clock.time(2, [&] { this->replace(random, plan_.operations.end(), sum); });
    this->record_counters(plan_.demand);
    return sum.value();
  }

 private:
  void burst(bench::Checksum& sum) {
    std::uint32_t id = 0;
    std::array<Block, Plan::kMaxBurst> stack;
    for (const std::uint32_t depth : plan_.bursts) {
      for (std::uint32_t i = 0; i < depth; ++i) stack[i] = this->make(Plan::kBytes, id++);
      for (std::uint32_t i = depth; i-- > 0;) this->discard(stack[i], sum);
    }
  }

  const Plan plan_;
};

}  // namespace lab::allocator
