#include "variants/designs/sorts/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace lab::designs {
namespace {

using Arrays = KeyedArrays<std::vector<std::uint64_t>, std::vector<std::size_t>>;

/// Sorts `keys` with their indices as values, and compares with std::stable_sort of the indices.
void expect_sorted(const std::vector<std::uint64_t>& keys) {
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  Arrays arrays{keys, places};
  Arrays scratch{std::vector<std::uint64_t>(keys.size()), std::vector<std::size_t>(keys.size())};
  radix_sort(arrays, scratch, keys.size());

  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  EXPECT_EQ(arrays.values, places);
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(arrays.keys[i], keys[places[i]]);
}

TEST(RadixSort, agrees_with_stable_sort_on_keys_of_any_width_and_number) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0, 1, 2, 3, 255, 256, 257, 10'000})
    for (int bits = 1; bits <= 64; bits += 7) {
      std::vector<std::uint64_t> keys(count);
      for (std::uint64_t& key : keys) key = random() >> (64 - bits);
      expect_sorted(keys);
    }
}

TEST(RadixSort, agrees_with_stable_sort_where_only_one_digit_differs) {
  std::mt19937_64 random(2);
  for (int digit = 0; digit < 8; ++digit) {
    std::vector<std::uint64_t> keys(1000);
    for (std::uint64_t& key : keys) key = 0x0123456789abcdefu ^ (random() & 0xff) << (8 * digit);
    expect_sorted(keys);
  }
}

TEST(RadixSort, sorts_sorted_reversed_and_equal_keys) {
  std::vector<std::uint64_t> rising(1000);
  std::iota(rising.begin(), rising.end(), ~std::uint64_t{0} - 999);
  expect_sorted(rising);
  expect_sorted({rising.rbegin(), rising.rend()});
  expect_sorted(std::vector<std::uint64_t>(1000, 42));
  expect_sorted({0, ~std::uint64_t{0}, 0, std::uint64_t{1} << 63, 1});
}

TEST(RadixSort, ignores_entries_behind_the_count) {
  Arrays arrays{{5, 3, 4, 0, 1}, {0, 1, 2, 3, 4}};
  Arrays scratch = arrays;
  radix_sort(arrays, scratch, 3);
  arrays.keys.resize(3);
  arrays.values.resize(3);
  EXPECT_EQ(arrays.keys, (std::vector<std::uint64_t>{3, 4, 5}));
  EXPECT_EQ(arrays.values, (std::vector<std::size_t>{1, 2, 0}));
}

}  // namespace
}  // namespace lab::designs
