#include "variants/designs/addresses/linear.h"

#include <gtest/gtest.h>

#include <random>

namespace lab::designs {
namespace {

TEST(Linear, places_blocks_one_after_the_other_at_their_alignment) {
  alignas(16) std::byte buffer[256];
  Linear<16> linear(buffer, sizeof buffer);
  EXPECT_EQ(linear.allocate(1), buffer);
  EXPECT_EQ(linear.allocate(16), buffer + 16);
  EXPECT_EQ(linear.allocate(17), buffer + 32);
  EXPECT_EQ(linear.allocate(1), buffer + 64);
  EXPECT_EQ(linear.used(), 80u);
  linear.reset();
  EXPECT_EQ(linear.used(), 0u);
  EXPECT_EQ(linear.allocate(1), buffer);
}

TEST(Linear, returns_distinct_addresses_for_requests_of_0_bytes) {
  alignas(16) std::byte buffer[64];
  Linear<16> linear(buffer, sizeof buffer);
  void* first = linear.allocate(0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(linear.allocate(0), first);
}

TEST(Linear, serves_exactly_its_capacity) {
  alignas(16) std::byte buffer[100];
  Linear<16> linear(buffer, sizeof buffer);
  EXPECT_EQ(linear.capacity(), 96u);
  EXPECT_EQ(linear.capacity(0), 6u);
  EXPECT_EQ(linear.capacity(17), 3u);
  EXPECT_EQ(linear.capacity(96), 1u);
  EXPECT_EQ(linear.capacity(97), 0u);
  EXPECT_EQ(linear.capacity(SIZE_MAX), 0u);
  for (const std::size_t bytes : {std::size_t{97}, SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2}) {
    EXPECT_EQ(linear.allocate(bytes), nullptr) << bytes;
    EXPECT_EQ(linear.used(), 0u);
  }
  EXPECT_EQ(linear.allocate(95), buffer);
  EXPECT_EQ(linear.used(), 96u);
  EXPECT_EQ(linear.allocate(0), nullptr);
  EXPECT_EQ(linear.used(), 96u);
}

TEST(Linear, never_overlaps_and_never_leaves_the_buffer) {
  alignas(64) static std::byte buffer[4096];
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::byte* begin = buffer + random() % 8 * 8;
    Linear<8> linear(begin, 4000 + random() % 16);
    const std::byte* last = begin;
    for (;;) {
      const std::size_t bytes = random() % 200;
      auto* block = static_cast<std::byte*>(linear.allocate(bytes));
      if (!block) break;
      ASSERT_GE(block, last);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 8, 0u);
      last = block + (bytes ? bytes : 1);
      ASSERT_LE(last, begin + linear.capacity());
    }
  }
}

}  // namespace
}  // namespace lab::designs
