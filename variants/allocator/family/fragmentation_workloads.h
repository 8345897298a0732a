/// Workloads about fragmentation: worst_case, long_and_short, lifetimes_mixed, lifetimes_apart.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/slot_workloads.h"

namespace lab::allocator {

/// Not inlined, as first_repetition_counters().
void sort_by_address(std::vector<Block>& blocks);

/// Frees every other of many equal blocks, in the order of their addresses, and makes requests of twice the size, which
/// fit none of these holes. Then it frees those and fills the holes.
template <Allocator A>
class WorstCase : public bench::Task {
 public:
  using Plan = WorstCasePlan;

  explicit WorstCase(const Plan& plan) : demand_(plan.demand), allocator_(plan.demand), twice_(Plan::kTwice) {
    for (std::uint32_t i = 0; i < Plan::kBlocks; ++i) blocks_.push_back(make(Plan::kBytes, plan.first_id + i));
  }
  ~WorstCase() override {
    for (const Block& block : blocks_) free_block(allocator_, block.begin, block.bytes);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    sort_by_address(blocks_);
    if (counters_.empty()) counters_ = first_repetition_counters(allocator_, blocks_, demand_);
    SumOfIds sum;
    clock.time(0, [&] {
      for (std::size_t i = 0; i < Plan::kBlocks; i += 2) ids_[i / 2] = discard(blocks_[i], sum);
    });
    clock.time(1, [&] {
      for (std::uint32_t i = 0; i < Plan::kTwice; ++i) twice_[i] = make(2 * Plan::kBytes, i);
      for (const Block& block : twice_) discard(block, sum);
    });
    clock.time(0, [&] {
      for (std::size_t i = 0; i < Plan::kBlocks; i += 2) blocks_[i] = make(Plan::kBytes, ids_[i / 2]);
    });
    for (std::size_t i = 1; i < Plan::kBlocks; i += 2) sum.add(blocks_[i].id());
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  Block make(std::size_t bytes, std::uint32_t id) {
    const Block block = allocate_block(allocator_, bytes);
    block.mark(id);
    return block;
  }
  std::uint32_t discard(const Block& block, SumOfIds& sum) {
    const std::uint32_t id = block.id();
    sum.add(id);
    free_block(allocator_, block.begin, block.bytes);
    return id;
  }

  const Demand demand_;
  A allocator_;
  std::vector<Block> blocks_, twice_;
  std::array<std::uint32_t, Plan::kBlocks / 2> ids_{};
  std::map<std::string, double> counters_;
};

/// Long-lived small blocks between short-lived large ones; then the large ones go, and one request needs 60 % of what
/// they took. It may be refused: costly_counters.cpp finds out whether it is, in an arena that was full.
template <Allocator A>
class LongAndShort : public bench::Task {
 public:
  using Plan = LongAndShortPlan;

  explicit LongAndShort(Plan plan)
      : plan_(std::move(plan)), allocator_(plan_.demand), large_(Plan::kPairs), small_(Plan::kPairs) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      for (std::uint32_t i = 0; i < Plan::kPairs; ++i) {
        large_[i] = allocate_block(allocator_, plan_.large[i]);
        contents(allocator_, large_[i]).mark(2 * i);
        small_[i] = allocate_block(allocator_, plan_.small[i]);
        contents(allocator_, small_[i]).mark(2 * i + 1);
      }
    });
    if (counters_.empty()) count();
    clock.time(0, [&] { release(large_, sum); });
    clock.time(1, [&] {
      void* const block = observed(allocator_.allocate(plan_.request_bytes));
      free_block(allocator_, block, plan_.request_bytes);
    });
    clock.time(0, [&] { release(small_, sum); });
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  void release(const std::vector<Block>& blocks, bench::Checksum& sum) {
    for (const Block& block : blocks) {
      sum.word(contents(allocator_, block).id());
      free_block(allocator_, block.begin, block.bytes);
    }
  }
  [[gnu::noinline]] void count() {
    std::vector<Block> live = large_;
    live.insert(live.end(), small_.begin(), small_.end());
    counters_ = first_repetition_counters(allocator_, live, plan_.demand);
  }

  const Plan plan_;
  A allocator_;
  std::vector<Block> large_, small_;
  std::map<std::string, double> counters_;
};

/// Blocks of both lifetimes in one heap.
template <Allocator A>
class LifetimesMixed : public PlannedReplace<A> {
 public:
  using Plan = LifetimesPlan;
  using PlannedReplace<A>::PlannedReplace;
};

/// The sizes of both heaps together.
std::map<std::string, double> of_both_heaps(const std::map<std::string, double>& one,
                                            const std::map<std::string, double>& other);

/// The same requests, with a heap of its own for each lifetime.
template <Allocator A>
class LifetimesApart : public bench::Task {
 public:
  using Plan = LifetimesApartPlan;

  explicit LifetimesApart(Plan plan)
      : plan_(std::move(plan)),
        long_(plan_.long_lived().demand),
        short_(plan_.short_lived().demand),
        slots_(plan_.fill.size()) {
    for (const Replacement& fill : plan_.fill) slots_[fill.slot] = make(heap_of(fill.slot), fill.bytes, fill.id);
  }
  ~LifetimesApart() override {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      free_block(heap_of(slot), slots_[slot].begin, slots_[slot].bytes);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      for (const Replacement& next : plan_.operations) {
        A& heap = heap_of(next.slot);
        Block& block = slots_[next.slot];
        sum.word(contents(heap, block).id());
        free_block(heap, block.begin, block.bytes);
        block = make(heap, next.bytes, next.id);
      }
    });
    if (counters_.empty()) count();
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  A& heap_of(std::size_t slot) { return slot < Plan::kLong ? long_ : short_; }
  static Block make(A& heap, std::size_t bytes, std::uint32_t id) {
    const Block block = allocate_block(heap, bytes);
    contents(heap, block).mark(id);
    return block;
  }
  [[gnu::noinline]] void count() {
    const auto first_short = slots_.begin() + static_cast<std::ptrdiff_t>(Plan::kLong);
    const LiveBytes of_long = live_bytes(long_, {slots_.begin(), first_short}),
                    of_short = live_bytes(short_, {first_short, slots_.end()});
    counters_ = with_common_counters(of_both_heaps(own_counters(long_), own_counters(short_)),
                                     {of_long.requested + of_short.requested, of_long.occupied + of_short.occupied},
                                     plan_.demand);
  }

  const Plan plan_;
  A long_, short_;
  std::vector<Block> slots_;
  std::map<std::string, double> counters_;
};

}  // namespace lab::allocator
