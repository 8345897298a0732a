#include "variants/designs/addresses/checked_buddy.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

constexpr std::size_t kBytes = 4096, kLeafBytes = 64;

struct Memory {
  alignas(kBytes) std::byte bytes[kBytes];

  BuddyLayout layout() { return Buddy::plan(bytes, sizeof bytes, kLeafBytes).layout; }
};

TEST(CheckedBuddy, returns_the_same_blocks_as_the_unchecked_one) {
  Memory memory;
  const BuddyLayout layout = memory.layout();
  std::vector<std::ptrdiff_t> offsets[2];
  const auto live = [&]<typename Allocator>(std::vector<std::ptrdiff_t>& blocks_at, Allocator allocator) {
    std::mt19937_64 random(1);
    std::vector<std::pair<void*, std::size_t>> live_blocks;
    for (int i = 0; i < 5000; ++i) {
      if (i == 2500) {
        allocator->reset();
        live_blocks.clear();
      }
      if (random() % 2 == 0 && !live_blocks.empty()) {
        std::swap(live_blocks[random() % live_blocks.size()], live_blocks.back());
        const auto [block, bytes] = live_blocks.back();
        live_blocks.pop_back();
        if (i % 3 == 0)
          allocator->free(block);
        else
          allocator->free(block, bytes);
      } else {
        const std::size_t bytes = random() % 600;
        void* const block = allocator->allocate(bytes);
        blocks_at.push_back(block == nullptr ? -1 : static_cast<std::byte*>(block) - memory.bytes);
        if (block != nullptr) live_blocks.emplace_back(block, bytes);
      }
      allocator->free(nullptr);
      allocator->free(nullptr, 8);
    }
  };
  Buddy plain(layout);
  live(offsets[0], &plain);
  CheckedBuddy checked(layout);
  live(offsets[1], &checked);
  EXPECT_EQ(offsets[0], offsets[1]);
}

TEST(CheckedBuddy, is_used_in_builds_with_assertions) {
#ifdef NDEBUG
  EXPECT_TRUE((std::is_same_v<BuddyOfBuild, Buddy>));
#else
  EXPECT_TRUE((std::is_same_v<BuddyOfBuild, CheckedBuddy>));
#endif
}

/// One live block of 256 bytes and one freed block of 64 bytes.
class CheckedBuddyDeathTest : public testing::Test {
 protected:
  CheckedBuddyDeathTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    buddy_.free(freed_);
  }

  Memory memory_;
  CheckedBuddy buddy_{memory_.layout()};
  std::byte* block_ = static_cast<std::byte*>(buddy_.allocate(200));
  std::byte* freed_ = static_cast<std::byte*>(buddy_.allocate(1));
};

TEST_F(CheckedBuddyDeathTest, aborts_a_double_free) {
  EXPECT_DEATH(buddy_.free(freed_), "buddy allocator: free of 0x[0-9a-f]+: no block is live there");
  EXPECT_DEATH(buddy_.free(freed_, 1), "no block is live there");
  EXPECT_DEATH(
      {
        buddy_.reset();
        buddy_.free(block_);
      },
      "no block is live there");
}

TEST_F(CheckedBuddyDeathTest, aborts_a_free_inside_a_block) {
  EXPECT_DEATH(buddy_.free(block_ + kLeafBytes), "64 bytes into a live block of 256 bytes");
  EXPECT_DEATH(buddy_.free(block_ + 1), "1 bytes into a live block of 256 bytes");
  EXPECT_DEATH(buddy_.free(block_ + 255, 200), "255 bytes into a live block of 256 bytes");
}

TEST_F(CheckedBuddyDeathTest, aborts_a_free_of_the_metadata) {
  EXPECT_DEATH(buddy_.free(memory_.bytes), "the allocator's own metadata");
  EXPECT_DEATH(buddy_.free(memory_.bytes + kLeafBytes - 1, 1), "the allocator's own metadata");
}

TEST_F(CheckedBuddyDeathTest, aborts_a_free_of_another_allocators_block) {
  std::byte other[kLeafBytes];
  EXPECT_DEATH(buddy_.free(other), "outside of the buffer");
  EXPECT_DEATH(buddy_.free(memory_.bytes + kBytes), "outside of the buffer");
  EXPECT_DEATH(buddy_.free(memory_.bytes + kBytes, 64), "outside of the buffer");
}

TEST_F(CheckedBuddyDeathTest, aborts_a_free_with_a_wrong_size) {
  EXPECT_DEATH(buddy_.free(block_, 100), "a size of 100 bytes does not match its block of 256 bytes");
  EXPECT_DEATH(buddy_.free(block_, 257), "a size of 257 bytes does not match");
  EXPECT_DEATH(buddy_.free(block_, SIZE_MAX), "a size of 18446744073709551615 bytes does not match");
  buddy_.free(block_, 129);  // the same block_bytes()
}

}  // namespace
}  // namespace lab::designs
