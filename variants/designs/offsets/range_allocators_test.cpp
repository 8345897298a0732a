#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "variants/designs/offsets/best_fit.h"
#include "variants/designs/offsets/deferred_ranges.h"
#include "variants/designs/offsets/first_fit.h"
#include "variants/designs/offsets/float_bins.h"
#include "variants/designs/offsets/range_buddy.h"
#include "variants/designs/offsets/range_model_test.h"
#include "variants/designs/offsets/size_bins.h"
#include "variants/designs/offsets/tlsf.h"
#include "variants/designs/offsets/unmerged_fit.h"

namespace lab::designs {

template <>
struct RangePromises<BestFit> : RangePromises<void> {
  static constexpr bool kFindsAnyAligned = true;
};
template <>
struct RangePromises<FirstFit> : RangePromises<void> {
  static constexpr bool kFindsAnyAligned = true;
};
template <>
struct RangePromises<DeferredRanges> : RangePromises<void> {
  static constexpr bool kFindsAnyAligned = true;
};
template <>
struct RangePromises<UnmergedFit> : RangePromises<void> {
  static constexpr bool kMergesAll = false;
  static constexpr bool kFindsAnyAligned = true;
};
template <>
struct RangePromises<RangeBuddy> : RangePromises<void> {
  static constexpr bool kMergesAll = false;
  static constexpr bool kServesCapacity = false;
};

namespace {

template <typename R>
class RangeAllocators : public testing::Test {};

using All = testing::Types<BestFit, FirstFit, OffsetTlsf, FloatBins, RangeBuddy, DeferredRanges, UnmergedFit>;

class Names {
 public:
  template <typename R>
  static std::string GetName(int index) {
    constexpr const char* kNames[] = {"best_fit",    "first_fit",       "tlsf",        "float_bins",
                                      "range_buddy", "deferred_ranges", "unmerged_fit"};
    return kNames[index];
  }
};
TYPED_TEST_SUITE(RangeAllocators, All, Names);

constexpr std::uint64_t kBlocks[] = {1, 256, 65'536};

TYPED_TEST(RangeAllocators, serve_their_largest_request_and_not_a_byte_more) {
  for (const std::uint64_t block : kBlocks) {
    std::vector<std::uint64_t> capacities{0, 1, 64'000'000, std::uint64_t{1} << 40, (std::uint64_t{1} << 47) - 1};
    for (const std::uint64_t blocks : {1u, 2u, 3u, 17u, 1000u, 1024u, 65'535u})
      for (const std::uint64_t rest : {std::uint64_t{0}, std::uint64_t{1}, block / 2, block - 1})
        capacities.push_back(blocks * block + rest);
    for (const std::uint64_t capacity : capacities) {
      expect_range_limits<TypeParam>(capacity, block);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(RangeAllocators, keep_parts_apart_under_random_requests) {
  for (const std::uint64_t block : kBlocks)
    for (const std::uint64_t capacity : {block, 100 * block + block / 3, 1024 * block, 4095 * block + block - 1})
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        expect_sound_range<TypeParam>(capacity, block, seed);
        if (this->HasFailure()) return;
      }
}

TYPED_TEST(RangeAllocators, merge_in_every_order_of_frees) {
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  do {
    TypeParam design(5 * 256 + 100, 256);
    const std::string first = picture(design);
    std::vector<Suballocation> parts;
    for (std::size_t i = 0; i < order.size(); ++i) {
      parts.push_back(design.allocate(200, 1));
      ASSERT_TRUE(parts.back().served());
    }
    for (const std::size_t i : order) design.free(parts[i]);
    ASSERT_EQ(picture(design), first);
    EXPECT_EQ(design.used_bytes(), 0u);
  } while (std::next_permutation(order.begin(), order.end()));
}

// --- What each design promises beyond that ---------------------------------------------------------------------------

/// A range of blocks of 16 in which parts of these numbers of blocks are used, and every second one is freed.
template <typename R>
std::vector<Suballocation> every_second_freed(R& design, const std::vector<std::uint64_t>& blocks) {
  std::vector<Suballocation> parts;
  for (const std::uint64_t each : blocks) parts.push_back(design.allocate(16 * each, 1));
  for (std::size_t i = 0; i < parts.size(); i += 2) design.free(parts[i]);
  return parts;
}

TEST(FirstFit, takes_the_lowest_space_that_holds_a_request) {
  FirstFit ranges(16 * 20, 16);
  every_second_freed(ranges, {3, 1, 2, 1, 4, 1, 2, 1});
  ASSERT_EQ(picture(ranges), "0+48f 48+16u 64+32f 96+16u 112+64f 176+16u 192+32f 224+16u 240+80f");
  EXPECT_EQ(ranges.allocate(33, 1).offset, 0u);
  EXPECT_EQ(ranges.allocate(33, 1).offset, 112u);
  EXPECT_EQ(ranges.allocate(20, 1).offset, 64u);
  EXPECT_EQ(ranges.allocate(64, 1).offset, 240u);
}

TEST(FirstFit, keeps_the_gap_before_an_aligned_part_as_a_free_space) {
  FirstFit ranges(16 * 20, 16);
  const Suballocation first = ranges.allocate(16, 1);
  const Suballocation aligned = ranges.allocate(40, 128);
  EXPECT_EQ(picture(ranges), "0+16u 16+112f 128+48u 176+144f");
  EXPECT_EQ(ranges.allocate(100, 16).offset, 16u);
  ranges.free(aligned);
  ranges.free(first);
  EXPECT_EQ(picture(ranges), "0+16f 16+112u 128+192f");
}

TEST(OffsetTlsf, takes_a_space_of_the_next_list_and_keeps_gaps_free) {
  OffsetTlsf ranges(4096, 1);
  const Suballocation parts[] = {ranges.allocate(100, 1), ranges.allocate(1, 1), ranges.allocate(102, 1),
                                 ranges.allocate(1, 1)};
  ranges.free(parts[0]);
  ranges.free(parts[2]);
  EXPECT_EQ(ranges.allocate(99, 1).offset, 0u);  // lists are two wide here: 100 is in the list from 100 on
  EXPECT_EQ(ranges.allocate(101, 1).offset, 101u);
  EXPECT_EQ(ranges.allocate(10, 1024).offset, 1024u);
  EXPECT_EQ(picture(ranges), "0+99u 99+1f 100+1u 101+101u 202+1f 203+1u 204+820f 1024+10u 1034+3062f");
}

TEST(OffsetTlsf, searches_its_own_list_if_no_larger_one_has_a_space) {
  OffsetTlsf ranges(1000, 1);
  EXPECT_EQ(ranges.allocate(1000, 1).offset, 0u);  // the list begins with 992
  EXPECT_FALSE(ranges.allocate(1, 1).served());
}

TEST(FloatBins, passes_over_a_space_of_the_requests_own_bin_if_another_one_has_any) {
  FloatBins ranges(4096, 1);
  const Suballocation parts[] = {ranges.allocate(71, 1), ranges.allocate(1, 1)};
  ranges.free(parts[0]);
  EXPECT_EQ(ranges.allocate(65, 1).offset, 72u);  // the bin of 64 to 71
  EXPECT_EQ(ranges.allocate(64, 1).offset, 0u);
}

TEST(FloatBins, keeps_the_gap_before_an_aligned_part) {
  FloatBins ranges(4096, 16);
  const Suballocation first = ranges.allocate(1, 16);
  const Suballocation aligned = ranges.allocate(10, 64);
  EXPECT_EQ(aligned.offset, 64u);
  EXPECT_EQ(picture(ranges), "0+16u 16+64u 80+4016f");
  EXPECT_EQ(ranges.requested_bytes(), 11u);
  ranges.free(aligned);
  ranges.free(first);
  EXPECT_EQ(picture(ranges), "0+4096f");
}

TEST(RangeBuddy, has_every_block_at_a_multiple_of_its_size) {
  RangeBuddy ranges(3 * 1024 + 256 + 100, 256);
  EXPECT_EQ(picture(ranges), "0+2048f 2048+1024f 3072+256f 3328+100f");
  EXPECT_EQ(ranges.allocate(1, 1024).offset, 2048u);
  EXPECT_EQ(ranges.allocate(257, 256).offset % 512, 0u);
  EXPECT_EQ(ranges.allocate(513, 256).offset % 1024, 0u);
  EXPECT_EQ(ranges.allocate(1, 1).offset, 3072u);
  EXPECT_EQ(ranges.used_bytes(), 1024u + 512u + 1024u + 256u);
  EXPECT_EQ(ranges.requested_bytes(), 1u + 257u + 513u + 1u);
  EXPECT_FALSE(ranges.allocate(1, 2048).served());
}

TEST(UnmergedFit, keeps_spaces_apart_until_all_is_free) {
  UnmergedFit apart(16 * 10, 16);
  BestFit merging(16 * 10, 16);
  const auto cut = [](auto& ranges) {
    const Suballocation first = ranges.allocate(32), second = ranges.allocate(48), last = ranges.allocate(16);
    ranges.free(first);
    ranges.free(second);
    return last;
  };
  const Suballocation last = cut(apart);
  cut(merging);
  EXPECT_EQ(picture(apart), "0+32f 32+48f 80+16u 96+64f");
  EXPECT_EQ(picture(merging), "0+80f 80+16u 96+64f");
  EXPECT_FALSE(apart.allocate(80).served());
  EXPECT_TRUE(merging.allocate(80).served());
  apart.free(last);
  EXPECT_EQ(picture(apart), "0+160f");
}

TEST(DeferredRanges, serves_a_request_from_the_part_of_its_class_that_was_freed_last) {
  DeferredRanges ranges(16 * 100, 16);
  std::vector<Suballocation> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(ranges.allocate(30, 1));
  ranges.free(parts[0]);
  ranges.free(parts[2]);
  EXPECT_EQ(ranges.waiting_count(), 2u);
  EXPECT_EQ(picture(ranges), "0+32f 32+32u 64+32f 96+32u 128+1472f");
  EXPECT_EQ(ranges.allocate(16, 1).offset, 128u);  // a class of its own
  EXPECT_EQ(ranges.allocate(17, 1), parts[2]);
  EXPECT_EQ(ranges.allocate(32, 1), parts[0]);
  EXPECT_EQ(ranges.allocate(32, 1).offset, 144u);
  EXPECT_EQ(ranges.waiting_count(), 0u);
  EXPECT_EQ(ranges.used_count(), 6u);
  EXPECT_EQ(ranges.used_bytes(), 5u * 32 + 16);
  EXPECT_EQ(ranges.requested_bytes(), 30u + 30 + 16 + 17 + 32 + 32);
}

TEST(DeferredRanges, rounds_up_by_less_than_an_eighth_of_the_blocks) {
  for (std::uint64_t blocks = 1; blocks < 3000; ++blocks) {
    DeferredRanges ranges(16 * 10'000, 16);
    ASSERT_TRUE(ranges.allocate(16 * blocks - 15, 1).served());
    ASSERT_GE(ranges.used_bytes(), 16 * blocks);
    if (blocks <= 16) {
      ASSERT_EQ(ranges.used_bytes(), 16 * blocks);
    }
    ASSERT_LT(8 * ranges.used_bytes(), 9 * 16 * blocks);
  }
}

TEST(DeferredRanges, neither_rounds_nor_keeps_parts_above_two_thirds) {
  DeferredRanges ranges(16 * 300, 16);
  const Suballocation rounded = ranges.allocate(16 * 129, 1);
  EXPECT_EQ(picture(ranges), "0+2304u 2304+2496f");
  const Suballocation exact = ranges.allocate(16 * 129, 1);
  EXPECT_EQ(picture(ranges), "0+2304u 2304+2064u 4368+432f");
  ranges.free(rounded);
  EXPECT_EQ(ranges.waiting_count(), 0u);
  ranges.free(exact);  // of no class
  EXPECT_EQ(ranges.waiting_count(), 0u);
}

TEST(DeferredRanges, merges_all_parts_before_it_refuses_a_request) {
  DeferredRanges ranges(16 * 18, 16);
  std::vector<Suballocation> parts;
  for (int i = 0; i < 12; ++i) parts.push_back(ranges.allocate(16, 1));
  for (const std::size_t i : {8u, 3u, 6u, 2u, 7u, 5u, 4u, 10u}) ranges.free(parts[i]);
  EXPECT_EQ(ranges.waiting_count(), 8u);
  EXPECT_EQ(picture(ranges), "0+16u 16+16u 32+112f 144+16u 160+16f 176+16u 192+96f");
  EXPECT_EQ(ranges.largest_free(), 112u);
  EXPECT_FALSE(ranges.allocate(225, 1).served());
  EXPECT_EQ(ranges.waiting_count(), 8u);  // it is more than all that is free
  EXPECT_EQ(ranges.allocate(97, 1).offset, 32u);
  EXPECT_EQ(ranges.waiting_count(), 0u);
  EXPECT_EQ(picture(ranges), "0+16u 16+16u 32+112u 144+16u 160+16f 176+16u 192+96f");
  ranges.free(parts[0]);
  EXPECT_EQ(ranges.waiting_count(), 1u);
  EXPECT_FALSE(ranges.allocate(97, 1).served());
  EXPECT_EQ(ranges.waiting_count(), 0u);
}

TEST(DeferredRanges, takes_a_waiting_part_for_a_larger_alignment_only_if_it_is_aligned) {
  DeferredRanges ranges(16 * 64, 16);
  const Suballocation parts[] = {ranges.allocate(16, 16), ranges.allocate(16, 16)};
  ranges.free(parts[0]);
  ranges.free(parts[1]);
  EXPECT_EQ(ranges.allocate(16, 64).offset, 64u);  // offset 16 waits on top
  EXPECT_EQ(ranges.allocate(16, 16).offset, 16u);
  EXPECT_EQ(ranges.allocate(16, 64).offset, 0u);
}

TEST(DeferredRanges, keeps_a_bounded_number_of_parts_and_loses_none) {
  DeferredRanges ranges(std::uint64_t{1} << 30, 16);
  std::mt19937_64 random(5);
  for (const auto& [most_blocks, most_waiting] :
       {std::pair(1u, DeferredRanges::kDepth), std::pair(1024u, DeferredRanges::kMostWaiting)}) {
    std::vector<Suballocation> parts;
    for (int i = 0; i < 4000; ++i) parts.push_back(ranges.allocate(16 * (1 + random() % most_blocks), 1));
    std::shuffle(parts.begin(), parts.end(), random);
    std::size_t most = 0;
    for (const Suballocation& part : parts) {
      ASSERT_TRUE(part.served());
      ranges.free(part);
      most = std::max(most, ranges.waiting_count());
    }
    EXPECT_EQ(most, most_waiting);
    EXPECT_GT(ranges.waiting_count(), 0u);
    EXPECT_EQ(ranges.used_bytes(), 0u);
    EXPECT_EQ(picture(ranges), "0+1073741824f");
    const Suballocation all = ranges.allocate(ranges.capacity(), 1);
    EXPECT_EQ(all.offset, 0u);
    EXPECT_EQ(ranges.waiting_count(), 0u);
    ranges.free(all);
  }
}

TEST(DeferredRanges, are_independent_after_a_copy) {
  DeferredRanges ranges(16 * 100, 16);
  const Suballocation first = ranges.allocate(16, 1), second = ranges.allocate(16, 1);
  ranges.free(first);
  DeferredRanges copy = ranges;
  EXPECT_EQ(copy.allocate(16, 1), first);
  EXPECT_EQ(ranges.allocate(16, 1), first);
  copy.free(second);
  EXPECT_EQ(picture(copy), "0+16u 16+1584f");
  EXPECT_EQ(picture(ranges), "0+16u 16+16u 32+1568f");
}

TEST(SizeBins, count_sizes_of_64_bits) {
  using Bins = SizeBins<3, std::uint64_t>;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(Bins::of(kMost) + 1, Bins::kCount);
  EXPECT_EQ(SizeBins<5>::of(~0u) + 1, SizeBins<5>::kCount);
  EXPECT_EQ(Bins::holding(kMost), Bins::kCount);
  for (unsigned bin = 1; bin < Bins::kCount; ++bin) {
    const std::uint64_t smallest = Bins::smallest(bin);
    ASSERT_EQ(Bins::of(smallest), bin);
    ASSERT_EQ(Bins::of(smallest - 1), bin - 1);
    ASSERT_EQ(Bins::holding(smallest), bin);
    ASSERT_EQ(Bins::holding(smallest + 1), bin + 1);
  }
}

TEST(BinSet, knows_its_highest_member) {
  BinSet<300> set;
  EXPECT_EQ(set.last(), BinSet<300>::kNone);
  for (const unsigned bin : {3u, 64u, 63u, 299u}) {
    set.add(bin);
    EXPECT_EQ(set.last(), bin == 63 ? 64 : bin);
  }
  set.remove(299);
  EXPECT_EQ(set.last(), 64u);
}

}  // namespace
}  // namespace lab::designs
