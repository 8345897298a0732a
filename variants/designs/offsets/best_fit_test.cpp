#include "variants/designs/offsets/best_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace lab::designs {
namespace {

using Offset = std::uint64_t;
constexpr std::uint64_t kHuge = ~std::uint64_t{0};

/// "0+64u 64+32f": offset, bytes, used or free.
std::string picture(const BestFit& ranges) {
  std::string text;
  ranges.for_each([&](const OffsetRange& range) {
    text += (text.empty() ? "" : " ") + std::to_string(range.offset) + "+" + std::to_string(range.bytes) +
            (range.used ? "u" : "f");
  });
  return text;
}

TEST(BestFit, serves_a_request_of_the_whole_range) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1000}, kHuge / 2})
    for (const std::uint64_t block :
         {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{4096}, std::uint64_t{1} << 32}) {
      BestFit ranges(bytes, block);
      ASSERT_EQ(ranges.allocate(bytes).offset, 0u) << bytes << " in blocks of " << block;
      EXPECT_EQ(ranges.free_bytes(), 0u);
      EXPECT_EQ(ranges.largest_free(), 0u);
      EXPECT_EQ(ranges.allocate(0).offset, BestFit::kNone);
      ranges.free(ranges.used_at(0));
      EXPECT_EQ(ranges.largest_free(), bytes);
      if (bytes < kHuge / 2) {
        EXPECT_EQ(ranges.allocate(bytes + 1).offset, BestFit::kNone);
      }
      EXPECT_EQ(ranges.allocate(kHuge).offset, BestFit::kNone);
    }
  EXPECT_FALSE(BestFit(0, 16).allocate(0).served());
}

TEST(BestFit, rounds_to_whole_blocks_except_at_a_short_end) {
  BestFit ranges(100, 32);
  EXPECT_EQ(ranges.free_tail_bytes(), 4u);
  EXPECT_EQ(ranges.allocate(0).offset, 0u);
  EXPECT_EQ(ranges.allocate(33).offset, 32u);
  EXPECT_EQ(ranges.allocate(5).offset, BestFit::kNone);
  EXPECT_EQ(ranges.free_tail_bytes(), 4u);
  EXPECT_EQ(ranges.allocate(4).offset, 96u);
  EXPECT_EQ(ranges.free_tail_bytes(), 0u);
  EXPECT_EQ(picture(ranges), "0+32u 32+64u 96+4u");
  EXPECT_EQ(ranges.requested_bytes(), 1u + 33u + 4u);
  EXPECT_EQ(ranges.used_bytes(), 100u);
  EXPECT_EQ(ranges.range_of(ranges.used_at(32).token), (OffsetRange{32, 64, 33, true}));
  EXPECT_FALSE(ranges.used_at(64).served());
}

TEST(BestFit, takes_the_smallest_space_that_holds_a_request_and_of_equal_ones_the_one_freed_last) {
  BestFit ranges(16 * 20, 16);
  // Free spaces of 3, 2, 4 and 2 blocks, apart from each other.
  std::vector<Offset> at;
  for (const unsigned blocks : {3u, 1u, 2u, 1u, 4u, 1u, 2u, 1u, 5u}) at.push_back(ranges.allocate(16 * blocks).offset);
  for (const std::size_t i : {0u, 2u, 4u, 6u}) ranges.free(ranges.used_at(at[i]));
  EXPECT_EQ(picture(ranges), "0+48f 48+16u 64+32f 96+16u 112+64f 176+16u 192+32f 224+16u 240+80u");
  EXPECT_EQ(ranges.largest_free(), 64u);
  EXPECT_EQ(ranges.free_count(), 4u);
  EXPECT_DOUBLE_EQ(fragmentation(ranges.largest_free(), ranges.free_bytes()), 1 - 64.0 / 176);
  EXPECT_EQ(ranges.range_of(ranges.lowest_fit(32)).offset, 0u);
  EXPECT_EQ(ranges.range_of(ranges.smallest_fit(32)).offset, 192u);
  EXPECT_EQ(ranges.allocate(32).offset, 192u);
  EXPECT_EQ(ranges.allocate(20).offset, 64u);
  EXPECT_EQ(ranges.allocate(20).offset, 0u);
  EXPECT_EQ(ranges.range_of(ranges.lowest_fit(17)).offset, 112u);
}

TEST(BestFit, merges_a_freed_range_with_the_free_spaces_on_both_sides) {
  // Every order in which five ranges can be freed ends with one space.
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  do {
    BestFit ranges(5 * 8 + 3, 8);
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(ranges.allocate(8).offset, 8 * i);
    for (const std::size_t i : order) ranges.free(ranges.used_at(8 * i));
    EXPECT_EQ(picture(ranges), "0+43f");
    EXPECT_EQ(ranges.used_count(), 0u);
    EXPECT_EQ(fragmentation(ranges.largest_free(), ranges.free_bytes()), 0);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(BestFit, finds_only_what_it_handed_out_and_takes_only_what_is_free) {
  BestFit ranges(100, 16);
  EXPECT_EQ(ranges.allocate(40).offset, 0u);
  for (const Offset wrong : {Offset{1}, Offset{16}, Offset{48}, Offset{100}, BestFit::kNone})
    EXPECT_FALSE(ranges.used_at(wrong).served()) << wrong;
  for (const auto& [offset, bytes] : {std::pair<Offset, std::uint64_t>{0, 1},
                                      {32, 1},
                                      {50, 1},
                                      {48, 53},
                                      {48, kHuge},
                                      {96, 5},
                                      {112, 1},
                                      {BestFit::kNone - 15, 16}})
    EXPECT_FALSE(ranges.allocate_at(offset, bytes).served()) << offset << ", " << bytes;
  EXPECT_EQ(picture(ranges), "0+48u 48+52f");
  EXPECT_EQ(ranges.allocate_at(64, 16).offset, 64u);
  EXPECT_EQ(ranges.allocate_at(96, 4).offset, 96u);
  EXPECT_EQ(picture(ranges), "0+48u 48+16f 64+16u 80+16f 96+4u");
  ranges.free(ranges.used_at(0));
  EXPECT_FALSE(ranges.used_at(0).served());
}

TEST(BestFit, copies_do_not_share_their_state) {
  BestFit ranges(64, 16);
  EXPECT_EQ(ranges.allocate(16).offset, 0u);
  BestFit copy = ranges;
  EXPECT_EQ(copy.allocate(16).offset, 16u);
  copy.free(copy.used_at(0));
  EXPECT_EQ(picture(ranges), "0+16u 16+48f");
  EXPECT_EQ(picture(copy), "0+16f 16+16u 32+32f");
}

/// One byte of bookkeeping for each byte of the range; every search reads all of it.
class Model {
 public:
  Model(std::uint64_t bytes, std::uint64_t block) : block_(block), used_(bytes) {}

  /// Size of the smallest space that holds the request; kHuge: none.
  std::uint64_t best_fit(std::uint64_t bytes) const {
    std::uint64_t best = kHuge;
    for (const auto& [offset, space] : spaces())
      if (space >= std::max<std::uint64_t>(bytes, 1)) best = std::min(best, space);
    return best;
  }
  /// Takes the request's place, which begins a space.
  void allocate(std::uint64_t bytes, Offset offset) {
    const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + block_ - 1) / block_ * block_;
    const std::uint64_t taken = std::min(whole, spaces().at(offset));
    std::fill_n(used_.begin() + static_cast<std::ptrdiff_t>(offset), taken, true);
    live_[offset] = taken;
  }
  void free(Offset offset) {
    std::fill_n(used_.begin() + static_cast<std::ptrdiff_t>(offset), live_.at(offset), false);
    live_.erase(offset);
  }
  std::map<Offset, std::uint64_t> spaces() const {
    std::map<Offset, std::uint64_t> spaces;
    for (Offset at = 0; at < used_.size(); ++at)
      if (!used_[at]) {
        const Offset begin = at;
        while (at < used_.size() && !used_[at]) ++at;
        spaces[begin] = at - begin;
      }
    return spaces;
  }
  const std::map<Offset, std::uint64_t>& live() const { return live_; }

 private:
  std::uint64_t block_;
  std::vector<bool> used_;
  std::map<Offset, std::uint64_t> live_;
};

void expect_equal_state(const BestFit& ranges, const Model& model) {
  std::map<Offset, std::uint64_t> used, spaces;
  Offset end = 0;
  std::uint64_t largest = 0, free = 0;
  ranges.for_each([&](const OffsetRange& range) {
    ASSERT_EQ(range.offset, end) << "a gap or an overlap";
    end = range.end();
    (range.used ? used : spaces)[range.offset] = range.bytes;
    if (!range.used) {
      largest = std::max(largest, range.bytes);
      free += range.bytes;
    }
  });
  ASSERT_EQ(end, ranges.capacity());
  ASSERT_EQ(used, model.live());
  ASSERT_EQ(spaces, model.spaces());
  ASSERT_EQ(ranges.largest_free(), largest);
  ASSERT_EQ(ranges.free_bytes(), free);
  ASSERT_EQ(ranges.used_count(), used.size());
  ASSERT_EQ(ranges.free_count(), spaces.size());
}

TEST(BestFit, behaves_as_the_model_for_random_requests) {
  for (const auto& [bytes, block, seed] :
       {std::tuple{1000u, 1u, 1u}, {1000u, 16u, 2u}, {1024u, 16u, 3u}, {999u, 64u, 4u}, {50u, 64u, 5u}}) {
    BestFit ranges(bytes, block);
    Model model(bytes, block);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 2000; ++i) {
      if (!model.live().empty() && random() % 100 < (i / 200 % 2 ? 60u : 40u)) {
        const Offset offset =
            std::next(model.live().begin(), static_cast<std::ptrdiff_t>(random() % model.live().size()))->first;
        model.free(offset);
        ranges.free(ranges.used_at(offset));
      } else {
        const std::uint64_t wanted = random() % (std::uint64_t{2} << random() % 9);
        const std::uint64_t best = model.best_fit(wanted);
        const Suballocation taken = ranges.allocate(wanted);
        ASSERT_EQ(taken.served(), best != kHuge) << "request " << i << " of " << wanted;
        if (taken.served()) {
          ASSERT_EQ(model.spaces().at(taken.offset), best) << "request " << i << " of " << wanted;
          model.allocate(wanted, taken.offset);
        }
      }
      expect_equal_state(ranges, model);
      if (testing::Test::HasFatalFailure()) FAIL() << "request " << i << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lab::designs
