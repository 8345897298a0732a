#include "variants/allocator/malloc/inheriting_lock.h"

#include <gtest/gtest.h>

#include "variants/designs/threads/lock_model_test.h"

namespace lab::allocator {

TEST(InheritingLock, is_held_by_one_at_a_time) {
  designs::expect_one_holder_at_a_time<InheritingLock>();
}

TEST(InheritingLock, is_not_taken_from_its_holder) {
  designs::expect_not_taken_from_its_holder<InheritingLock>();
}

TEST(InheritingLock, is_waited_for_as_long_as_it_is_held) {
  designs::expect_waited_for_as_long_as_it_is_held<InheritingLock>();
}

}  // namespace lab::allocator
