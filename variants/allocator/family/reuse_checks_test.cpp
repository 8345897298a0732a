#include <gtest/gtest.h>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/testing/broken_allocators.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {

TEST(ReuseChecks, find_a_free_of_nullptr_that_frees_a_block) {
  EXPECT_EQ(check_free_null(subject_of<Sound>()), "");
  EXPECT_EQ(check_free_null(subject_of<FreesLastOnNull>()), "a block of 24 bytes begins where one of 24 bytes does");
}

TEST(ReuseChecks, find_freed_memory_that_is_not_used_again) {
  if (!kMemoryIsMeasurable) GTEST_SKIP() << "needs a build without a sanitizer";
  EXPECT_EQ(check_freed_is_used_again(subject_of<Lists>()), "");
  EXPECT_EQ(check_freed_is_used_again(subject_of<RefusesSometimes>()), "a request of 5 bytes returned null");
  EXPECT_EQ(check_freed_is_used_again(subject_of<NeverFrees>()).substr(0, 47),
            "48 rounds of the same requests grew memory by 4");
}

TEST(ReuseChecks, find_blocks_that_survive_a_reset) {
  EXPECT_EQ(check_reset_frees_everything(subject_of<ResettingLists>()), "");
  EXPECT_EQ(check_reset_frees_everything(subject_of<ResetKeepsLists>()),
            "round 2 in one instance: a block of 337 bytes overlaps the first 273 bytes of a block of 48 bytes");
}

}  // namespace lab::allocator
