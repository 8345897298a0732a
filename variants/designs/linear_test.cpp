#include "variants/designs/linear.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace lab::designs {
namespace {

TEST(Linear, places_blocks_one_after_the_other_at_their_alignment) {
  alignas(64) std::byte buffer[256];
  Linear linear(buffer, sizeof buffer);
  EXPECT_EQ(linear.allocate(1), buffer);
  EXPECT_EQ(linear.allocate(1), buffer + 16);
  EXPECT_EQ(linear.allocate(1, 1), buffer + 17);
  EXPECT_EQ(linear.allocate(3, 2), buffer + 18);
  EXPECT_EQ(linear.allocate(8, 64), buffer + 64);
  EXPECT_EQ(linear.used(), 72u);
  linear.reset();
  EXPECT_EQ(linear.used(), 0u);
  EXPECT_EQ(linear.allocate(1), buffer);
}

TEST(Linear, gives_empty_requests_addresses_of_their_own) {
  alignas(16) std::byte buffer[64];
  Linear linear(buffer, sizeof buffer);
  void* first = linear.allocate(0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(linear.allocate(0), first);
}

TEST(Linear, serves_its_capacity_and_no_byte_more) {
  alignas(16) std::byte buffer[100];
  Linear linear(buffer, sizeof buffer);
  EXPECT_EQ(linear.capacity(), 100u);
  for (const std::size_t bytes : {std::size_t{101}, SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2}) {
    EXPECT_EQ(linear.allocate(bytes), nullptr) << bytes;
    EXPECT_EQ(linear.used(), 0u);
  }
  EXPECT_EQ(linear.allocate(100), buffer);
  EXPECT_EQ(linear.allocate(0, 1), nullptr);
}

TEST(Linear, refuses_when_the_padding_alone_does_not_fit) {
  alignas(64) std::byte buffer[40];
  Linear linear(buffer, sizeof buffer);
  EXPECT_EQ(linear.allocate(1), buffer);
  EXPECT_EQ(linear.allocate(1, 64), nullptr);
  EXPECT_EQ(linear.allocate(SIZE_MAX, 64), nullptr);
  EXPECT_EQ(linear.used(), 1u);
  EXPECT_EQ(linear.allocate(39, 1), buffer + 1);
}

TEST(Linear, never_overlaps_and_never_leaves_the_buffer) {
  alignas(16) static std::byte buffer[4096];
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::byte* begin = buffer + random() % 64;
    Linear linear(begin, 4000);
    const std::byte* last = begin;
    for (;;) {
      const std::size_t bytes = random() % 200, alignment = std::size_t{1} << (random() % 8);
      auto* block = static_cast<std::byte*>(linear.allocate(bytes, alignment));
      if (!block) break;
      ASSERT_GE(block, last);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
      last = block + (bytes ? bytes : 1);
      ASSERT_LE(last, begin + 4000);
    }
  }
}

}  // namespace
}  // namespace lab::designs
