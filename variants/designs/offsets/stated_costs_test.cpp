// The numbers that the headers of range allocators state as their cost are those of the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "variants/designs/offsets/best_fit.h"
#include "variants/designs/offsets/first_fit.h"
#include "variants/designs/offsets/float_bins.h"
#include "variants/designs/offsets/range_buddy.h"
#include "variants/designs/offsets/tlsf.h"

namespace lab::designs {
namespace {

constexpr std::uint64_t kBlock = 256;
// With the one that a range may have besides, what an array holds that doubles when it is full.
constexpr std::size_t kParts = 4095;

/// Whether the comments of a header, with single spaces, have these words.
testing::AssertionResult states(const std::string& header, const std::string& words) {
  std::ifstream file(LAB_SOURCE_DIR "/variants/designs/offsets/" + header);
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
  EXPECT_TRUE(states("float_bins.h", fmt::format("{} bytes for each used part and each free space, and {} of bins",
                                                 bins.each, kilobytes(bins.empty))));
  EXPECT_TRUE(states("best_fit.h",
                     fmt::format("{} bytes for each part and space, {} of lists", best.each, kilobytes(best.empty))));
  EXPECT_TRUE(states("tlsf.h", fmt::format("{} bytes for each used part and each free space, and {} of lists",
                                           tlsf.each, kilobytes(tlsf.empty))));
  EXPECT_TRUE(states("first_fit.h", fmt::format("{} bytes for each used part and each free space", first.each)));
}

TEST(StatedCosts, of_the_buddy_allocator_are_those_of_the_code) {
  constexpr std::uint64_t kMostLeaves = std::uint64_t{1} << RangeBuddy::kMostLeavesLog2;
  EXPECT_TRUE(states("range_buddy.h", fmt::format("2^{} leaves of the range", RangeBuddy::kMostLeavesLog2)));
  EXPECT_TRUE(states("range_buddy.h", fmt::format("at most {}.", RangeBuddy::kMostLeavesLog2)));
  EXPECT_TRUE(states("range_buddy.h", fmt::format("but at least {} and", RangeBuddy::kLeastLeaf)));
  const RangeBuddy range(kMostLeaves * RangeBuddy::kLeastLeaf, RangeBuddy::kLeastLeaf);
  const double leaf = static_cast<double>(range.metadata_bytes() - sizeof range) / kMostLeaves;
  EXPECT_TRUE(states("range_buddy.h", fmt::format("{:.1f} bytes for each leaf", leaf)));
  EXPECT_TRUE(states("range_buddy.h", fmt::format("about {:.1f} % of the range at {}-byte leaves",
                                                  100 * leaf / RangeBuddy::kLeastLeaf, RangeBuddy::kLeastLeaf)));
  EXPECT_TRUE(states("range_buddy.h", fmt::format("at most {:.0f} KiB;", leaf * kMostLeaves / 1024)));
  EXPECT_TRUE(states("range_buddy.h", fmt::format("{} bytes for each used part", bookkeeping_of<RangeBuddy>().each)));
}

}  // namespace
}  // namespace lab::designs
