// What stands before a buddy allocator, and the lists of classes: their promises, against the model of arenas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "variants/designs/addresses/arena_model_test.h"
#include "variants/designs/addresses/buddy_magazines.h"
#include "variants/designs/addresses/class_lists.h"
#include "variants/designs/addresses/size_class_buddy.h"

namespace lab::designs {
namespace {

/// A design over memory, as the model wants it. `alignment` is that of an arena that is aligned to a page.
template <FreedBy kFreedBy>
struct Magazines : BuddyMagazines<Buddy, kFreedBy> {
  static constexpr std::size_t kLeafBytes = 32;
  Magazines(void* memory, std::size_t bytes)
      : BuddyMagazines<Buddy, kFreedBy>(Buddy::plan(memory, bytes, kLeafBytes).layout) {}
  static std::size_t alignment(std::size_t) { return 16; }
};

struct MagazinesByPointer : Magazines<FreedBy::kPointer> {
  using Magazines::Magazines;
  void free(void* block) { Magazines::free(block); }
};

struct MagazinesBySize : Magazines<FreedBy::kSize> {
  using Magazines::Magazines;
};

struct ClassesBySize : SizeClassBuddy {
  ClassesBySize(void* memory, std::size_t bytes) : SizeClassBuddy(plan(memory, bytes)) {}
  static std::size_t alignment(std::size_t) { return 16; }
};

struct ClassesByPointer : ClassesBySize {
  using ClassesBySize::ClassesBySize;
  void free(void* block) { SizeClassBuddy::free(block); }
};

struct Lists : ClassLists {
  using ClassLists::ClassLists;
  static std::size_t alignment(std::size_t) { return 16; }
};

template <typename Design>
class Fronts : public testing::Test {};

using All = testing::Types<MagazinesByPointer, MagazinesBySize, ClassesByPointer, ClassesBySize, Lists>;

class Names {
 public:
  template <typename Design>
  static std::string GetName(int index) {
    constexpr const char* kNames[] = {"magazines_by_pointer", "magazines_by_size", "size_classes_by_pointer",
                                      "size_classes_by_size", "class_lists"};
    return kNames[index];
  }
};
TYPED_TEST_SUITE(Fronts, All, Names);

TYPED_TEST(Fronts, serve_their_largest_request_and_not_a_byte_more) {
  for (const std::size_t bytes : {4096u, 4112u, 5000u, 8192u, 20'480u, 65'536u, 70'000u, 1'000'000u, 1'048'576u})
    expect_exact_limits<TypeParam>(bytes, TypeParam::alignment);
}

TYPED_TEST(Fronts, serve_as_many_requests_as_they_state) {
  std::vector<std::size_t> all(600), edges{0, 1};
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t power = 16; power <= 131'072; power *= 2)
    for (const std::size_t bytes : {power - 1, power, power + 1, 5 * power / 4, 3 * power / 2, 7 * power / 4 + 1})
      edges.push_back(bytes);
  for (const std::size_t bytes : {5000u, 12'304u}) expect_exact_capacity<TypeParam>(bytes, all, TypeParam::alignment);
  for (const std::size_t bytes : {131'072u, 200'000u, 700'000u})
    expect_exact_capacity<TypeParam>(bytes, edges, TypeParam::alignment);
}

TYPED_TEST(Fronts, are_in_their_first_state_after_any_sequence_of_frees) {
  for (const std::size_t bytes : {65'536u, 300'000u, 1'048'576u})
    expect_first_state_after_any_frees<TypeParam>(bytes, TypeParam::alignment);
}

TYPED_TEST(Fronts, keep_contents_apart_under_random_requests) {
  for (const std::size_t bytes : {16'384u, 100'000u, 524'288u})
    expect_sound_under_random_requests<TypeParam>(bytes, TypeParam::alignment);
}

TYPED_TEST(Fronts, free_everything_at_a_reset) {
  const GuardedArena arena(200'000);
  TypeParam design(arena.begin(), arena.bytes());
  const std::size_t largest = design.largest_request();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (std::size_t bytes = 0; void* const block = design.allocate(bytes); bytes = (bytes * 5 + 17) % 3000)
      blocks.emplace_back(block, bytes);
    EXPECT_EQ(design.allocate(largest), nullptr);
    for (std::size_t i = 0; i < blocks.size(); i += 3) free_in(design, blocks[i].first, blocks[i].second);
    design.reset();
    void* const all = design.allocate(largest);
    EXPECT_NE(all, nullptr) << "round " << round;
    free_in(design, all, largest);
  }
}

/// The free blocks, in the order of their addresses.
template <typename Design>
std::vector<std::pair<std::size_t, std::size_t>> free_blocks(const Design& design, const GuardedArena& arena) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  design.for_each_free([&](const void* block, std::size_t bytes) {
    all.emplace_back(static_cast<std::size_t>(static_cast<const std::byte*>(block) - arena.begin()), bytes);
  });
  std::sort(all.begin(), all.end());
  return all;
}

template <typename Design>
class FrontsOfBuddies : public testing::Test {};
using OfBuddies = testing::Types<MagazinesByPointer, MagazinesBySize, ClassesByPointer, ClassesBySize>;
TYPED_TEST_SUITE(FrontsOfBuddies, OfBuddies, Names);

TYPED_TEST(FrontsOfBuddies, are_flushed_when_the_last_block_is_freed) {
  const GuardedArena arena(500'000);
  TypeParam design(arena.begin(), arena.bytes());
  const auto first = free_blocks(design, arena);
  std::mt19937_64 random(3);
  for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 200u}) {
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bytes = random() % 1500;
      blocks.emplace_back(design.allocate(bytes), bytes);
    }
    std::shuffle(blocks.begin(), blocks.end(), random);
    while (!blocks.empty()) {
      EXPECT_NE(free_blocks(design, arena), first);
      free_in(design, blocks.back().first, blocks.back().second);
      blocks.pop_back();
    }
    EXPECT_EQ(free_blocks(design, arena), first) << count << " blocks";
  }
}

TYPED_TEST(FrontsOfBuddies, flush_their_magazines_before_they_refuse) {
  const GuardedArena arena(262'144);
  TypeParam design(arena.begin(), arena.bytes());
  std::vector<void*> blocks;
  while (void* const block = design.allocate(1000)) blocks.push_back(block);
  // All but the last block are free, up to 32 of them in the magazine. Behind it they merge.
  while (blocks.size() > 1) {
    free_in(design, blocks.front(), 1000);
    blocks.erase(blocks.begin());
  }
  void* const half = design.allocate(design.largest_request() / 2);
  EXPECT_NE(half, nullptr);
  free_in(design, half, design.largest_request() / 2);
  free_in(design, blocks.front(), 1000);
}

TYPED_TEST(FrontsOfBuddies, use_the_block_that_was_freed_last) {
  const GuardedArena arena(262'144);
  TypeParam design(arena.begin(), arena.bytes());
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i) blocks.push_back(design.allocate(100));
  for (int i = 0; i < 20; ++i) free_in(design, blocks[static_cast<std::size_t>(i)], 100);
  for (int i = 20; i-- > 0;) EXPECT_EQ(design.allocate(100), blocks[static_cast<std::size_t>(i)]);
}

// --- The front of size classes ---------------------------------------------------------------------------------------

TEST(SizeClassBuddy, refuses_a_buffer_without_room_for_its_tables) {
  alignas(4096) static std::byte memory[8192];
  for (const std::size_t bytes : {0u, 1u, 1000u, 1024u, 2047u})
    EXPECT_EQ(SizeClassBuddy::plan(memory, bytes).refusal.rfind("buddy allocator: ", 0), 0u) << bytes;
  EXPECT_EQ(SizeClassBuddy::plan(nullptr, 0).refusal.rfind("buddy allocator: ", 0), 0u);
  for (const std::size_t bytes : {3100u, 4096u, 8192u})
    EXPECT_EQ(SizeClassBuddy::plan(memory, bytes).refusal, "") << bytes;
}

TEST(SizeClassBuddy, works_at_every_misalignment_of_its_buffer) {
  for (std::size_t begin = 0; begin <= 70; ++begin) {
    const GuardedArena arena(20'000);
    SizeClassBuddy design(SizeClassBuddy::plan(arena.begin() + begin, arena.bytes() - begin));
    for (const std::size_t bytes : {1u, 100u, 3000u, 9000u}) {
      std::vector<std::byte*> blocks;
      while (auto* const block = static_cast<std::byte*>(design.allocate(bytes))) {
        EXPECT_GE(block, arena.begin() + begin);
        EXPECT_LE(block + bytes, arena.begin() + arena.bytes());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % design.alignment(bytes), 0u);
        std::fill_n(block, bytes, std::byte{1});
        blocks.push_back(block);
      }
      EXPECT_EQ(blocks.size(), design.capacity(bytes));
      for (std::byte* const block : blocks) design.free(block);
    }
  }
}

TEST(SizeClassBuddy, knows_the_size_of_a_live_block) {
  const GuardedArena arena(8'000'000);
  SizeClassBuddy design(SizeClassBuddy::plan(arena.begin(), arena.bytes()));
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 20'000; bytes += 1 + bytes / 3)
    blocks.emplace_back(design.allocate(bytes), bytes);
  for (const auto& [block, bytes] : blocks) {
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(design.block_bytes_of(block), design.block_bytes(bytes)) << bytes;
  }
  for (const auto& [block, bytes] : blocks) design.free(block);
}

TEST(SizeClassBuddy, takes_parts_of_spans_where_no_whole_one_is_left) {
  const GuardedArena arena(300'000);
  SizeClassBuddy design(SizeClassBuddy::plan(arena.begin(), arena.bytes()));
  std::vector<void*> large;
  while (void* const block = design.allocate(16'384)) large.push_back(block);
  design.free(large.back());
  // A span of 2048 bytes a block has 131,072 bytes; an eighth of it is left, and a few leaves.
  std::vector<void*> blocks;
  while (void* const block = design.allocate(2048)) blocks.push_back(block);
  EXPECT_GE(blocks.size(), 8u);
  for (void* const block : blocks) design.free(block, 2048);
  large.back() = design.allocate(16'384);
  EXPECT_NE(large.back(), nullptr) << "a part of a span without blocks did not go back";
  for (void* const block : large) design.free(block);
}

TEST(SizeClassBuddy, leaves_little_of_a_span_unused) {
  const GuardedArena arena(4'000'000);
  const SizeClassBuddy design(SizeClassBuddy::plan(arena.begin(), arena.bytes()));
  for (unsigned i = 0; i <= BlockSizes::of(SizeClassBuddy::kMostSmallBytes); ++i) {
    const std::size_t bytes = BlockSizes::bytes(i);
    EXPECT_EQ(design.block_bytes(bytes), bytes);
    EXPECT_GT(design.capacity(bytes) * bytes, std::size_t{3'800'000}) << bytes;
  }
}

TEST(ClassLists, serve_a_class_with_its_own_freed_blocks_alone) {
  alignas(16) std::byte memory[256];
  ClassLists lists(memory, sizeof memory);
  void* const kept = lists.allocate(16);
  void* const small = lists.allocate(40);
  lists.free(small, 40);
  EXPECT_EQ(lists.allocate(64), memory + 64) << "48 bytes are too few";
  EXPECT_EQ(lists.allocate(33), small);
  EXPECT_EQ(lists.used(), 128u);
  EXPECT_EQ(lists.allocate(129), nullptr);
  EXPECT_EQ(lists.allocate(128), memory + 128);
  lists.free(kept, 16);
}

}  // namespace
}  // namespace lab::designs
