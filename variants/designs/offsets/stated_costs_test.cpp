// The numbers that headers state as the cost of a design are those of the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "variants/designs/addresses/size_class_buddy.h"
#include "variants/designs/addresses/slab.h"
#include "variants/designs/offsets/best_fit.h"
#include "variants/designs/offsets/bitmap_fit.h"
#include "variants/designs/offsets/block_sizes.h"
#include "variants/designs/offsets/deferred_fit.h"
#include "variants/designs/offsets/deferred_ranges.h"
#include "variants/designs/offsets/first_fit.h"
#include "variants/designs/offsets/float_bins.h"
#include "variants/designs/offsets/memory_handles.h"
#include "variants/designs/offsets/range_buddy.h"
#include "variants/designs/offsets/tlsf.h"

namespace lab::designs {
namespace {

constexpr std::uint64_t kBlock = 256;
// With the one that a range may have besides, what an array holds that doubles when it is full.
constexpr std::size_t kParts = 4095;

/// Whether the comments of a header, with single spaces, have these words.
testing::AssertionResult states(const std::string& header, const std::string& words) {
  std::ifstream file(LAB_SOURCE_DIR "/variants/designs/" + header);
  std::string text, line;
  while (std::getline(file, line))
    if (line.starts_with("/// ")) text += line.substr(4) + ' ';
  if (text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << header << ": expected the words: " << words;
}

/// Bytes of bookkeeping: of an empty range, and for each part of a range that has nothing but used parts.
struct Bookkeeping {
  std::size_t empty = 0, each = 0;
};

template <typename Range>
Bookkeeping bookkeeping_of() {
  const auto range = std::make_unique<Range>(kParts * kBlock, kBlock);
  const std::size_t empty = range->metadata_bytes();
  for (std::size_t i = 0; i < kParts; ++i) EXPECT_TRUE(range->allocate(kBlock, kBlock).served());
  return {empty, (range->metadata_bytes() - empty + kParts / 2) / kParts};
}

/// "8 KB", rounded, without what every object has besides.
std::string kilobytes(std::size_t bytes) {
  return fmt::format("{} KB", (bytes + 512) / 1024);
}

TEST(StatedCosts, of_allocators_with_nodes_are_those_of_the_code) {
  const Bookkeeping bins = bookkeeping_of<FloatBins>(), best = bookkeeping_of<BestFit>(),
                    tlsf = bookkeeping_of<OffsetTlsf>(), first = bookkeeping_of<FirstFit>();
  EXPECT_TRUE(
      states("offsets/float_bins.h", fmt::format("{} bytes for each used part and each free space, and {} of bins",
                                                 bins.each, kilobytes(bins.empty))));
  EXPECT_TRUE(states("offsets/best_fit.h",
                     fmt::format("{} bytes for each part and space, {} of lists", best.each, kilobytes(best.empty))));
  EXPECT_TRUE(states("offsets/tlsf.h", fmt::format("{} bytes for each used part and each free space, and {} of lists",
                                                   tlsf.each, kilobytes(tlsf.empty))));
  EXPECT_TRUE(
      states("offsets/first_fit.h", fmt::format("{} bytes for each used part and each free space", first.each)));
}

TEST(StatedCosts, of_the_buddy_allocator_are_those_of_the_code) {
  constexpr std::uint64_t kMostLeaves = std::uint64_t{1} << RangeBuddy::kMostLeavesLog2;
  EXPECT_TRUE(states("offsets/range_buddy.h", fmt::format("2^{} leaves of the range", RangeBuddy::kMostLeavesLog2)));
  EXPECT_TRUE(states("offsets/range_buddy.h", fmt::format("at most {}.", RangeBuddy::kMostLeavesLog2)));
  EXPECT_TRUE(states("offsets/range_buddy.h", fmt::format("but at least {} and", RangeBuddy::kLeastLeaf)));
  const RangeBuddy range(kMostLeaves * RangeBuddy::kLeastLeaf, RangeBuddy::kLeastLeaf);
  const double leaf = static_cast<double>(range.metadata_bytes() - sizeof range) / kMostLeaves;
  EXPECT_TRUE(states("offsets/range_buddy.h", fmt::format("{:.1f} bytes for each leaf", leaf)));
  EXPECT_TRUE(
      states("offsets/range_buddy.h", fmt::format("about {:.1f} % of the range at {}-byte leaves",
                                                  100 * leaf / RangeBuddy::kLeastLeaf, RangeBuddy::kLeastLeaf)));
  EXPECT_TRUE(states("offsets/range_buddy.h", fmt::format("at most {:.0f} KiB;", leaf * kMostLeaves / 1024)));
  EXPECT_TRUE(
      states("offsets/range_buddy.h", fmt::format("{} bytes for each used part", bookkeeping_of<RangeBuddy>().each)));
}

TEST(StatedCosts, of_bitmap_fit_are_those_of_the_code) {
  constexpr std::size_t kPages = 1000, kLeafBytes = 64;
  constexpr std::size_t kLess = BitmapFit::metadata_bytes(kPages * BitmapFit::kPageLeaves),
                        kMore = BitmapFit::metadata_bytes(2 * kPages * BitmapFit::kPageLeaves);
  constexpr std::size_t kPage = (kMore - kLess) / kPages, kHeads = kLess - kPages * kPage;
  EXPECT_TRUE(
      states("offsets/bitmap_fit.h",
             fmt::format("{} bytes a page, which is {:.0f} % at {}-byte leaves, and {} of list heads", kPage,
                         100.0 * kPage / (BitmapFit::kPageLeaves * kLeafBytes), kLeafBytes, kilobytes(kHeads))));
  EXPECT_TRUE(states("offsets/bitmap_fit.h", fmt::format("{} leaves are a page", BitmapFit::kPageLeaves)));
}

TEST(StatedCosts, of_what_waits_are_those_of_the_code) {
  constexpr unsigned kLongest = DeferredFit::kLongest;
  EXPECT_TRUE(states("offsets/deferred_fit.h", fmt::format("of up to {} leaves", kLongest)));
  EXPECT_TRUE(states("offsets/deferred_fit.h", fmt::format("kDepth * {} leaves", kLongest * (kLongest + 1) / 2)));
  EXPECT_TRUE(states("offsets/deferred_ranges.h",
                     fmt::format("{} of stacks", kilobytes(sizeof(DeferredRanges) - sizeof(BestFit)))));
}

TEST(StatedCosts, of_handles_are_those_of_the_code) {
  EXPECT_TRUE(states("offsets/memory_handles.h", fmt::format("{} bytes for each", sizeof(MemoryHandles::Entry))));
  constexpr std::uint64_t kUses = (std::uint64_t{1} << (8 * sizeof MemoryHandle::generation)) / 2;  // odd ones alone
  EXPECT_TRUE(states("offsets/memory_handles.h", fmt::format("After 2^{} resources", std::bit_width(kUses) - 1)));
}

TEST(StatedCosts, of_slabs_are_those_of_the_code) {
  constexpr std::size_t kPages = 4096;
  std::vector<std::byte> memory((kPages + 1) * Slab::kPageBytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t aligned = (begin + Slab::kPageBytes - 1) / Slab::kPageBytes * Slab::kPageBytes;
  const Slab slab(reinterpret_cast<void*>(aligned), kPages * Slab::kPageBytes);
  const double page = static_cast<double>(slab.table_bytes()) / static_cast<double>(slab.largest_request()) *
                      static_cast<double>(Slab::kPageBytes);
  EXPECT_TRUE(states("addresses/slab.h", fmt::format("{:.0f} bytes for each page, in the arena's first pages, which is "
                                                     "{:.1f} %",
                                                     page, 100 * page / Slab::kPageBytes)));
  std::set<std::size_t> sizes;
  std::size_t before = 0;
  for (std::size_t bytes = 1; bytes <= Slab::kMostSlabBytes; ++bytes) {
    const std::size_t size = Slab::block_bytes(bytes);
    // Below eight granules, sizes are one granule apart.
    if (size != before && before >= 128) {
      EXPECT_LE(8 * (size - before), before) << size;
    }
    sizes.insert(before = size);
  }
  EXPECT_TRUE(states("addresses/slab.h", fmt::format("one of {} sizes", sizes.size())));
}

TEST(StatedCosts, of_size_classes_are_those_of_the_code) {
  constexpr unsigned kSizes = BlockSizes::of(SizeClassBuddy::kMostSmallBytes) + 1;
  EXPECT_TRUE(states("addresses/size_class_buddy.h", fmt::format("blocks of {} sizes", kSizes)));
  EXPECT_TRUE(states("addresses/size_class_buddy.h", "17 bytes for each kilobyte"));
  constexpr std::size_t kBytes = std::size_t{1} << 24;
  std::vector<std::byte> memory(kBytes);
  const SizeClassBuddy::Plan plan = SizeClassBuddy::plan(memory.data(), kBytes);
  ASSERT_EQ(plan.refusal, "");
  EXPECT_NEAR(static_cast<double>(plan.table_bytes) / static_cast<double>(kBytes / 1024), 17, 0.2);
}

}  // namespace
}  // namespace lab::designs
