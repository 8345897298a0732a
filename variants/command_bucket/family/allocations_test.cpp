// How often a frame allocates from the heap, counted by this executable's own operator new. A sanitizer has its own,
// and there these tests are left out.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/item_buckets.h"
#include "variants/command_bucket/family/run_buckets.h"
#include "variants/designs/addresses/atomic_linear.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

namespace {

std::atomic<std::size_t> allocations = 0;

}  // namespace

// Not inlined: the compiler would see that malloc's block is given to operator delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const block = std::malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace lab::command_bucket {
namespace {

struct Counts {
  std::size_t add, sort, submit;
};

/// Of a frame after two others.
template <typename Store>
Counts allocations_of(unsigned threads) {
  const Scene scene = make_scene(1, 2'000, 2'000, 0);
  designs::WorkerPool pool(threads);
  FrameOf<Store, ScatteredKeys::Of<KeyLayout::kScattered>, Threading::kPool> frame(scene, pool);
  Counts counts{};
  for (int repetition = 0; repetition < 3; ++repetition) {
    const std::size_t before = allocations;
    frame.add();
    const std::size_t added = allocations;
    frame.sort();
    const std::size_t sorted = allocations;
    Backend backend;
    frame.submit(backend);
    counts = {added - before, sorted - added, allocations - sorted};
    frame.clear();
  }
  return counts;
}

constexpr std::size_t kCommands = 4 * 2'000;

}  // namespace

TEST(Allocations, of_packets_are_none_except_with_global_new) {
  EXPECT_EQ((allocations_of<Buckets<NewPackets<FreeOrder::kAllocation>, designs::AtomicSlotCounter>>(1).add),
            kCommands);
  for (const unsigned threads : {1u, 2u, 5u}) {
    EXPECT_EQ((allocations_of<Buckets<LinearPackets<designs::AtomicLinear>, designs::AtomicSlotCounter>>(threads).add),
              0u);
    EXPECT_EQ((allocations_of<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>>(threads).add),
              0u);
    EXPECT_EQ((allocations_of<ItemBuckets<UnionItem, designs::AtomicSlotCounter>>(threads).add), 0u);
    EXPECT_EQ((allocations_of<ItemBuckets<DrawItem, designs::SaturatingSlotCounter>>(threads).add), 0u);
  }
}

TEST(Allocations, of_a_frame_in_runs_of_threads_are_none_at_all) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    const Counts paged = allocations_of<RunBuckets<CompactPacket, SortFromRuns, 256, false>>(threads);
    EXPECT_EQ(paged.add + paged.sort + paged.submit, 0u) << threads;
    const Counts whole = allocations_of<RunBuckets<ArticlePacket, MergeSortedRuns, kWholeBucket, false>>(threads);
    EXPECT_EQ(whole.add + whole.sort + whole.submit, 0u) << threads;
  }
}

}  // namespace lab::command_bucket
#endif
