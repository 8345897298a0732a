#include "variants/designs/addresses/trimmed_buddy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace lab::designs {
namespace {

/// Which leaves are in use. It knows aligned places, and nothing of lists.
class Model {
 public:
  explicit Model(std::size_t leaves) : used_(leaves) {}

  void set(std::size_t first, std::size_t leaves, bool used) {
    for (std::size_t leaf = first; leaf < first + leaves; ++leaf) {
      EXPECT_NE(used_[leaf], used) << "leaf " << leaf;
      used_[leaf] = used;
    }
  }
  std::size_t free_leaves_from(std::size_t first) const {
    std::size_t end = first;
    while (end < used_.size() && !used_[end]) ++end;
    return end - first;
  }
  bool holds(std::size_t leaves) const {
    for (std::size_t place = 0; place < used_.size(); place += std::bit_ceil(leaves))
      if (free_leaves_from(place) >= leaves) return true;
    return false;
  }
  std::size_t largest() const {
    for (std::size_t leaves = used_.size(); leaves > 0; --leaves)
      if (holds(leaves)) return leaves;
    return 0;
  }
  /// The largest aligned blocks that are free, and do not reach past the range.
  std::map<std::size_t, std::size_t> free_blocks() const {
    std::map<std::size_t, std::size_t> blocks;
    for (std::size_t at = 0; at < used_.size();) {
      std::size_t leaves = 1;
      const std::size_t run = free_leaves_from(at);
      if (run != 0) {
        while (at % (2 * leaves) == 0 && 2 * leaves <= run) leaves *= 2;
        blocks[at] = leaves;
      }
      at += leaves;
    }
    return blocks;
  }

 private:
  std::vector<bool> used_;
};

struct Arena {
  explicit Arena(std::size_t bytes)
      : memory(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 8191) & ~std::size_t{4095})), &std::free),
        end(memory.get() + bytes) {
    std::memset(end, 0x5a, 64);
  }
  ~Arena() {
    for (int i = 0; i < 64; ++i) EXPECT_EQ(end[i], std::byte{0x5a});
  }
  std::unique_ptr<std::byte, void (*)(void*)> memory;
  std::byte* end;
};

std::map<std::size_t, std::size_t> free_blocks(const TrimmedBuddy& buddy, const std::byte* begin) {
  std::map<std::size_t, std::size_t> blocks;
  buddy.for_each_free([&](const void* block, std::size_t bytes) {
    blocks[static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin) / buddy.leaf_bytes()] =
        bytes / buddy.leaf_bytes();
  });
  return blocks;
}

constexpr std::size_t kSizes[] = {64, 300, 1000, 5 * 1024, 16 * 1024 - 8, 20'000, 40'000};

TEST(TrimmedBuddy, behaves_as_the_model_and_refuses_only_what_no_aligned_place_holds) {
  for (const std::size_t bytes : kSizes) {
    for (const std::size_t leaf : {16u, 64u}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Arena arena(bytes);
        std::byte* const begin = arena.memory.get();
        if (TrimmedBuddy::leaves_within(bytes, leaf) == 0) continue;
        TrimmedBuddy buddy(begin, bytes, leaf);
        Model model(buddy.leaves());
        std::mt19937_64 random(seed);
        struct Live {
          std::byte* block;
          std::size_t bytes;
        };
        std::vector<Live> live;
        const auto leaves_of = [&](std::size_t size) { return std::max<std::size_t>(1, (size + leaf - 1) / leaf); };
        const auto release = [&](std::size_t which) {
          std::swap(live[which], live.back());
          const Live freed = live.back();
          live.pop_back();
          model.set(static_cast<std::size_t>(freed.block - begin) / leaf, leaves_of(freed.bytes), false);
          if (random() % 2 == 0)
            buddy.free(freed.block);
          else
            buddy.free(freed.block, freed.bytes);
        };
        for (int i = 0; i < 800; ++i) {
          if (!live.empty() && random() % 100 < (i / 200 % 2 == 0 ? 40u : 58u)) {
            release(random() % live.size());
          } else {
            const std::size_t bound = random() % 8 == 0 ? bytes + bytes / 4 : 70 * leaf;
            const std::size_t size = random() % (bound + 1);
            const bool holds = model.holds(leaves_of(size));
            auto* const block = static_cast<std::byte*>(buddy.allocate(size));
            ASSERT_EQ(block != nullptr, holds) << size;
            if (block == nullptr) continue;
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % buddy.alignment(size), 0u);
            ASSERT_EQ(static_cast<std::size_t>(block - begin) % (std::bit_ceil(leaves_of(size)) * leaf), 0u);
            model.set(static_cast<std::size_t>(block - begin) / leaf, leaves_of(size), true);
            std::memset(block, 0xff, buddy.block_bytes(size));
            live.push_back({block, size});
          }
          ASSERT_FALSE(::testing::Test::HasFailure()) << "bytes " << bytes << " leaf " << leaf << " seed " << seed;
          ASSERT_EQ(free_blocks(buddy, begin), model.free_blocks());
          if (i % 16 == 0) {
            ASSERT_EQ(buddy.largest_free(), model.largest() * leaf);
          }
        }
        while (!live.empty()) release(random() % live.size());
        ASSERT_EQ(free_blocks(buddy, begin), Model(buddy.leaves()).free_blocks());
        EXPECT_EQ(buddy.largest_free(), buddy.largest_request());
        EXPECT_NE(buddy.allocate(buddy.largest_request()), nullptr);
      }
    }
  }
}

TEST(TrimmedBuddy, states_its_capacity_and_largest_request_exactly) {
  for (const std::size_t bytes : kSizes) {
    Arena arena(bytes);
    if (TrimmedBuddy::leaves_within(bytes, 16) == 0) continue;
    TrimmedBuddy buddy(arena.memory.get(), bytes, 16);
    const std::size_t most = buddy.largest_request();
    for (std::size_t size = 0; size <= most; size += size < 300 ? 1 : 97) {
      std::size_t served = 0;
      while (buddy.allocate(size) != nullptr) ++served;
      ASSERT_EQ(served, buddy.capacity(size)) << size << " of " << bytes;
      buddy.reset();
    }
    EXPECT_EQ(buddy.capacity(most), 1u);
    EXPECT_EQ(buddy.capacity(most + 1), 0u);
    for (const std::size_t size : {most + 1, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX})
      EXPECT_EQ(buddy.allocate(size), nullptr);
    EXPECT_NE(buddy.allocate(most), nullptr);
    buddy.free(nullptr);
    buddy.free(nullptr, 1);
  }
}

TEST(TrimmedBuddy, keeps_the_begin_of_a_place_free_and_fills_tails_first) {
  Arena arena(8192);
  TrimmedBuddy buddy(arena.memory.get(), 8192, 64);
  const auto leaf_of = [&](void* block) {
    return static_cast<std::size_t>(static_cast<std::byte*>(block) - arena.memory.get()) / 64;
  };
  const auto allocate = [&](std::size_t leaves) { return leaf_of(buddy.allocate(leaves * 64)); };
  ASSERT_EQ(buddy.leaves(), 127u);
  EXPECT_EQ(allocate(40), 64u);   // the shorter of the two places of 64
  EXPECT_EQ(allocate(3), 124u);   // in the tail of that block, where the fewest leaves begin an aligned place
  EXPECT_EQ(allocate(16), 48u);   // no tail holds it: the last place in the free block
  EXPECT_EQ(allocate(48), 0u);    // so what is left in front still begins a place of 64
  EXPECT_EQ(allocate(12), 112u);  // the rest of the tail
}

}  // namespace
}  // namespace lab::designs
