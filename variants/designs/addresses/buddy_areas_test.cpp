#include "variants/designs/addresses/buddy_areas.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace lab::designs {
namespace {

constexpr std::size_t kKiB = 1024;

/// Calls check(areas) with an allocator in some pages of a buffer, which begins `skip` bytes into a page.
template <typename Check>
void in_buffers(Check check) {
  alignas(4096) static std::byte buffer[260 * kKiB];
  for (const std::size_t pages : {2u, 3u, 7u, 16u, 64u}) {
    for (const std::size_t skip : {0u, 16u}) {
      for (const std::size_t least : {16u, 64u, 2048u}) {
        const PlannedBuddy planned = BuddyAreas::plan(buffer + skip, pages * 4 * kKiB + 4096 - skip, least);
        ASSERT_EQ(planned.refusal, "");
        BuddyAreas areas(planned.layout, least);
        check(areas);
        if (testing::Test::HasFailure()) FAIL() << pages << " pages, " << skip << " skipped, blocks from " << least;
      }
    }
  }
}

/// Bytes in free blocks, by the size of the block's area.
std::map<std::size_t, std::size_t> free_bytes(const BuddyAreas& areas) {
  std::map<std::size_t, std::size_t> bytes;
  areas.for_each_free([&](const void*, std::size_t block) { bytes[block] += block; });
  return bytes;
}

TEST(BuddyAreas, serves_exactly_its_capacity_at_every_size) {
  in_buffers([](BuddyAreas& areas) {
    const std::map<std::size_t, std::size_t> first = free_bytes(areas);
    for (std::size_t bytes = 0; bytes <= 2 * areas.largest_request() + 1; bytes += 1 + bytes / 3) {
      std::vector<void*> blocks;
      while (void* const block = areas.allocate(bytes)) blocks.push_back(block);
      ASSERT_EQ(blocks.size(), areas.capacity(bytes)) << bytes;
      for (void* const block : blocks) areas.free(block);
      ASSERT_EQ(free_bytes(areas), first) << bytes;
    }
    EXPECT_NE(areas.allocate(areas.largest_request()), nullptr);
    EXPECT_EQ(areas.capacity(areas.largest_request() + 1), 0u);
    EXPECT_EQ(areas.allocate(SIZE_MAX), nullptr);
  });
}

TEST(BuddyAreas, behave_as_a_model_that_knows_only_ranges) {
  std::mt19937_64 random(3);
  in_buffers([&random](BuddyAreas& areas) {
    struct Block {
      std::size_t bytes, size;
      unsigned char tag;
    };
    std::map<std::byte*, Block> live;
    std::size_t used = 0;
    const std::size_t usable = areas.layout().usable_bytes();
    const auto free_one = [&](std::map<std::byte*, Block>::iterator at) {
      const auto& [begin, block] = *at;
      for (std::size_t i = 0; i < block.size; ++i) ASSERT_EQ(begin[i], std::byte{block.tag});
      areas.free(begin);
      used -= block.size;
      live.erase(at);
    };
    for (int i = 0; i < 3000 && !testing::Test::HasFatalFailure(); ++i) {
      if (!live.empty() && random() % 100 < (i / 128 % 2 == 0 ? 35u : 60u)) {
        free_one(std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size())));
      } else {
        const std::size_t bytes = random() % (std::size_t{2} << random() % 14);
        auto* const begin = static_cast<std::byte*>(areas.allocate(bytes));
        std::size_t can = 0;  // a refusal is right if no free block is large enough
        if (begin == nullptr && bytes <= areas.largest_request())
          areas.for_each_free([&](const void*, std::size_t size) {
            can += size >= areas.block_bytes(bytes) && (size >= 4096 || size == areas.block_bytes(bytes));
          });
        ASSERT_EQ(can, 0u) << bytes;
        if (begin == nullptr) continue;
        const Block block{bytes, areas.block_bytes(bytes), static_cast<unsigned char>(random())};
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(begin) % areas.alignment(bytes), 0u);
        const auto after = live.lower_bound(begin);
        ASSERT_TRUE(after == live.end() || begin + block.size <= after->first);
        ASSERT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second.size <= begin);
        std::memset(begin, block.tag, block.size);
        live[begin] = block;
        used += block.size;
      }
      std::size_t free = 0, largest = 0;
      areas.for_each_free([&](const void*, std::size_t size) {
        free += size;
        largest = std::max(largest, size);
      });
      ASSERT_EQ(free + used, usable);
      ASSERT_EQ(areas.largest_free(), largest);
    }
    while (!live.empty() && !testing::Test::HasFatalFailure()) free_one(live.begin());
    EXPECT_EQ(areas.largest_free(), areas.largest_request());
  });
}

TEST(BuddyAreas, do_not_share_an_area_between_sizes) {
  alignas(4096) static std::byte buffer[32 * kKiB];
  BuddyAreas areas(BuddyAreas::plan(buffer, sizeof buffer, 64).layout, 64);
  const auto page = [](const void* block) { return reinterpret_cast<std::uintptr_t>(block) / 4096; };
  void* const small = areas.allocate(64);
  void* const other = areas.allocate(128);
  EXPECT_NE(page(small), page(other));
  EXPECT_EQ(page(areas.allocate(33)), page(small));
  // Seven areas; two are in use, and are not free for other sizes, although they are nearly empty.
  std::size_t pages = 0;
  while (areas.allocate(4096) != nullptr) ++pages;
  EXPECT_EQ(pages, 5u);
  EXPECT_EQ(areas.allocate(256), nullptr);
  EXPECT_NE(areas.allocate(64), nullptr);
}

TEST(BuddyAreas, reject_invalid_sizes_and_small_buffers) {
  alignas(4096) static std::byte buffer[8 * kKiB];
  for (const std::size_t least : {0u, 8u, 48u, 4096u})
    EXPECT_EQ(BuddyAreas::plan(buffer, sizeof buffer, least).refusal,
              "buddy areas: the smallest block must be a power of two from 16 to 2048, found " + std::to_string(least));
  EXPECT_EQ(BuddyAreas::plan(buffer, sizeof buffer, 64).refusal, "");
  EXPECT_NE(BuddyAreas::plan(buffer, sizeof buffer - 1, 64).refusal, "");
}

}  // namespace
}  // namespace lab::designs
