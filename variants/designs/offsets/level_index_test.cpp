#include "variants/designs/offsets/level_index.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "variants/designs/offsets/buddy.h"

namespace lab::designs {
namespace {

/// Serves random requests of a buddy allocator over `layout`. After each, the index knows the size of each live block.
void expect_sizes_of_live_blocks(const BuddyLayout& layout, std::uint64_t seed) {
  OffsetBuddy buddy(layout);
  LevelIndex index(layout);
  std::map<std::size_t, std::size_t> live;  // bytes by position
  std::mt19937_64 random(seed);
  for (int step = 0; step < 3000; ++step) {
    const bool full = step / 500 % 2 == 1;
    if (!live.empty() && random() % 100 < (full ? 70 : 35)) {
      const auto block = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      buddy.free(block->first, block->second);
      live.erase(block);
    } else {
      const unsigned most = layout.levels - 1 + static_cast<unsigned>(std::countr_zero(layout.leaf_bytes));
      const std::size_t bytes = random() % (std::size_t{2} << random() % (most + 1));
      const std::size_t block = buddy.allocate(bytes);
      if (block == OffsetBuddy::kNone) continue;
      live[block] = layout.block_bytes(bytes);
      index.set(block, static_cast<unsigned>(std::countr_zero(layout.block_bytes(bytes))));
    }
    for (const auto& [block, bytes] : live)
      ASSERT_EQ(std::size_t{1} << index.find(block), bytes)
          << "block at " << block << ", step " << step << ", " << layout.leaves << " leaves";
  }
}

TEST(LevelIndex, knows_the_size_of_every_live_block) {
  for (const std::size_t leaf_bytes : {1u, 16u, 64u, 1024u})
    for (const std::size_t leaves : {1u, 2u, 3u, 63u, 64u, 65u, 200u, 256u, 1000u, 4095u, 4096u, 4097u})
      expect_sizes_of_live_blocks(BuddyLayout::plan(leaves * leaf_bytes, leaf_bytes).layout, leaves + leaf_bytes);
}

TEST(LevelIndex, knows_blocks_of_every_size_in_a_large_tree) {
  for (const std::size_t leaves : {std::size_t{1} << 20, std::size_t{700'001}}) {
    const BuddyLayout layout = BuddyLayout::plan(leaves * 16, 16).layout;
    LevelIndex index(layout);
    for (unsigned log2 = 4; (std::size_t{1} << log2) <= layout.largest_request(); ++log2) {
      const std::size_t bytes = std::size_t{1} << log2;
      const std::size_t last = layout.end() - bytes;  // the end is a multiple of every block size from the tree's begin
      index.set(last, log2);
      EXPECT_EQ(index.find(last), log2) << leaves << " leaves";
    }
  }
}

TEST(LevelIndex, takes_about_a_bit_for_each_leaf) {
  const BuddyLayout layout = BuddyLayout::plan(std::size_t{64} << 18, 64).layout;
  EXPECT_EQ(LevelIndex(layout).bytes(), (4096u + 64u + 1u) * 8);
}

}  // namespace
}  // namespace lab::designs
