#include "variants/allocator/family/live_blocks.h"

#include <gtest/gtest.h>

#include "variants/allocator/family/testing/broken_allocators.h"

namespace lab::allocator {

namespace {

constexpr Demand kDemand{.bytes = 60'000, .blocks = 100};

}  // namespace

TEST(LiveBlocks, are_all_freed_from_the_lowest) {
  const auto allocator = subject_of<Sound>().make(kDemand);
  const std::size_t largest = allocator->largest_request();
  ASSERT_EQ(largest, 65'536u);
  LiveBlocks blocks(*allocator);
  for (const std::size_t bytes : {100, 24, 3000}) EXPECT_EQ(blocks.allocate(bytes), "");
  EXPECT_EQ(blocks.free_all(), "");
  EXPECT_TRUE(blocks.empty());
  std::string refusal = blocks.allocate(largest);
  EXPECT_EQ(refusal, "");
  for (int i = 0; i < 9 && refusal.empty(); ++i) refusal = blocks.allocate(largest);
  EXPECT_EQ(refusal, "a request of 65536 bytes returned null");
}

TEST(LiveBlocks, end_with_the_first_difference_in_contents) {
  const auto allocator = subject_of<LosesContents>().make(kDemand);
  LiveBlocks blocks(*allocator);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(blocks.allocate(100), "");
  EXPECT_EQ(blocks.remove_all().substr(0, 37), "byte 0 of a live block of 100 bytes: ");
  EXPECT_FALSE(blocks.empty());
  EXPECT_EQ(blocks.free_all().substr(0, 37), "byte 0 of a live block of 100 bytes: ");
  EXPECT_TRUE(blocks.empty());
}

}  // namespace lab::allocator
