#include "variants/designs/offsets/buddy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "variants/designs/addresses/buddy.h"

namespace lab::designs {
namespace {

using Offset = BuddyLayout::Position;

BuddyLayout plan(std::size_t bytes, std::size_t leaf_bytes) {
  return BuddyLayout::plan(bytes, leaf_bytes).layout;
}

/// All free blocks, small ones first: each list in its order.
std::vector<std::pair<Offset, std::size_t>> free_blocks(const OffsetBuddy& buddy) {
  std::vector<std::pair<Offset, std::size_t>> blocks;
  buddy.for_each_free([&](Offset block, std::size_t bytes) { blocks.emplace_back(block, bytes); });
  return blocks;
}

TEST(OffsetBuddyLayout, reserves_nothing_of_the_range) {
  const BuddyLayout layout = plan(4096, 256);
  EXPECT_EQ(layout.begin, 0u);
  EXPECT_EQ(layout.end(), 4096u);
  EXPECT_EQ(layout.levels, 5u);
  EXPECT_EQ(layout.usable_bytes(), 4096u);
  EXPECT_EQ(layout.largest_request(), 4096u);
  EXPECT_EQ(plan(4095, 256).usable_bytes(), 3840u);
}

TEST(OffsetBuddyLayout, rejects_invalid_ranges_and_leaf_sizes_with_a_reason) {
  struct Case {
    std::size_t bytes, leaf;
    const char* says;
  };
  for (const Case& c :
       {Case{4096, 0, "leaf_bytes must be a power of two and at least 1, found 0"},
        Case{4096, 48, "leaf_bytes must be a power of two and at least 1, found 48"},
        Case{255, 256, "the number of aligned leaves of 256 bytes in a range of 255 must be at least 1, found 0"},
        Case{(std::size_t{1} << 47) + 1, 256, "a range has at most 2^47 bytes, found 140737488355329"}})
    EXPECT_EQ(BuddyLayout::plan(c.bytes, c.leaf).refusal, std::string("buddy allocator: ") + c.says);
  EXPECT_EQ(BuddyLayout::plan(1, 1).refusal, "");
  EXPECT_EQ(BuddyLayout::plan(std::size_t{1} << 47, std::size_t{1} << 20).refusal, "");
}

TEST(OffsetBuddy, hands_out_the_whole_range_as_one_block) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{1} << 20, std::size_t{1} << 47}) {
    OffsetBuddy buddy(plan(bytes, std::max<std::size_t>(1, bytes >> 10)));
    EXPECT_EQ(buddy.largest_free(), bytes);
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(buddy.allocate(bytes), 0u);
      EXPECT_EQ(buddy.allocate(0), OffsetBuddy::kNone);
      if (round == 0)
        buddy.free(0);
      else
        buddy.free(0, bytes);
      EXPECT_EQ(buddy.largest_free(), bytes);
    }
    EXPECT_EQ(buddy.allocate(bytes + 1), OffsetBuddy::kNone);
    EXPECT_EQ(buddy.allocate(SIZE_MAX), OffsetBuddy::kNone);
    buddy.free(OffsetBuddy::kNone);
    buddy.free(OffsetBuddy::kNone, 1);
    EXPECT_EQ(free_blocks(buddy), (std::vector<std::pair<Offset, std::size_t>>{{0, bytes}}));
  }
}

TEST(OffsetBuddy, serves_exactly_the_stated_number_of_requests_of_one_size) {
  for (const std::size_t leaves : {1u, 2u, 3u, 5u, 31u, 32u, 33u, 1000u})
    for (std::size_t block = 16; block <= plan(16 * leaves, 16).largest_request(); block *= 2) {
      OffsetBuddy buddy(plan(16 * leaves, 16));
      std::size_t served = 0;
      while (buddy.allocate(block) != OffsetBuddy::kNone) ++served;
      EXPECT_EQ(served, 16 * leaves / block) << block << " of " << leaves << " leaves";
    }
}

/// A model that tracks which leaves are in use and knows nothing of trees.
void expect_as_model(const BuddyLayout& layout, std::uint64_t seed) {
  OffsetBuddy buddy(layout);
  const auto first = free_blocks(buddy);
  std::mt19937_64 random(seed);
  std::map<Offset, std::size_t> live;  // requested bytes
  std::vector<bool> used(layout.leaves);
  const auto mark = [&](Offset block, std::size_t bytes, bool as) {
    for (std::size_t at = block; at < block + layout.block_bytes(bytes); at += layout.leaf_bytes) {
      ASSERT_NE(used.at(at / layout.leaf_bytes), as) << "overlap";
      used[at / layout.leaf_bytes] = as;
    }
  };
  // Aligned places are counted from the end of the range, with which the tree ends.
  const auto fits = [&](std::size_t bytes) {
    const std::size_t count = layout.block_bytes(bytes) / layout.leaf_bytes;
    for (std::size_t end = layout.leaves; end >= count; end -= count)
      if (std::find(used.begin() + static_cast<std::ptrdiff_t>(end - count),
                    used.begin() + static_cast<std::ptrdiff_t>(end),
                    true) == used.begin() + static_cast<std::ptrdiff_t>(end))
        return true;
    return false;
  };
  for (int i = 0; i < 3000; ++i) {
    if (!live.empty() && random() % 100 < (i / 200 % 2 ? 60u : 35u)) {
      const auto block = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      mark(block->first, block->second, false);
      if (random() % 2)
        buddy.free(block->first);
      else
        buddy.free(block->first, block->second);
      live.erase(block);
    } else {
      const std::size_t bytes = random() % ((std::size_t{2} << random() % std::bit_width(layout.tree_bytes())));
      const Offset block = buddy.allocate(bytes);
      ASSERT_EQ(block != OffsetBuddy::kNone, bytes <= layout.largest_request() && fits(bytes)) << bytes;
      if (block == OffsetBuddy::kNone) continue;
      ASSERT_EQ(block % layout.alignment(bytes), 0u);
      mark(block, bytes, true);
      live[block] = bytes;
    }
  }
  for (const auto& [block, bytes] : live) buddy.free(block);
  EXPECT_EQ(free_blocks(buddy), first) << "the free blocks differ from those before the first request";
}

TEST(OffsetBuddy, behaves_as_the_model_over_any_range) {
  std::uint64_t seed = 0;
  for (const std::size_t leaf : {1u, 16u, 4096u})
    for (const std::size_t leaves : {1u, 2u, 3u, 7u, 64u, 100u, 129u}) {
      expect_as_model(plan(leaf * leaves, leaf), ++seed);
      if (testing::Test::HasFailure()) FAIL() << leaves << " leaves of " << leaf << ", seed " << seed;
    }
}

/// The address form in memory, and the offset form over as many leaves, of which it reserves those of the metadata.
struct Pair {
  Pair(std::size_t bytes, std::size_t leaf)
      : memory(static_cast<std::byte*>(std::aligned_alloc(kAlignment, kAlignment)), &std::free),
        addresses(Buddy::plan(memory.get(), bytes, leaf).layout),
        offsets(reserving(plan(bytes, leaf), addresses.layout().reserved_leaves)) {}

  static BuddyLayout reserving(BuddyLayout layout, std::size_t leaves) {
    layout.reserved_leaves = leaves;
    return layout;
  }
  Offset offset_of(const void* block) const {
    return block == nullptr ? OffsetBuddy::kNone
                            : static_cast<Offset>(static_cast<const std::byte*>(block) - memory.get());
  }

  static constexpr std::size_t kAlignment = std::size_t{1} << 20;
  std::unique_ptr<std::byte, void (*)(void*)> memory;
  Buddy addresses;
  OffsetBuddy offsets;
};

void expect_equal_state(const Pair& pair) {
  const auto bits = pair.addresses.metadata(), beside = pair.offsets.metadata();
  ASSERT_TRUE(std::equal(bits.begin(), bits.end(), beside.begin(), beside.end())) << "the bits differ";
  std::vector<std::pair<Offset, std::size_t>> free;
  pair.addresses.for_each_free(
      [&](const void* block, std::size_t bytes) { free.emplace_back(pair.offset_of(block), bytes); });
  ASSERT_EQ(free, free_blocks(pair.offsets));
  ASSERT_EQ(pair.addresses.largest_free(), pair.offsets.largest_free());
}

TEST(OffsetBuddy, decides_as_the_address_form_does) {
  for (const auto& [bytes, leaf] : {std::pair{64u << 10, 64u}, {50u << 10, 16u}, {1u << 20, 256u}, {1000u, 16u}}) {
    Pair pair(bytes, leaf);
    std::mt19937_64 random(bytes);
    std::vector<std::pair<Offset, std::size_t>> live;
    for (int i = 0; i < 20'000; ++i) {
      if (i == 15'000) {
        pair.addresses.reset();
        pair.offsets.reset();
        live.clear();
      }
      if (i % 1000 == 0) expect_equal_state(pair);
      if (!live.empty() && random() % 100 < (i / 1000 % 2 ? 53u : 45u)) {
        std::swap(live[random() % live.size()], live.back());
        const auto [block, size] = live.back();
        live.pop_back();
        if (random() % 2) {
          pair.addresses.free(pair.memory.get() + block);
          pair.offsets.free(block);
        } else {
          pair.addresses.free(pair.memory.get() + block, size);
          pair.offsets.free(block, size);
        }
      } else {
        const std::size_t size = random() % (std::size_t{1} << random() % 15);
        const Offset block = pair.offset_of(pair.addresses.allocate(size));
        ASSERT_EQ(pair.offsets.allocate(size), block) << "request " << i << " of " << size << " bytes";
        if (block != OffsetBuddy::kNone) live.emplace_back(block, size);
      }
    }
    for (const auto& [block, size] : live) {
      pair.addresses.free(pair.memory.get() + block);
      pair.offsets.free(block);
    }
    expect_equal_state(pair);
  }
}

}  // namespace
}  // namespace lab::designs
