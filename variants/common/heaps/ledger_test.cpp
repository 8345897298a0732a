#include "variants/common/heaps/ledger.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(Ledger, finds_overlap_on_either_side_and_each_changed_byte_of_memory) {
  unsigned char memory[100];
  Ledger<void*> ledger;
  EXPECT_EQ(ledger.add(memory + 40, 20), "");
  EXPECT_EQ(ledger.add(memory + 60, 1), "");
  EXPECT_EQ(ledger.add(memory + 20, 20), "");
  EXPECT_EQ(ledger.add(memory + 10, 11), "a block of 11 bytes overlaps the first 1 bytes of a block of 20 bytes");
  EXPECT_EQ(ledger.add(memory + 59, 1), "a block of 1 bytes begins at byte 19 of a block of 20 bytes");
  EXPECT_EQ(ledger.add(memory + 40, 20), "a block of 20 bytes begins where one of 20 bytes does");
  EXPECT_EQ(ledger.remove(memory + 20), "");
  EXPECT_EQ(ledger.lowest(), (std::pair<void*, std::size_t>{memory + 40, 20}));
  for (const std::size_t at : {0u, 7u, 19u}) {
    Ledger<void*> fresh;
    fresh.add(memory + 40, 20);
    memory[40 + at] ^= 0x10;
    EXPECT_NE(fresh.remove(memory + 40), "") << at;
  }
}

TEST(Ledger, finds_overlap_of_offsets_without_any_memory) {
  Ledger<std::uint64_t> ledger;
  constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
  EXPECT_EQ(ledger.add(kFar, 4096), "");
  EXPECT_EQ(ledger.add(0, 0), "");
  EXPECT_EQ(ledger.add(0, 16), "a block of 16 bytes begins where one of 0 bytes does");
  EXPECT_EQ(ledger.add(kFar + 4095, 1), "a block of 1 bytes begins at byte 4095 of a block of 4096 bytes");
  EXPECT_EQ(ledger.add(kFar + 4096, 1), "");
  EXPECT_EQ(ledger.lowest(), (std::pair<std::uint64_t, std::size_t>{0, 0}));
  for (const std::uint64_t block : {std::uint64_t{0}, kFar, kFar + 4096}) EXPECT_EQ(ledger.remove(block), "");
  EXPECT_TRUE(ledger.empty());
}

TEST(Ledger, finds_changed_contents_at_an_offset_of_mapped_memory) {
  unsigned char memory[100];
  Ledger<std::uint32_t> ledger(memory);
  EXPECT_EQ(ledger.add(10, 30), "");
  EXPECT_EQ(ledger.add(50, 30), "");
  memory[12] ^= 1;
  EXPECT_TRUE(ledger.remove(10).starts_with("byte 2 of a live block of 30 bytes: expected 0x")) << "another byte";
  EXPECT_EQ(ledger.remove(50), "");
}

}  // namespace
}  // namespace lab
