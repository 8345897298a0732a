/// What every allocator over one arena keeps, against a model that knows only which bytes are live. The design frees by
/// pointer or with the size, and has largest_request() and capacity().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lab::designs {

/// Memory aligned to a page, between guards that its destructor checks.
class GuardedArena {
 public:
  explicit GuardedArena(std::size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(std::aligned_alloc(kGuard, (bytes + 3 * kGuard - 1) / kGuard * kGuard)),
                &std::free) {
    std::memset(memory_.get(), kPattern, kGuard);
    std::memset(begin() + bytes_, kPattern, kGuard);
  }
  ~GuardedArena() {
    for (std::size_t at = 0; at < kGuard; ++at) {
      EXPECT_EQ(memory_.get()[at], std::byte{kPattern}) << "written " << kGuard - at << " bytes before the arena";
      EXPECT_EQ(begin()[bytes_ + at], std::byte{kPattern}) << "written " << at << " bytes behind the arena";
      if (testing::Test::HasFailure()) return;
    }
  }
  GuardedArena(const GuardedArena&) = delete;
  GuardedArena& operator=(const GuardedArena&) = delete;

  std::byte* begin() const { return memory_.get() + kGuard; }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kGuard = 4096;
  static constexpr int kPattern = 0x5a;
  std::size_t bytes_;
  std::unique_ptr<std::byte, void (*)(void*)> memory_;
};

template <typename Design>
void free_in(Design& design, void* block, std::size_t bytes) {
  if constexpr (requires { design.free(block, bytes); })
    design.free(block, bytes);
  else
    design.free(block);
}

template <typename Design>
class ArenaModel {
 public:
  explicit ArenaModel(const GuardedArena& arena) : arena_(arena), design_(arena.begin(), arena.bytes()) {}

  Design& design() { return design_; }
  std::size_t live() const { return live_.size(); }

  /// Whether it succeeded. The block is filled to its last requested byte.
  bool allocate(std::size_t bytes, std::size_t alignment) {
    auto* const block = static_cast<std::byte*>(design_.allocate(bytes));
    if (block == nullptr) return false;
    const std::size_t taken = std::max<std::size_t>(bytes, 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u) << bytes << " bytes";
    EXPECT_GE(block, arena_.begin());
    EXPECT_LE(block + taken, arena_.begin() + arena_.bytes());
    const auto behind = by_address_.lower_bound(block);
    if (behind != by_address_.end()) {
      EXPECT_LE(block + taken, behind->first) << "overlaps the block behind";
    }
    if (behind != by_address_.begin()) {
      EXPECT_LE(std::prev(behind)->second, block) << "overlaps the block before";
    }
    by_address_[block] = block + taken;
    const auto pattern = static_cast<unsigned char>(++patterns_ * 37);
    std::memset(block, pattern, bytes);
    live_.push_back({block, bytes, pattern});
    return !testing::Test::HasFailure();
  }

  void free(std::size_t index) {
    std::swap(live_[index], live_.back());
    const Block block = live_.back();
    live_.pop_back();
    by_address_.erase(block.begin);
    for (std::size_t at = 0; at < block.bytes; ++at)
      ASSERT_EQ(block.begin[at], std::byte{block.pattern}) << "byte " << at << " of " << block.bytes;
    free_in(design_, block.begin, block.bytes);
    free_in(design_, nullptr, block.bytes);
  }

  void free_all(std::mt19937_64& random) {
    while (!live_.empty() && !testing::Test::HasFatalFailure()) free(random() % live_.size());
  }

 private:
  struct Block {
    std::byte* begin;
    std::size_t bytes;
    unsigned char pattern;
  };

  const GuardedArena& arena_;
  Design design_;
  std::vector<Block> live_;
  std::map<std::byte*, std::byte*> by_address_;  // end by beginning
  unsigned patterns_ = 0;
};

using AlignmentOf = std::function<std::size_t(std::size_t bytes)>;

/// The largest request succeeds and one more byte does not; a request beyond every limit fails and changes nothing.
template <typename Design>
void expect_exact_limits(std::size_t arena_bytes, const AlignmentOf& alignment) {
  const GuardedArena arena(arena_bytes);
  ArenaModel<Design> model(arena);
  const std::size_t largest = model.design().largest_request();
  ASSERT_LE(largest, arena_bytes);
  std::mt19937_64 random(7);
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t bytes :
         {largest + 1, largest + 15, largest + 16, largest + 4096, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 4096,
          SIZE_MAX - 31, SIZE_MAX - 16, SIZE_MAX - 15, SIZE_MAX - 1, SIZE_MAX})
      ASSERT_FALSE(model.allocate(bytes, 1)) << bytes << " of " << arena_bytes;
    if (largest == 0) {
      ASSERT_FALSE(model.allocate(0, 1)) << arena_bytes;
      ASSERT_FALSE(model.allocate(1, 1)) << arena_bytes;
      continue;
    }
    ASSERT_TRUE(model.allocate(largest, alignment(largest))) << largest << " of " << arena_bytes;
    ASSERT_FALSE(model.allocate(largest, 1));
    model.free_all(random);
  }
}

/// capacity(bytes) requests succeed and no more, and after any order of frees as many again.
template <typename Design>
void expect_exact_capacity(std::size_t arena_bytes, const std::vector<std::size_t>& sizes,
                           const AlignmentOf& alignment) {
  const GuardedArena arena(arena_bytes);
  ArenaModel<Design> model(arena);
  std::mt19937_64 random(arena_bytes);
  for (const std::size_t bytes : sizes) {
    const std::size_t capacity = model.design().capacity(bytes);
    if (bytes > model.design().largest_request()) {
      ASSERT_EQ(capacity, 0u);
    }
    for (std::size_t served = 0; served < capacity; ++served)
      ASSERT_TRUE(model.allocate(bytes, alignment(bytes)))
          << "request " << served << " of " << capacity << " for " << bytes << " bytes of " << arena_bytes;
    ASSERT_FALSE(model.allocate(bytes, 1))
        << "more than " << capacity << " of " << bytes << " bytes in " << arena_bytes;
    model.free_all(random);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_EQ(model.design().capacity(SIZE_MAX), 0u);
}

/// Random requests until the arena is full, then frees in random order, several times. Each time the empty arena serves
/// the same requests at the same addresses.
template <typename Design>
void expect_first_state_after_any_frees(std::size_t arena_bytes, const AlignmentOf& alignment) {
  const GuardedArena arena(arena_bytes);
  ArenaModel<Design> model(arena);
  const std::size_t largest = model.design().largest_request(), seventeen = model.design().capacity(17);
  std::mt19937_64 random(11);
  std::vector<void*> first;
  for (std::uint64_t round = 0; round < 6; ++round) {
    for (int step = 0; step < 3000; ++step) {
      const std::size_t bytes = random() % (std::size_t{1} << (random() % 14));
      if (model.live() > 0 && random() % 100 < 30)
        model.free(random() % model.live());
      else
        model.allocate(bytes, alignment(bytes));
      ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step;
    }
    model.free_all(random);
    ASSERT_FALSE(testing::Test::HasFailure());
    std::vector<void*> addresses;
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (std::size_t bytes = 1; bytes < 3000; bytes = bytes * 2 + 3) {
      void* const block = model.design().allocate(bytes);
      addresses.push_back(block);
      blocks.emplace_back(block, bytes);
    }
    for (const auto& [block, bytes] : blocks) free_in(model.design(), block, bytes);
    if (round == 0) first = addresses;
    ASSERT_EQ(addresses, first) << "round " << round;
    ASSERT_EQ(model.design().largest_request(), largest);
    ASSERT_EQ(model.design().capacity(17), seventeen);
    ASSERT_TRUE(model.allocate(largest, alignment(largest)));
    model.free_all(random);
  }
}

/// Random allocations and frees around a changing load; every block keeps its contents and no two overlap.
template <typename Design>
void expect_sound_under_random_requests(std::size_t arena_bytes, const AlignmentOf& alignment) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const GuardedArena arena(arena_bytes);
    ArenaModel<Design> model(arena);
    std::mt19937_64 random(seed);
    std::size_t refused = 0;
    for (int step = 0; step < 12'000; ++step) {
      const unsigned frees = step / 1500 % 2 == 0 ? 30 : 65;
      if (model.live() > 0 && random() % 100 < frees) {
        model.free(random() % model.live());
      } else {
        const std::size_t bytes =
            random() % 20 == 0 ? random() % (arena_bytes / 4) : random() % (std::size_t{1} << (random() % 12));
        refused += !model.allocate(bytes, alignment(bytes));
      }
      ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step << " of seed " << seed;
    }
    EXPECT_GT(refused, 0u) << "the arena was never full: the test is too easy";
  }
}

}  // namespace lab::designs
