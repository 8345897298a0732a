#include "variants/allocator/family/request_sequences.h"

#include <gtest/gtest.h>

#include "variants/allocator/family/testing/broken_allocators.h"

namespace lab::allocator {

TEST(EdgeSizes, are_around_the_powers_of_two) {
  EXPECT_EQ(edge_sizes(8), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 7, 8, 9}));
}

TEST(RandomSizes, are_at_most_the_largest_power) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t bytes = random_size(random, {3, 7});
    EXPECT_GE(bytes, 1u);
    EXPECT_LE(bytes, 128u);
  }
}

TEST(RequestSequences, find_nothing_wrong_with_a_sound_allocator) {
  for (const Fill fill : {Fill::kNo, Fill::kYes}) {
    EXPECT_FALSE(replace_blocks(subject_of<Sound>(), fill).any());
    EXPECT_FALSE(replace_blocks(subject_of<ResettingLists>(), fill).any());
    EXPECT_FALSE(sweep_sizes(subject_of<Lists>(), fill).any());
  }
}

TEST(RequestSequences, find_each_kind_of_fault) {
  EXPECT_EQ(replace_blocks(subject_of<Overlapping>(), Fill::kYes).overlap,
            "a block of 1 bytes begins where one of 48 bytes does");
  EXPECT_EQ(replace_blocks(subject_of<LosesContents>(), Fill::kYes).contents,
            "byte 0 of a live block of 382 bytes: expected 0xac, found 0x53");
  EXPECT_EQ(replace_blocks(subject_of<RefusesSometimes>(), Fill::kNo).refusal, "a request of 672 bytes returned null");
  EXPECT_EQ(sweep_sizes(subject_of<MisalignedOnce>(), Fill::kNo).alignment,
            "the address of a block of 3001 bytes is 8 bytes past its alignment of 4096");
}

TEST(RequestSequences, touch_no_block_without_filling) {
  EXPECT_FALSE(sweep_sizes(subject_of<Unmapped>(), Fill::kNo).any());
}

}  // namespace lab::allocator
