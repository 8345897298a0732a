#include "variants/designs/offsets/block_sizes.h"

#include <gtest/gtest.h>

#include <vector>

namespace lab::designs {
namespace {

TEST(BlockSizes, are_multiples_of_16_and_four_a_doubling) {
  std::vector<std::size_t> sizes;
  for (unsigned i = 0; i <= BlockSizes::of(1024); ++i) sizes.push_back(BlockSizes::bytes(i));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{16,  32,  48,  64,  80,  96,  112, 128, 160, 192,
                                             224, 256, 320, 384, 448, 512, 640, 768, 896, 1024}));
}

TEST(BlockSizes, serve_each_request_with_the_smallest_size) {
  EXPECT_EQ(BlockSizes::of(0), 0u);
  for (std::size_t bytes = 1; bytes <= 100'000; ++bytes) {
    const unsigned size_class = BlockSizes::of(bytes);
    ASSERT_GE(BlockSizes::bytes(size_class), bytes);
    ASSERT_TRUE(size_class == 0 || BlockSizes::bytes(size_class - 1) < bytes) << bytes;
    if (bytes > 64) {
      ASSERT_LT(BlockSizes::bytes(size_class) - bytes, bytes / 4) << bytes;
    }
  }
  for (unsigned log2 = 4; log2 <= 47; ++log2)
    EXPECT_EQ(BlockSizes::bytes(BlockSizes::of(std::size_t{1} << log2)), std::size_t{1} << log2);
}

TEST(BlockSizes, are_aligned_to_what_divides_them) {
  for (unsigned size_class = 0; size_class < 60; ++size_class) {
    const std::size_t alignment = BlockSizes::alignment(size_class);
    EXPECT_EQ(BlockSizes::bytes(size_class) % alignment, 0u);
    EXPECT_NE(BlockSizes::bytes(size_class) % (2 * alignment), 0u);
  }
}

}  // namespace
}  // namespace lab::designs
