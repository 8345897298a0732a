#include "variants/designs/addresses/buddy_ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

constexpr std::size_t kKiB = 1024;

template <typename Design>
BuddyLayout plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes) {
  const PlannedBuddy planned = Design::plan(buffer, bytes, leaf_bytes);
  if (!planned.refusal.empty()) throw std::runtime_error(planned.refusal);
  return planned.layout;
}

void* somewhere() {
  return reinterpret_cast<void*>(std::uintptr_t{1} << 40);
}

/// Free blocks as offsets from the buffer, each list in its order.
template <typename Design>
std::vector<std::pair<std::size_t, std::size_t>> free_blocks(const Design& buddy) {
  std::vector<std::pair<std::size_t, std::size_t>> blocks;
  buddy.for_each_free([&](const void* block, std::size_t bytes) {
    blocks.emplace_back(reinterpret_cast<std::uintptr_t>(block) - buddy.layout().begin, bytes);
  });
  return blocks;
}

template <typename Design>
void free_block(Design& buddy, void* block, std::size_t bytes) {
  if constexpr (Design::kFreesByPointer)
    buddy.free(block);
  else
    buddy.free(block, bytes);
}

/// A rung beside the final form, which has the same leaves reserved. Both get the same requests, and must place every
/// block alike and have the same free blocks in the same order.
template <typename Rung>
class Pair {
 public:
  /// `skip` bytes lie before the buffer, in memory that nobody may write.
  Pair(std::size_t bytes, std::size_t leaf_bytes, std::size_t skip, std::uint64_t seed)
      : memory_(kAlign + kGuard + skip + bytes + kGuard),
        other_(kAlign + kGuard + skip + bytes),
        begin_(aligned(memory_) + kGuard + skip),
        bytes_(bytes),
        random_(seed) {
    std::fill(memory_.begin(), memory_.end(), kUntouched);
    BuddyLayout rung = plan<Rung>(begin_, bytes, leaf_bytes);
    BuddyLayout final = plan<Buddy>(aligned(other_) + kGuard + skip, bytes, leaf_bytes);
    rung.reserved_leaves = final.reserved_leaves = std::max(rung.reserved_leaves, final.reserved_leaves);
    rung_.emplace(rung);
    final_.emplace(final);
    first_ = free_blocks(*rung_);
    EXPECT_EQ(first_, free_blocks(*final_));
  }

  void run(std::size_t operations) {
    for (std::size_t i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i) {
      // The share of frees oscillates, so that the buffer is nearly empty at times and full at others.
      if (!live_.empty() && random_() % 100 < (i / 64 % 4 < 2 ? 35u : 60u)) {
        free_any();
      } else {
        allocate(any_size());
      }
      if (i % 16 == 0) {
        ASSERT_EQ(free_blocks(*rung_), free_blocks(*final_));
        ASSERT_EQ(rung_->largest_free(), final_->largest_free());
      }
    }
  }

  void end() {
    while (!live_.empty() && !testing::Test::HasFatalFailure()) free_any();
    EXPECT_EQ(free_blocks(*rung_), first_);
    for (const std::byte* at = memory_.data(); at < begin_; ++at) ASSERT_EQ(*at, kUntouched);
    for (const std::byte* at = begin_ + bytes_; at < memory_.data() + memory_.size(); ++at) ASSERT_EQ(*at, kUntouched);
  }

  std::size_t most_live() const { return most_live_; }
  const Rung& rung() const { return *rung_; }

 private:
  static constexpr std::size_t kAlign = 1 << 16, kGuard = 1024;
  static constexpr std::byte kUntouched{0xc3};

  struct Block {
    std::byte* begin;
    std::byte* twin;
    std::size_t bytes;
    unsigned char tag;
  };

  static std::byte* aligned(std::vector<std::byte>& memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + ((kAlign - address % kAlign) % kAlign);
  }

  std::size_t any_size() {
    const auto log2 = random_() % static_cast<unsigned>(std::bit_width(2 * final_->layout().largest_request()));
    return random_() % ((std::size_t{2} << log2) + 1);
  }

  std::size_t offset(const std::byte* block) const { return static_cast<std::size_t>(block - begin_); }

  void allocate(std::size_t bytes) {
    auto* const block = static_cast<std::byte*>(rung_->allocate(bytes));
    auto* const twin = static_cast<std::byte*>(final_->allocate(bytes + Rung::kPreambleBytes));
    ASSERT_EQ(block == nullptr, twin == nullptr) << bytes << " bytes";
    if (block == nullptr) return;
    const auto final_begin = reinterpret_cast<std::byte*>(final_->layout().begin);
    ASSERT_EQ(block - Rung::kPreambleBytes - reinterpret_cast<std::byte*>(rung_->layout().begin), twin - final_begin);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % rung_->alignment(bytes), 0u);
    const auto tag = static_cast<unsigned char>(random_());
    // All of the block is the caller's, from behind the preamble on.
    std::memset(block, tag, rung_->block_bytes(bytes) - Rung::kPreambleBytes);
    live_.push_back({block, twin, bytes, tag});
    most_live_ = std::max(most_live_, live_.size());
  }

  void free_any() {
    std::swap(live_[random_() % live_.size()], live_.back());
    const Block block = live_.back();
    live_.pop_back();
    for (std::size_t at = 0; at < rung_->block_bytes(block.bytes) - Rung::kPreambleBytes; ++at)
      ASSERT_EQ(block.begin[at], std::byte{block.tag});
    free_block(*rung_, block.begin, block.bytes);
    final_->free(block.twin);
  }

  std::vector<std::byte> memory_, other_;
  std::byte* begin_;
  std::size_t bytes_;
  std::mt19937_64 random_;
  std::optional<Rung> rung_;
  std::optional<Buddy> final_;
  std::vector<std::pair<std::size_t, std::size_t>> first_;
  std::vector<Block> live_;
  std::size_t most_live_ = 0;
};

template <typename Rung>
class BuddyLadder : public testing::Test {};
using Rungs =
    testing::Types<BuddyListWalk, BuddyFreeBit, BuddyXor, BuddyPreamble, BuddyHash, BuddyLevelArray, BuddySplit>;
TYPED_TEST_SUITE(BuddyLadder, Rungs);

TYPED_TEST(BuddyLadder, places_every_block_as_the_final_form_does) {
  std::uint64_t seed = 0;
  for (const std::size_t leaf : {32u, 64u, 512u}) {
    for (const std::size_t bytes : {16 * kKiB, 16 * kKiB - 32, 9 * kKiB, 3 * kKiB + 200, 5 * leaf, 2 * leaf}) {
      for (const std::size_t skip : {std::size_t{0}, 3 * leaf, leaf / 2 + 1}) {
        const std::size_t rest = (leaf - skip % leaf) % leaf;  // before the first leaf, beyond `bytes`
        Pair<TypeParam> pair(bytes + rest, leaf, skip, ++seed);
        pair.run(600);
        pair.end();
        if (this->HasFailure()) FAIL() << "leaf " << leaf << ", buffer " << bytes << ", skip " << skip;
      }
    }
  }
}

TYPED_TEST(BuddyLadder, places_blocks_alike_in_a_long_sequence) {
  Pair<TypeParam> pair(300 * kKiB, 32, 0, 5);
  pair.run(6000);
  pair.end();
  EXPECT_GT(pair.most_live(), 50u);
}

TEST(BuddyLadderLevelArray, holds_levels_that_need_all_five_bits) {
  Pair<BuddyLevelArray> pair(3072 * kKiB, 16, 0, 9);
  pair.run(1500);
  pair.end();
  EXPECT_EQ(pair.rung().layout().largest_request(), 2048 * kKiB);  // 17 levels above the leaves
}

TYPED_TEST(BuddyLadder, serves_exactly_the_stated_number_of_requests_of_one_size) {
  alignas(4096) static std::byte buffer[40000];
  for (const std::size_t bytes : {std::size_t{40000}, std::size_t{32768}, std::size_t{4112}, std::size_t{64}}) {
    const BuddyLayout layout = plan<TypeParam>(buffer, bytes, 32);
    const std::size_t largest = TypeParam(layout).largest_request();
    for (std::size_t block = 32; block / 2 + 1 <= largest; block *= 2) {
      for (const std::size_t request : {block / 2 + 1, block - 16, block - 15, block}) {
        TypeParam buddy(layout);
        std::size_t served = 0;
        while (buddy.allocate(request) != nullptr) ++served;
        EXPECT_EQ(served, buddy.capacity(request)) << request << " of " << bytes;
      }
    }
    TypeParam buddy(layout);
    const auto first = free_blocks(buddy);
    for (const std::size_t request : {largest + 1, SIZE_MAX - 15, SIZE_MAX}) {
      EXPECT_EQ(buddy.capacity(request), 0u);
      EXPECT_EQ(buddy.allocate(request), nullptr);
    }
    free_block(buddy, nullptr, 1);
    void* const all = buddy.allocate(largest);
    EXPECT_NE(all, nullptr);
    free_block(buddy, all, largest);
    EXPECT_EQ(free_blocks(buddy), first);
  }
}

/// Bits per block of the tree.
template <typename Rung>
std::pair<double, double> bits_per_block(const BuddyLayout& layout, const Rung& rung) {
  const auto blocks = static_cast<double>(std::size_t{1} << layout.levels);
  return {static_cast<double>(rung.merge_bits()) / blocks, static_cast<double>(rung.size_bits()) / blocks};
}

template <typename Rung>
std::pair<double, double> bits_per_block() {
  static std::byte buffer[64 * kKiB];
  const BuddyLayout layout = plan<Rung>(buffer, sizeof buffer, 64);
  return bits_per_block(layout, Rung(layout));
}

TEST(BuddyLadderMetadata, is_as_large_as_the_article_says) {
  using Bits = std::pair<double, double>;  // to know that a buddy is free, to know a size
  EXPECT_EQ(bits_per_block<BuddyListWalk>(), Bits(0, 0));
  EXPECT_EQ(bits_per_block<BuddyFreeBit>(), Bits(1, 0));
  EXPECT_EQ(bits_per_block<BuddyXor>(), Bits(0.5, 0));
  EXPECT_EQ(bits_per_block<BuddyLevelArray>(), Bits(0.5, 2.5));
  EXPECT_EQ(bits_per_block<BuddySplit>(), Bits(0.5, 0.5));
}

TEST(BuddyLadderMetadata, of_preambles_and_of_a_hash_table_grows_with_the_live_blocks) {
  alignas(4096) static std::byte buffer[64 * kKiB];
  BuddyPreamble preamble(plan<BuddyPreamble>(buffer, sizeof buffer, 64));
  EXPECT_EQ(preamble.size_bits(), 0u);
  std::vector<void*> blocks;
  while (void* const block = preamble.allocate(48)) blocks.push_back(block);
  EXPECT_EQ(preamble.size_bits(), blocks.size() * 8 * 16);
  for (void* const block : blocks) preamble.free(block);
  EXPECT_EQ(preamble.size_bits(), 0u);

  BuddyHash hash(plan<BuddyHash>(buffer, sizeof buffer, 64));
  EXPECT_EQ(hash.allocated_bytes(), 64u * 8);
  EXPECT_EQ(hash.most_allocated_bytes(), 64u * 8);
  blocks.clear();
  while (void* const block = hash.allocate(64)) {
    blocks.push_back(block);
    const std::size_t slots = std::max<std::size_t>(64, std::bit_ceil(2 * blocks.size()));
    EXPECT_EQ(hash.allocated_bytes(), slots * 8);
    EXPECT_EQ(hash.most_allocated_bytes(), (slots == 64 ? slots : slots + slots / 2) * 8) << "it and the one before";
  }
  EXPECT_EQ(hash.size_bits(), 8 * hash.allocated_bytes());
}

TEST(BuddyLadderPreamble, doubles_the_block_of_a_page_and_loses_its_alignment) {
  alignas(64 * kKiB) static std::byte buffer[64 * kKiB];
  BuddyXor plain(plan<BuddyXor>(buffer, sizeof buffer, 64));
  EXPECT_EQ(plain.block_bytes(4096), 4096u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(plain.allocate(4096)) % 4096, 0u);
  EXPECT_EQ(plain.capacity(4096), 15u);
  BuddyPreamble preamble(plan<BuddyPreamble>(buffer, sizeof buffer, 64));
  EXPECT_EQ(preamble.block_bytes(4096), 8192u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(preamble.allocate(4096)) % 4096, 16u);
  EXPECT_EQ(preamble.capacity(4096), 7u);
  EXPECT_EQ(preamble.block_bytes(4080), 4096u);
}

std::map<std::size_t, int> free_sizes(const Buddy& buddy) {
  std::map<std::size_t, int> sizes;
  buddy.for_each_free([&](const void*, std::size_t bytes) { ++sizes[bytes / kKiB]; });
  return sizes;
}

// The article's picture: metadata of 5 leaves of 16 K in a tree of 512 K.
TEST(BuddyReservedLeaves, take_80_K_where_a_block_for_the_metadata_would_take_128_K) {
  alignas(16 * kKiB) static std::byte buffer[512 * kKiB];
  BuddyLayout layout = plan<Buddy>(buffer, sizeof buffer, 16 * kKiB);
  layout.reserved_leaves = 5;
  EXPECT_EQ(layout.usable_bytes(), (512 - 80) * kKiB);
  EXPECT_EQ(free_sizes(Buddy(layout)), (std::map<std::size_t, int>{{16, 1}, {32, 1}, {128, 1}, {256, 1}}));
  layout.reserved_leaves = std::bit_ceil(layout.reserved_leaves);
  EXPECT_EQ(layout.usable_bytes(), (512 - 128) * kKiB);
  EXPECT_EQ(free_sizes(Buddy(layout)), (std::map<std::size_t, int>{{128, 1}, {256, 1}}));
}

TEST(BuddyReservedLeaves, save_nothing_for_bits_that_are_a_power_of_two_and_a_quarter_for_the_level_array) {
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{1} << 24}) {
    for (const std::size_t leaves : {plan<BuddyXor>(somewhere(), bytes, 64).reserved_leaves,
                                     plan<BuddySplit>(somewhere(), bytes, 64).reserved_leaves,
                                     plan<BuddyFreeBit>(somewhere(), bytes, 64).reserved_leaves})
      EXPECT_EQ(std::bit_ceil(leaves), leaves);
    const std::size_t leaves = plan<BuddyLevelArray>(somewhere(), bytes, 64).reserved_leaves;
    EXPECT_EQ(4 * leaves, 3 * std::bit_ceil(leaves));
  }
}

TEST(BuddyLadderPlan, rejects_what_a_rung_cannot_hold) {
  constexpr std::size_t kMost = std::size_t{1} << 47;
  EXPECT_EQ(BuddySplit::plan(somewhere(), kMost, 16).refusal, "");
  EXPECT_EQ(BuddyLevelArray::plan(somewhere(), std::size_t{1} << 35, 16).refusal, "");
  EXPECT_EQ(BuddyLevelArray::plan(somewhere(), std::size_t{1} << 36, 16).refusal,
            "buddy allocator: at most 32 levels, found 33");
  EXPECT_EQ(BuddyXor::plan(somewhere(), kMost, 8).refusal,
            "buddy allocator: leaf_bytes must be a power of two and at least 16, found 8");
  EXPECT_EQ(BuddyPreamble::plan(somewhere(), kMost, 16).refusal,
            "buddy allocator: leaf_bytes must be a power of two and at least 32, found 16");
  EXPECT_NE(BuddyXor::plan(nullptr, 4096, 64).refusal, "");
}

}  // namespace
}  // namespace lab::designs
