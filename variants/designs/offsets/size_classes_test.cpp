#include "variants/designs/offsets/size_classes.h"

#include <gtest/gtest.h>

namespace lab::designs {
namespace {

constexpr std::uint32_t kMost = ~std::uint32_t{0};

TEST(SizeClasses, order_lengths_and_are_exact_where_they_say_so) {
  for (std::uint32_t length = 1; length < 5000; ++length) {
    EXPECT_LE(SizeClasses::of(length), SizeClasses::of(length + 1));
    EXPECT_EQ(SizeClasses::of(length) == SizeClasses::of(length + 1),
              SizeClasses::holding(length + 1) != SizeClasses::of(length + 1));
    if (length < SizeClasses::kExact) {
      EXPECT_EQ(SizeClasses::of(length), length);
    }
  }
}

TEST(SizeClasses, hold_a_length_from_the_lowest_class_on_whose_shortest_run_does) {
  std::uint32_t shortest = 1;  // run of the class
  for (unsigned each = 1; each < SizeClasses::kCount; ++each) {
    ASSERT_EQ(SizeClasses::of(shortest), each);
    EXPECT_EQ(SizeClasses::holding(shortest), each);
    std::uint32_t longest = shortest;
    for (std::uint32_t step = 1u << 31; step != 0; step /= 2)
      if (longest <= kMost - step && SizeClasses::of(longest + step) == each) longest += step;
    if (longest > shortest) {
      EXPECT_EQ(SizeClasses::holding(shortest + 1), each + 1);
      EXPECT_EQ(SizeClasses::holding(longest), each + 1);
    }
    shortest = longest + 1;
  }
  EXPECT_EQ(shortest, 0u);  // the last class ends with the longest length
}

TEST(ClassMask, finds_the_lowest_class_that_is_set) {
  ClassMask mask;
  for (const unsigned from : {0u, 63u, 64u, SizeClasses::kCount - 1, SizeClasses::kCount})
    EXPECT_EQ(mask.first_from(from), SizeClasses::kCount);
  for (unsigned each = 0; each < SizeClasses::kCount; ++each) {
    mask.set(each);
    for (unsigned from = 0; from <= each; ++from) ASSERT_EQ(mask.first_from(from), each);
    EXPECT_EQ(mask.first_from(each + 1), SizeClasses::kCount);
    mask.clear_if(false, each);
    EXPECT_EQ(mask.first_from(0), each);
    mask.clear(each);
    EXPECT_EQ(mask.first_from(0), SizeClasses::kCount);
  }
}

}  // namespace
}  // namespace lab::designs
