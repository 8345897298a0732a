#include "variants/common/plans/trace.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "variants/common/heaps/minimum_heap.h"
#include "variants/common/plans/plans.h"
#include "variants/designs/addresses/buddy.h"
#include "variants/designs/offsets/buddy.h"

namespace lab {
namespace {

/// Writes down what is asked of it. Blocks are 0, 1, 2, ...; the fourth request is refused.
template <bool kResets>
struct Recorder {
  std::uint32_t allocate(std::size_t bytes) {
    said += "+" + std::to_string(bytes);
    return next == 3 ? ~std::uint32_t{0} : next++;
  }
  void free(std::uint32_t block, std::size_t bytes) {
    said += "-" + std::to_string(block) + "(" + std::to_string(bytes) + ")";
  }
  bool resets() const { return kResets; }
  void reset() { said += "reset"; }

  std::string said;
  std::uint32_t next = 0;
};

template <bool kResets>
std::string what_is_asked(bool served) {
  Trace trace;
  trace.slots = 3;
  trace.allocate(2, 10);
  trace.allocate(0, 20);
  trace.free(2);
  trace.allocate(2, 30);
  trace.free_all();
  trace.free_all();
  if (!served) trace.allocate(1, 40);
  Recorder<kResets> recorder;
  EXPECT_EQ(replay(trace, recorder), served);
  return recorder.said;
}

TEST(Trace, asks_for_the_same_in_the_same_order_until_something_is_refused) {
  EXPECT_EQ(what_is_asked<false>(true), "+10+20-0(10)+30-1(20)-2(30)");
  EXPECT_EQ(what_is_asked<true>(true), "+10+20-0(10)+30resetreset");
  EXPECT_EQ(what_is_asked<true>(false), "+10+20-0(10)+30resetreset+40");
}

/// The two forms of the buddy allocator behind one face; both reserve the leaves of the metadata.
struct AddressHeap : designs::Buddy {
  using Buddy::Buddy;
  bool resets() const { return false; }
};

struct OffsetHeap : designs::OffsetBuddy {
  using BuddyTree::BuddyTree;
  bool resets() const { return false; }
};

TEST(Trace, has_the_same_minimum_heap_over_addresses_and_over_offsets) {
  const GrowingPlan plan = growing_buffers(1, 20, 2000, 64, 6);
  const Trace trace = plan.trace();
  constexpr std::size_t kUnit = 1024, kLeaf = 64;
  const std::unique_ptr<std::byte, void (*)(void*)> memory(
      static_cast<std::byte*>(std::aligned_alloc(1 << 20, 1 << 20)), &std::free);
  ASSERT_LE(most_heap_bytes(plan.demand.bytes, kUnit), std::size_t{1} << 20);
  const auto in_memory = [&](std::size_t units) -> Trial {
    AddressHeap heap(designs::Buddy::plan(memory.get(), units * kUnit, kLeaf).layout);
    return {replay(trace, heap), 1};
  };
  const auto in_a_range = [&](std::size_t units) -> Trial {
    designs::BuddyLayout layout = designs::BuddyLayout::plan(units * kUnit, kLeaf).layout;
    layout.reserved_leaves = designs::Buddy::plan(memory.get(), units * kUnit, kLeaf).layout.reserved_leaves;
    OffsetHeap heap(layout);
    return {replay(trace, heap), 1};
  };
  const auto found = minimum_heap_bytes(plan.demand.bytes, kUnit, in_memory);
  EXPECT_TRUE(found);
  EXPECT_EQ(found, minimum_heap_bytes(plan.demand.bytes, kUnit, in_a_range));
}

}  // namespace
}  // namespace lab
