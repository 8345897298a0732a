#include "variants/designs/offsets/maximum_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lab::designs {
namespace {

TEST(MaximumTree, finds_the_first_number_that_is_large_enough) {
  const std::vector<std::uint64_t> numbers{3, 1, 7, 7, 9};
  const MaximumTree tree(numbers);
  std::vector<std::size_t> found;
  for (std::uint64_t x = 1; x <= 10; ++x) found.push_back(tree.first_from(x));
  EXPECT_EQ(found, (std::vector<std::size_t>{0, 0, 0, 2, 2, 2, 2, 4, 4, 5}));
}

TEST(MaximumTree, is_a_list_for_every_length_and_change) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<std::uint64_t> numbers(size);
    for (std::uint64_t& number : numbers) number = random() % 10;
    MaximumTree tree(numbers);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t x = 1 + random() % 11;
      const auto first = std::ranges::find_if(numbers, [x](std::uint64_t number) { return number >= x; });
      ASSERT_EQ(tree.first_from(x), static_cast<std::size_t>(first - numbers.begin())) << size << ", " << x;
      if (size > 0) {
        const std::size_t index = random() % size;
        tree.set(index, numbers[index] = random() % 10);
      }
    }
  }
}

}  // namespace
}  // namespace lab::designs
