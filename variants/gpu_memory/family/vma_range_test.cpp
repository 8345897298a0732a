#include "variants/gpu_memory/family/vma_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lab::gpu_memory {
namespace {

using designs::OffsetRange;
using designs::Suballocation;

constexpr VmaStrategy kStrategies[] = {VmaStrategy::kDefault, VmaStrategy::kMinMemory, VmaStrategy::kMinTime,
                                       VmaStrategy::kMinOffset};

std::vector<OffsetRange> map_of(const VmaRange& range) {
  std::vector<OffsetRange> all;
  range.for_each([&](const OffsetRange& each) { all.push_back(each); });
  return all;
}

/// "0+64u 64+32f": offset, bytes, used or free.
std::string picture(const std::vector<OffsetRange>& map) {
  std::string text;
  for (const OffsetRange& range : map)
    text += (text.empty() ? "" : " ") + std::to_string(range.offset) + "+" + std::to_string(range.bytes) +
            (range.used ? "u" : "f");
  return text;
}

/// What VMA itself says of the block, in the same form.
std::vector<OffsetRange> own_map(const VmaRange& range) {
  std::vector<OffsetRange> all;
  const boost::json::value text = boost::json::parse(range.own_map());
  for (const boost::json::value& each : text.at("Details").at("Suballocations").as_array()) {
    const std::uint64_t bytes = each.at("Size").to_number<std::uint64_t>();
    const bool used = !each.as_object().contains("Type");  // it is written of free spaces alone
    all.push_back({each.at("Offset").to_number<std::uint64_t>(), bytes, used ? bytes : 0, used});
  }
  return all;
}

std::uint64_t own_largest_free(const VmaRange& range) {
  std::uint64_t largest = 0;
  for (const OffsetRange& each : own_map(range))
    if (!each.used) largest = std::max(largest, each.bytes);
  return largest;
}

TEST(VmaRange, is_the_pinned_library) {
  EXPECT_THAT(VmaRange::version(), testing::MatchesRegex("VulkanMemoryAllocator [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(VmaRange::identity_failure(), "");
}

TEST(VmaRange, keeps_the_requested_size_and_lists_the_gap_that_an_alignment_leaves) {
  for (const VmaStrategy strategy : kStrategies) {
    VmaRange range(64, 1, strategy);
    EXPECT_EQ(picture(map_of(range)), "0+64f");
    EXPECT_EQ(range.allocate(0, 1).offset, 0u);
    EXPECT_EQ(range.allocate(10, 16).offset, 16u);
    EXPECT_EQ(picture(map_of(range)), "0+1u 1+15f 16+10u 26+38f");
    EXPECT_EQ(range.largest_free(), 38u);
    EXPECT_EQ(range.used_count(), 2u);
    EXPECT_EQ(range.used_bytes(), 11u);
    EXPECT_EQ(range.requested_bytes(), 11u);
    EXPECT_EQ(range.capacity(), 64u);
  }
}

TEST(VmaRange, begins_every_part_at_a_multiple_of_the_block_size) {
  for (const VmaStrategy strategy : kStrategies) {
    VmaRange range(1024, 64, strategy);
    EXPECT_EQ(range.allocate(10, 1).offset, 0u);
    EXPECT_EQ(range.allocate(10, 32).offset, 64u);
    EXPECT_EQ(range.allocate(800, 128).offset, 128u);
    EXPECT_EQ(picture(map_of(range)), "0+10u 10+54f 64+10u 74+54f 128+800u 928+96f");
    // Nothing can begin before 960.
    EXPECT_EQ(range.largest_free(), 64u);
    EXPECT_FALSE(range.allocate(65, 1).served());
    EXPECT_EQ(range.allocate(64, 1).offset, 960u);
    EXPECT_EQ(range.largest_free(), 0u);
  }
}

TEST(VmaRange, refuses_what_it_cannot_serve_and_changes_nothing) {
  for (const VmaStrategy strategy : kStrategies) {
    VmaRange range(100, 1, strategy);
    const Suballocation whole = range.allocate(100, 1);
    EXPECT_EQ(whole.offset, 0u);
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
      EXPECT_EQ(range.allocate(bytes, 1), Suballocation{});
    range.free(whole);
    for (const std::uint64_t bytes : {std::uint64_t{101}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
      EXPECT_EQ(range.allocate(bytes, 1), Suballocation{});
    EXPECT_EQ(picture(map_of(range)), "0+100f");
    EXPECT_EQ(range.allocate(1, std::uint64_t{1} << 63).offset, 0u);
    EXPECT_EQ(range.allocate(1, std::uint64_t{1} << 63), Suballocation{});
    EXPECT_EQ(picture(map_of(range)), "0+1u 1+99f");
  }
}

TEST(VmaRange, counts_the_memory_of_its_records) {
  VmaRange range(1 << 20, 1, VmaStrategy::kDefault), other(1 << 20, 1, VmaStrategy::kDefault);
  const std::size_t empty = range.metadata_bytes();
  EXPECT_GT(empty, sizeof range + 1000);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(range.allocate(1, 1).served());
  // A record has at least offset, size and four links.
  EXPECT_GT(range.metadata_bytes(), empty + 1000 * 6 * sizeof(std::uint64_t));
  const std::size_t full = range.metadata_bytes();
  EXPECT_NE(range.own_map(), "");
  EXPECT_TRUE(other.allocate(1, 1).served());
  EXPECT_EQ(range.metadata_bytes(), full);
}

TEST(VmaRange, moves_with_what_it_holds) {
  VmaRange range(100, 1, VmaStrategy::kDefault);
  const Suballocation taken = range.allocate(10, 1);
  VmaRange other(std::move(range));
  EXPECT_EQ(picture(map_of(other)), "0+10u 10+90f");
  range = VmaRange(50, 1, VmaStrategy::kMinTime);
  EXPECT_EQ(picture(map_of(range)), "0+50f");
  other.free(taken);
  EXPECT_EQ(picture(map_of(other)), "0+100f");
}

TEST(VmaRange, behaves_as_its_own_map_says_for_random_requests) {
  for (const VmaStrategy strategy : kStrategies)
    for (const auto& [capacity, block, seed] : {std::tuple{4096u, 1u, 1u}, {65536u, 256u, 2u}, {10000u, 64u, 3u}}) {
      VmaRange range(capacity, block, strategy);
      std::map<std::uint64_t, std::pair<std::uint64_t, Suballocation>> live;  // by offset: bytes
      std::mt19937_64 random(seed);
      std::uint64_t sum = 0;
      for (int i = 0; i < 3000; ++i) {
        if (!live.empty() && random() % 100 < (i / 300 % 2 ? 60u : 40u)) {
          const auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
          range.free(victim->second.second);
          sum -= victim->second.first;
          live.erase(victim);
        } else {
          const std::uint64_t bytes = 1 + random() % (std::uint64_t{2} << random() % 12);
          const std::uint64_t alignment = std::uint64_t{1} << random() % 10;
          const Suballocation taken = range.allocate(bytes, alignment);
          if (taken.served()) {
            ASSERT_EQ(taken.offset % std::max<std::uint64_t>(alignment, block), 0u);
            live[taken.offset] = {bytes, taken};
            sum += bytes;
          } else {
            ASSERT_TRUE(alignment > block || bytes > range.largest_free()) << bytes;
          }
        }
        if (i % 8 != 0) continue;
        const std::vector<OffsetRange> map = map_of(range);
        ASSERT_EQ(map, own_map(range)) << "request " << i;
        std::uint64_t end = 0;
        std::size_t used = 0;
        for (const OffsetRange& each : map) {
          ASSERT_EQ(each.offset, end) << "a gap or an overlap";
          end = each.end();
          if (!each.used) continue;
          ++used;
          ASSERT_EQ(live.at(each.offset).first, each.requested);
        }
        ASSERT_EQ(end, capacity);
        ASSERT_EQ(used, live.size());
        ASSERT_EQ(range.used_count(), live.size());
        ASSERT_EQ(range.used_bytes(), sum);
        ASSERT_EQ(range.requested_bytes(), sum);
        if (block == 1) {
          ASSERT_EQ(range.largest_free(), own_largest_free(range));
        }
        // The largest request is served, and one byte more is not.
        if (const std::uint64_t largest = range.largest_free(); largest != 0) {
          ASSERT_FALSE(range.allocate(largest + 1, 1).served());
          const Suballocation taken = range.allocate(largest, 1);
          ASSERT_TRUE(taken.served());
          range.free(taken);
          ASSERT_EQ(map_of(range), map);
        }
      }
    }
}

}  // namespace
}  // namespace lab::gpu_memory
