#include "variants/designs/offsets/bitmap_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "variants/designs/offsets/deferred_fit.h"

namespace lab::designs {
namespace {

using Leaf = BitmapFit::Leaf;
using Runs = std::vector<std::pair<Leaf, Leaf>>;  // first leaf, leaves

/// The bookkeeping, followed by bytes that must not change.
class Metadata {
 public:
  explicit Metadata(std::size_t leaves)
      : bytes_(BitmapFit::metadata_bytes(leaves)), memory_(std::make_unique<std::uint64_t[]>(bytes_ / 8 + 2)) {
    canary() = kCanary;
  }
  ~Metadata() { EXPECT_EQ(canary(), kCanary); }
  void* begin() { return memory_.get(); }

 private:
  static constexpr std::uint64_t kCanary = 0x0123'4567'89ab'cdef;
  std::uint64_t& canary() { return memory_[(bytes_ + 7) / 8]; }
  std::size_t bytes_;
  std::unique_ptr<std::uint64_t[]> memory_;
};

/// Live blocks, and nothing else.
class Model {
 public:
  explicit Model(Leaf leaves) : leaves_(leaves) {}

  void add(Leaf first, Leaf leaves) {
    ASSERT_LE(first + leaves, leaves_);
    const auto next = blocks_.lower_bound(first);
    if (next != blocks_.end()) {
      ASSERT_LE(first + leaves, next->first);
    }
    if (next != blocks_.begin()) {
      ASSERT_LE(std::prev(next)->first + std::prev(next)->second, first);
    }
    blocks_[first] = leaves;
  }
  Leaf remove_random(std::mt19937_64& random) {
    auto block = blocks_.lower_bound(static_cast<Leaf>(random() % leaves_));
    if (block == blocks_.end()) block = blocks_.begin();
    const Leaf first = block->first;
    blocks_.erase(block);
    return first;
  }
  bool empty() const { return blocks_.empty(); }
  Leaf size_of(Leaf first) const { return blocks_.at(first); }

  Runs free_runs() const {
    Runs runs;
    Leaf at = 0;
    for (const auto& [first, leaves] : blocks_) {
      if (first > at) runs.emplace_back(at, first - at);
      at = first + leaves;
    }
    if (at < leaves_) runs.emplace_back(at, leaves_ - at);
    return runs;
  }
  Leaf largest_free() const {
    Leaf largest = 0;
    for (const auto& run : free_runs()) largest = std::max(largest, run.second);
    return largest;
  }

 private:
  Leaf leaves_;
  std::map<Leaf, Leaf> blocks_;
};

Runs free_runs(const BitmapFit& fit) {
  Runs runs;
  fit.for_each_free([&](Leaf first, Leaf leaves) { runs.emplace_back(first, leaves); });
  return runs;
}

constexpr Leaf kRanges[] = {1, 2, 63, 64, 65, 127, 128, 129, 500, 1024, 5000};

/// Mostly short, sometimes as long as several pages.
Leaf random_leaves(std::mt19937_64& random, Leaf most) {
  const Leaf bound = random() % 8 == 0 ? 300 : random() % 2 == 0 ? 64 : 8;
  return static_cast<Leaf>(1 + random() % std::min(bound, most));
}

TEST(BitmapFit, is_best_fit_refuses_only_what_no_run_holds_and_merges_at_once) {
  for (const Leaf leaves : kRanges) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Metadata metadata(leaves);
      BitmapFit fit(leaves, metadata.begin());
      Model model(leaves);
      std::mt19937_64 random(seed);
      for (int i = 0; i < 3000; ++i) {
        if (!model.empty() && random() % 100 < (i / 300 % 2 == 0 ? 40u : 60u)) {
          const Leaf first = model.remove_random(random);
          fit.free(first);
        } else {
          const Leaf wanted = random_leaves(random, leaves);
          const Leaf largest = model.largest_free();
          const Leaf first = fit.allocate(wanted);
          ASSERT_EQ(first != BitmapFit::kNone, wanted <= largest) << wanted << " of " << largest;
          if (first == BitmapFit::kNone) continue;
          model.add(first, wanted);
          ASSERT_EQ(fit.end_of(first), first + wanted);
          ASSERT_FALSE(fit.is_free_run(first));
        }
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
        ASSERT_EQ(free_runs(fit), model.free_runs()) << "leaves " << leaves << " seed " << seed << " step " << i;
        ASSERT_EQ(fit.largest_free(), model.largest_free());
        const Leaf from = static_cast<Leaf>(random() % (leaves + 1));
        const Runs runs = model.free_runs();
        const auto next = std::ranges::lower_bound(runs, from, {}, &Runs::value_type::first);
        ASSERT_EQ(fit.first_free_run(from), next == runs.end() ? BitmapFit::kNone : next->first);
      }
      while (!model.empty()) fit.free(model.remove_random(random));
      EXPECT_EQ(free_runs(fit), (Runs{{0, leaves}}));
      EXPECT_EQ(fit.allocate(leaves), 0u);
      EXPECT_EQ(fit.allocate(1), BitmapFit::kNone);
    }
  }
}

TEST(BitmapFit, takes_the_shortest_run_of_those_that_are_the_longest_of_their_pages) {
  constexpr Leaf kLeaves = 64 * 40;
  Metadata metadata(kLeaves);
  BitmapFit fit(kLeaves, metadata.begin());
  // In each page a hole of its own length, and a block behind it.
  std::vector<Leaf> holes;
  for (Leaf page = 0; page < 40; ++page) {
    holes.push_back(fit.allocate(page + 1));
    ASSERT_EQ(holes.back(), page * 64);
    ASSERT_EQ(fit.allocate(64 - (page + 1)), page * 64 + page + 1);
  }
  for (const Leaf hole : holes) fit.free(hole);
  for (const Leaf wanted : {Leaf{40}, Leaf{7}, Leaf{1}, Leaf{23}}) EXPECT_EQ(fit.allocate(wanted), (wanted - 1) * 64);
  EXPECT_EQ(fit.allocate(7), Leaf{7 * 64});  // the next longer one
  EXPECT_EQ(fit.allocate(40), BitmapFit::kNone);
}

TEST(BitmapFit, serves_exactly_as_many_blocks_of_one_size_as_fit) {
  for (const Leaf leaves : kRanges) {
    for (const Leaf each : {1u, 2u, 3u, 63u, 64u, 65u, 66u, 100u, 127u, 129u, 1000u}) {
      Metadata metadata(leaves);
      BitmapFit fit(leaves, metadata.begin());
      Leaf served = 0;
      while (fit.allocate(each) != BitmapFit::kNone) ++served;
      EXPECT_EQ(served, leaves / each) << each << " of " << leaves;
      fit.reset();
      EXPECT_EQ(free_runs(fit), (Runs{{0, leaves}}));
      EXPECT_EQ(fit.largest_free(), leaves);
    }
  }
}

TEST(BitmapFit, fits_with_its_bookkeeping_in_any_number_of_bytes) {
  for (const std::size_t leaf : {16u, 64u, 128u}) {
    for (std::size_t bytes = 0; bytes < 30'000; bytes += 37) {
      const std::size_t leaves = BitmapFit::leaves_within(bytes, leaf);
      if (leaves != 0) {
        EXPECT_LE(leaves * leaf + BitmapFit::metadata_bytes(leaves), bytes);
      }
      EXPECT_GT((leaves + 1) * leaf + BitmapFit::metadata_bytes(leaves + 1), bytes);
    }
  }
}

TEST(DeferredFit, refuses_only_what_best_fit_could_not_serve_with_everything_merged) {
  for (const Leaf leaves : kRanges) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Metadata metadata(leaves);
      DeferredFit fit(leaves, metadata.begin());
      Model model(leaves);
      std::mt19937_64 random(seed);
      for (int i = 0; i < 3000; ++i) {
        if (!model.empty() && random() % 100 < (i / 300 % 2 == 0 ? 40u : 60u)) {
          Model before = model;
          const Leaf first = model.remove_random(random);
          if (random() % 2 == 0)
            fit.free(first);
          else
            fit.free(first, before.size_of(first));
        } else {
          const Leaf wanted = random_leaves(random, leaves);
          const Leaf largest = model.largest_free();
          const Leaf first = fit.allocate(wanted);
          ASSERT_EQ(first != DeferredFit::kNone, wanted <= largest) << wanted << " of " << largest;
          if (first != DeferredFit::kNone) model.add(first, wanted);
        }
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
        std::size_t below = 0, all = 0;
        for (const auto& run : free_runs(fit.fit())) below += run.second;
        for (const auto& run : model.free_runs()) all += run.second;
        ASSERT_EQ(below + fit.waiting_leaves(), all);
        if (random() % 500 == 0) {
          fit.merge();
          ASSERT_EQ(fit.waiting_leaves(), 0u);
          ASSERT_EQ(free_runs(fit.fit()), model.free_runs());
        }
      }
      while (!model.empty()) fit.free(model.remove_random(random));
      EXPECT_EQ(fit.waiting_leaves(), 0u) << "the last free merges what waits";
      EXPECT_EQ(free_runs(fit.fit()), (Runs{{0, leaves}}));
    }
  }
}

TEST(DeferredFit, gives_a_freed_block_to_the_next_request_of_its_length) {
  Metadata metadata(4096);
  DeferredFit fit(4096, metadata.begin());
  fit.allocate(1);
  std::vector<Leaf> blocks;
  for (unsigned i = 0; i < DeferredFit::kDepth + 2; ++i) blocks.push_back(fit.allocate(5));
  for (const Leaf block : blocks) fit.free(block);
  EXPECT_EQ(fit.waiting_leaves(), 5 * DeferredFit::kDepth);  // the stack was full for the last two
  for (unsigned i = DeferredFit::kDepth; i-- > 0;) EXPECT_EQ(fit.allocate(5), blocks[i]);
  const Leaf longer = fit.allocate(DeferredFit::kLongest + 1);
  fit.free(longer);
  EXPECT_EQ(fit.waiting_leaves(), 0u);
  fit.reset();
  EXPECT_EQ(free_runs(fit.fit()), (Runs{{0, 4096}}));
}

}  // namespace
}  // namespace lab::designs
