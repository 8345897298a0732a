#include "variants/designs/addresses/small_apart.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "variants/designs/addresses/checked_buddy.h"

namespace lab::designs {
namespace {

struct Memory {
  explicit Memory(std::size_t bytes)
      : begin(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) & ~std::size_t{4095})), &std::free) {}
  std::unique_ptr<std::byte, void (*)(void*)> begin;
};

std::map<const void*, std::size_t> free_blocks(const SmallApart<CheckedBuddy>& heap) {
  std::map<const void*, std::size_t> blocks;
  heap.for_each_free([&](const void* block, std::size_t bytes) { blocks[block] = bytes; });
  return blocks;
}

constexpr std::size_t kSizes[] = {2000, 9000, 30'000, 256 * 1024, 300'008};

TEST(SmallApart, serves_exactly_what_it_states_and_is_as_new_after_all_is_freed) {
  for (const std::size_t bytes : kSizes) {
    Memory memory(bytes);
    const SmallApartLayout layout = SmallApartLayout::plan(memory.begin.get(), bytes);
    ASSERT_EQ(layout.refusal, "") << bytes;
    SmallApart<CheckedBuddy> heap(layout);
    const auto first = free_blocks(heap);
    const std::size_t most = layout.largest_request();
    for (std::size_t size = 0; size <= most; size += size < 300 ? 19 : 1 + size / 3) {
      std::vector<void*> blocks;
      while (void* const block = heap.allocate(size)) {
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % layout.alignment(size), 0u);
        ASSERT_GE(heap.block_bytes(block, size), size);
        std::memset(block, 0xff, heap.block_bytes(block, size));
        blocks.push_back(block);
      }
      ASSERT_EQ(blocks.size(), layout.capacity(size)) << size << " of " << bytes;
      for (void* const block : blocks) heap.free(block);
      ASSERT_EQ(free_blocks(heap), first);
    }
    EXPECT_EQ(layout.capacity(most + 1), 0u);
    EXPECT_EQ(heap.allocate(most + 1), nullptr);
    void* const block = heap.allocate(most);
    EXPECT_NE(block, nullptr);
    heap.free(block);
    heap.free(nullptr);
    EXPECT_EQ(heap.largest_free(), most);
  }
}

TEST(SmallApart, puts_small_blocks_between_large_ones_only_when_their_part_is_full) {
  constexpr std::size_t kBytes = 256 * 1024;
  Memory memory(kBytes);
  const SmallApartLayout layout = SmallApartLayout::plan(memory.begin.get(), kBytes);
  SmallApart<CheckedBuddy> heap(layout);
  constexpr std::size_t kSmall = SmallApart<CheckedBuddy>::kSmallBytes;
  const std::size_t room = layout.small.capacity(kSmall - 1);
  std::vector<void*> large;
  for (std::size_t i = 0; i < room; ++i) {
    EXPECT_TRUE(heap.is_in_small(heap.allocate(kSmall - 1)));
    void* const block = heap.allocate(kSmall);
    EXPECT_FALSE(heap.is_in_small(block));
    large.push_back(block);
  }
  for (void* const block : large) heap.free(block);
  EXPECT_EQ(heap.largest_free(), layout.large.largest_request());  // no small block is in between
  EXPECT_FALSE(heap.is_in_small(heap.allocate(kSmall - 1)));
  heap.reset();
  while (!heap.is_in_small(heap.allocate(kSmall))) {
  }
  EXPECT_EQ(heap.allocate(layout.large.largest_request()), nullptr);
}

TEST(SmallApart, refuses_a_buffer_that_is_too_small_for_two_parts) {
  alignas(64) std::byte buffer[512];
  EXPECT_NE(SmallApartLayout::plan(buffer, 128).refusal, "");
  EXPECT_NE(SmallApartLayout::plan(nullptr, 0).refusal, "");
}

}  // namespace
}  // namespace lab::designs
