#include "variants/designs/addresses/relocatable.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace lab::designs {
namespace {

using Handle = Relocatable::Handle;

struct Memory {
  explicit Memory(std::size_t bytes)
      : begin(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 8191) & ~std::size_t{4095})), &std::free),
        end(begin.get() + bytes) {
    std::memset(end, 0x5a, 64);
  }
  ~Memory() {
    for (int i = 0; i < 64; ++i) EXPECT_EQ(end[i], std::byte{0x5a});
  }
  std::unique_ptr<std::byte, void (*)(void*)> begin;
  std::byte* end;
};

/// Live blocks with contents of their own. Wherever a block is, it has them.
class Model {
 public:
  explicit Model(Relocatable& heap) : heap_(heap) {}

  bool allocate(std::size_t bytes) {
    const Handle handle = heap_.allocate(bytes);
    if (handle == Relocatable::kNone) return false;
    EXPECT_FALSE(live_.contains(handle));
    live_[handle] = {bytes, ++patterns_};
    leaves_ += Relocatable::block_bytes(bytes) / Relocatable::kLeafBytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap_.address(handle)) % Relocatable::kHeaderBytes, 0u);
    std::memset(heap_.address(handle), patterns_, bytes);
    return true;
  }
  void free_random(std::mt19937_64& random) {
    auto at = live_.begin();
    std::advance(at, random() % live_.size());
    check(at->first, at->second);
    leaves_ -= Relocatable::block_bytes(at->second.bytes) / Relocatable::kLeafBytes;
    heap_.free(at->first);
    live_.erase(at);
  }
  void check_all() const {
    for (const auto& [handle, block] : live_) check(handle, block);
  }
  bool empty() const { return live_.empty(); }
  std::size_t leaves() const { return leaves_; }

 private:
  struct Block {
    std::size_t bytes;
    unsigned char pattern;
  };
  void check(Handle handle, const Block& block) const {
    const auto* const begin = static_cast<const unsigned char*>(heap_.address(handle));
    EXPECT_EQ(std::string(begin, begin + block.bytes), std::string(block.bytes, static_cast<char>(block.pattern)));
  }

  Relocatable& heap_;
  std::map<Handle, Block> live_;
  std::size_t leaves_ = 0;
  unsigned char patterns_ = 0;
};

constexpr std::size_t kSizes[] = {4096, 20'000, 100'000, 300'000};

TEST(Relocatable, keeps_contents_wherever_blocks_move_and_moves_no_more_than_stated) {
  for (const std::size_t bytes : kSizes) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Memory memory(bytes);
      Relocatable heap(memory.begin.get(), bytes);
      Model model(heap);
      std::mt19937_64 random(seed);
      std::size_t refused = 0;
      for (int i = 0; i < 2000; ++i) {
        if (!model.empty() && random() % 100 < (i / 200 % 2 == 0 ? 35u : 55u)) {
          model.free_random(random);
        } else {
          const std::size_t size = random() % (random() % 8 == 0 ? bytes / 4 : 600);
          const std::size_t before = heap.moved_bytes();
          refused += model.allocate(size) ? 0 : 1;
          ASSERT_LE(heap.moved_bytes() - before, Relocatable::kMovedBytes + Relocatable::kMovedPerByte * size);
        }
        if (random() % 50 == 0) {
          const std::size_t most = random() % 3000, before = heap.moved_bytes();
          const std::size_t moved = heap.compact(most);
          ASSERT_LE(moved, most);
          ASSERT_EQ(heap.moved_bytes() - before, moved);
        }
        if (i % 20 == 0) model.check_all();
        std::size_t free = 0;
        heap.fit().for_each_free([&](auto, auto leaves) { free += leaves; });
        ASSERT_EQ(free + model.leaves(), heap.fit().leaves());
        ASSERT_FALSE(::testing::Test::HasFailure()) << "bytes " << bytes << " seed " << seed << " step " << i;
      }
      EXPECT_GT(refused, 0u);
      EXPECT_GT(heap.moved_blocks(), 0u);
      while (!model.empty()) model.free_random(random);
      EXPECT_EQ(heap.fit().largest_free(), heap.fit().leaves());
      EXPECT_NE(heap.allocate(heap.largest_request()), Relocatable::kNone);
    }
  }
}

TEST(Relocatable, refuses_nothing_that_is_free_if_the_bound_covers_the_whole_heap) {
  constexpr std::size_t kBytes = 60'000;  // less than a call may move
  static_assert(kBytes < Relocatable::kMovedBytes);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Memory memory(kBytes);
    Relocatable heap(memory.begin.get(), kBytes);
    Model model(heap);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 1500; ++i) {
      if (!model.empty() && random() % 2 == 0) {
        model.free_random(random);
        continue;
      }
      const std::size_t size = random() % 4000;
      const std::size_t free = heap.fit().leaves() - model.leaves();
      const bool fits = Relocatable::block_bytes(size) / Relocatable::kLeafBytes <= free;
      ASSERT_EQ(model.allocate(size), fits) << "seed " << seed << " step " << i;
    }
    model.check_all();
  }
}

TEST(Relocatable, makes_room_behind_a_block_that_is_too_large_to_move) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  Memory memory(kBytes);
  Relocatable heap(memory.begin.get(), kBytes);
  const Handle first = heap.allocate(1), large = heap.allocate(kBytes / 2);
  std::vector<Handle> small;
  while (const Handle handle = heap.allocate(1)) small.push_back(handle);
  heap.free(first);
  for (std::size_t i = 0; i < small.size(); i += 2) heap.free(small[i]);
  const void* const place = heap.address(large);
  for (int i = 0; i < 100; ++i) EXPECT_NE(heap.allocate(3 * Relocatable::kLeafBytes), Relocatable::kNone) << i;
  EXPECT_EQ(heap.address(large), place);
}

TEST(Relocatable, compacts_to_one_free_run_at_the_end) {
  Memory memory(100'000);
  Relocatable heap(memory.begin.get(), 100'000);
  Model model(heap);
  std::mt19937_64 random(1);
  while (model.allocate(random() % 1000)) {
  }
  for (int i = 0; i < 60; ++i) model.free_random(random);
  while (heap.compact(4000) != 0) {
  }
  EXPECT_EQ(heap.fit().first_free_run(0), model.leaves());
  EXPECT_EQ(heap.fit().largest_free(), heap.fit().leaves() - model.leaves());
  model.check_all();
  EXPECT_EQ(heap.compact(1 << 30), 0u);
}

TEST(Relocatable, states_its_capacity_and_largest_request_exactly) {
  for (const std::size_t bytes : kSizes) {
    Memory memory(bytes);
    Relocatable heap(memory.begin.get(), bytes);
    const std::size_t most = heap.largest_request();
    for (std::size_t size = 0; size <= most; size += 1 + size / 3) {
      std::vector<Handle> handles;
      while (const Handle handle = heap.allocate(size)) handles.push_back(handle);
      EXPECT_EQ(handles.size(), heap.capacity(size)) << size << " of " << bytes;
      for (const Handle handle : handles) heap.free(handle);
    }
    EXPECT_EQ(heap.capacity(most), 1u);
    EXPECT_EQ(heap.capacity(most + 1), 0u);
    for (const std::size_t size : {most + 1, SIZE_MAX - 16, SIZE_MAX})
      EXPECT_EQ(heap.allocate(size), Relocatable::kNone);
    heap.free(Relocatable::kNone);
    EXPECT_NE(heap.allocate(most), Relocatable::kNone);
  }
}

TEST(Relocatable, uses_handles_again) {
  Memory memory(20'000);
  Relocatable heap(memory.begin.get(), 20'000);
  const Handle first = heap.allocate(1), second = heap.allocate(1);
  heap.free(first);
  EXPECT_EQ(heap.allocate(1), first);
  EXPECT_NE(first, second);
  heap.free(second);
  const std::size_t allocated = heap.allocated_bytes();
  for (int i = 0; i < 1000; ++i) heap.free(heap.allocate(1));
  EXPECT_EQ(heap.allocated_bytes(), allocated);
}

TEST(Relocatable, has_two_tables_of_handles_while_it_grows) {
  Memory memory(20'000);
  Relocatable heap(memory.begin.get(), 20'000);
  EXPECT_EQ(heap.most_allocated_bytes(), 0u);
  std::size_t before = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t table = heap.allocated_bytes();
    heap.allocate(1);
    if (heap.allocated_bytes() != table) before = table;
    EXPECT_EQ(heap.most_allocated_bytes(), before + heap.allocated_bytes());
  }
  EXPECT_EQ(heap.allocated_bytes(), 128 * sizeof(Handle));
  EXPECT_EQ(heap.metadata_bytes(), BitmapFit::metadata_bytes(heap.fit().leaves()) + 100 * Relocatable::kHeaderBytes);
}

}  // namespace
}  // namespace lab::designs
