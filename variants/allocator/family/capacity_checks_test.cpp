#include <gtest/gtest.h>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/testing/broken_allocators.h"

namespace lab::allocator {

TEST(CapacityChecks, find_a_largest_request_that_is_not_the_largest) {
  EXPECT_EQ(check_largest_request(subject_of<Sound>()), "");
  EXPECT_EQ(check_largest_request(subject_of<OverstatesLargest>()), "a request of 131072 bytes returned null");
  EXPECT_EQ(check_largest_request(subject_of<UnderstatesLargest>()),
            "a request of 32769 bytes returned a block, expected null");
}

TEST(CapacityChecks, find_a_capacity_that_is_not_served) {
  EXPECT_EQ(check_capacity(subject_of<Sound>()), "");
  EXPECT_EQ(check_capacity(subject_of<OverstatesCapacity>()),
            "the capacity for requests of 65 bytes is reported as 1021, but the empty allocator served 1020");
  EXPECT_EQ(check_capacity(subject_of<CapacityOfTooLarge>()),
            "the capacity for requests of 65537 bytes, more than the largest, is reported as 1");
  EXPECT_EQ(check_capacity(subject_of<IgnoresTheHeap>()),
            "in a buffer of 131072 bytes: a block of 0 bytes lies outside of the buffer that was given");
}

TEST(CapacityChecks, find_frees_that_do_not_restore_the_first_capacity) {
  EXPECT_EQ(check_first_state(subject_of<Sound>()), "");
  EXPECT_EQ(check_first_state(subject_of<CapacityOfNow>()),
            "it reports another largest request or another capacity than at first");
  EXPECT_EQ(check_first_state(subject_of<LeaksInOneOrder>()),
            "after all blocks were freed, the capacity for requests of 1 bytes is reported as 2040, but the empty "
            "allocator served 2039");
}

}  // namespace lab::allocator
