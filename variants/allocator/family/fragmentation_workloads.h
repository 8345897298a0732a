/// Workloads about fragmentation: worst_case, long_and_short, lifetimes_apart. (lifetimes_mixed replaces blocks in
/// slots.)
#pragma once

#include <cstdint>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/task.h"
#include "variants/allocator/family/block.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/tasks.h"

namespace lab::allocator {

/// Frees every other of many equal blocks, in the order of their addresses, and makes requests of twice the size, which
/// fit none of these holes. Then it frees those and fills the holes.
template <Allocator A>
class WorstCase : public WorstCaseTask {
 public:
  explicit WorstCase(const bench::Case& inputs) : WorstCaseTask(inputs), heap_(plan_.demand) { fill(heap_); }
  ~WorstCase() override { free_blocks(heap_, blocks_); }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    begin(heap_);
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
    return read_kept(sum).value();
  }

 private:
  Block make(std::size_t bytes, std::uint32_t id) { return make_block(heap_.allocator(), bytes, id); }
  std::uint32_t discard(const Block& block, SumOfIds& sum) {
    const std::uint32_t id = block.id();
    sum.add(id);
    free_block(heap_.allocator(), block.begin, block.bytes);
    return id;
  }

  Erased<A> heap_;
};

/// Long-lived small blocks between short-lived large ones; then the large ones go, and one request needs 60 % of what
/// they took. It may be refused: costly_counters.cpp finds out whether it is, in an arena that was full.
template <Allocator A>
class LongAndShort : public LongAndShortTask {
 public:
  using Plan = LongAndShortPlan;

  explicit LongAndShort(const bench::Case& inputs) : LongAndShortTask(inputs), heap_(plan_.demand) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    A& allocator = heap_.allocator();
    bench::Checksum sum;
    clock.time(0, [&] {
      for (std::uint32_t i = 0; i < Plan::kPairs; ++i) {
        large_[i] = allocate_block(allocator, plan_.large[i]);
        contents(allocator, large_[i]).mark(2 * i);
        small_[i] = allocate_block(allocator, plan_.small[i]);
        contents(allocator, small_[i]).mark(2 * i + 1);
      }
    });
    count(heap_);
    clock.time(0, [&] { release(large_, sum); });
    clock.time(1, [&] {
      void* const block = observed(allocator.allocate(plan_.request_bytes));
      free_block(allocator, block, plan_.request_bytes);
    });
    clock.time(0, [&] { release(small_, sum); });
    return sum.value();
  }

 private:
  void release(const std::vector<Block>& blocks, bench::Checksum& sum) {
    for (const Block& block : blocks) {
      sum.word(contents(heap_.allocator(), block).id());
      free_block(heap_.allocator(), block.begin, block.bytes);
    }
  }

  Erased<A> heap_;
};

/// The requests of lifetimes_mixed, with a heap of its own for each lifetime.
template <Allocator A>
class LifetimesApart : public LifetimesApartTask {
 public:
  using Plan = LifetimesApartPlan;

  explicit LifetimesApart(const bench::Case& inputs)
      : LifetimesApartTask(inputs), long_(long_demand_), short_(short_demand_) {
    fill(long_, short_);
  }
  ~LifetimesApart() override { free_all(long_, short_); }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    bench::Checksum sum;
    clock.time(0, [&] {
      for (const Replacement& next : plan_.operations) {
        A& heap = is_long(next.slot) ? long_.allocator() : short_.allocator();
        Block& block = slots_[next.slot];
        sum.word(contents(heap, block).id());
        free_block(heap, block.begin, block.bytes);
        block = make_block(heap, next.bytes, next.id);
      }
    });
    count(long_, short_);
    return sum.value();
  }

 private:
  Erased<A> long_, short_;
};

}  // namespace lab::allocator
