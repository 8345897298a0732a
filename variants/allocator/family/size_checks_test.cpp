#include <gtest/gtest.h>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/testing/broken_allocators.h"

namespace lab::allocator {

TEST(SizeChecks, find_an_address_past_its_alignment) {
  EXPECT_EQ(check_alignment(subject_of<Sound>()), "");
  EXPECT_EQ(check_alignment(subject_of<MisalignedLater>()),
            "the address of a block of 1 bytes is 3456 bytes past its alignment of 4096");
  EXPECT_EQ(check_alignment(subject_of<MisalignedOnce>()),
            "the address of a block of 3001 bytes is 8 bytes past its alignment of 4096");
  EXPECT_EQ(check_alignment(subject_of<ZeroAlignment>()),
            "the promised alignment of a block of 0 bytes is 0, which is not a power of two");
}

TEST(SizeChecks, find_a_block_smaller_than_its_request) {
  EXPECT_EQ(check_block_sizes(subject_of<Sound>()), "");
  EXPECT_EQ(check_block_sizes(subject_of<UnderstatesOccupied>()), "occupied() of a block of 34 bytes is 32");
  EXPECT_EQ(check_block_sizes(subject_of<WrongSizeClass>()),
            "a block of 1026 bytes overlaps the first 2 bytes of a block of 513 bytes");
}

TEST(SizeChecks, find_a_fault_of_one_size) {
  EXPECT_EQ(check_every_size(subject_of<Lists>()), "");
  EXPECT_EQ(check_every_size(subject_of<TooSmallOnce>()),
            "a block of 3001 bytes begins at byte 2512 of a block of 3001 bytes");
}

TEST(SizeChecks, find_a_request_of_no_bytes_without_a_block) {
  EXPECT_EQ(check_empty_requests(subject_of<Sound>()), "");
  EXPECT_EQ(check_empty_requests(subject_of<RefusesZeroBytes>()), "a request of 0 bytes returned null");
}

TEST(SizeChecks, find_a_too_large_request_that_is_served_or_does_harm) {
  EXPECT_EQ(check_too_large_requests(subject_of<Sound>()), "");
  EXPECT_EQ(check_too_large_requests(subject_of<ServesTooLarge>()),
            "a request of 9223372036854775808 bytes returned a block, expected null");
  EXPECT_EQ(check_too_large_requests(subject_of<CorruptsOnRefusal>()),
            "byte 0 of a live block of 3280 bytes: expected 0x63, found 0x62");
}

}  // namespace lab::allocator
