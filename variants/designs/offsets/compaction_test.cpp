#include "variants/designs/offsets/compaction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

/// Ranges with memory behind them. Each used byte has the number of its resource.
class Memory {
 public:
  Memory(std::size_t count, std::uint64_t bytes, std::uint64_t block) : ranges(count, BestFit(bytes, block)) {
    memory_.assign(count, std::vector<unsigned>(bytes));
  }

  void add(std::size_t range, std::uint64_t offset, std::uint64_t bytes) {
    ASSERT_TRUE(ranges[range].allocate_at(offset, bytes).served());
    ++resources_;
    for (std::uint64_t i = 0; i < bytes; ++i) memory_[range][offset + i] = resources_ * 1000 + static_cast<unsigned>(i);
    where_[{range, offset}] = {resources_, bytes};
  }

  /// As a GPU copies: the source and the destination may not overlap.
  void execute(const CompactionMove& move) {
    const auto resource = where_.find({move.from_range, move.from});
    ASSERT_NE(resource, where_.end()) << "nothing is there";
    const auto [number, bytes] = resource->second;
    ASSERT_EQ(move.bytes, bytes);
    ASSERT_TRUE(move.from_range != move.to_range || move.to + bytes <= move.from || move.from + bytes <= move.to);
    ASSERT_TRUE(ranges[move.to_range].allocate_at(move.to, bytes).served()) << "the destination is in use";
    for (std::uint64_t i = 0; i < bytes; ++i)
      memory_[move.to_range][move.to + i] = memory_[move.from_range][move.from + i];
    for (std::uint64_t i = 0; i < bytes; ++i) memory_[move.from_range][move.from + i] = 0;
    ranges[move.from_range].free(ranges[move.from_range].used_at(move.from));
    where_.erase(resource);
    where_[{move.to_range, move.to}] = {number, bytes};
  }

  void expect_contents_kept() const {
    ASSERT_EQ(where_.size(), resources_);
    for (const auto& [place, resource] : where_)
      for (std::uint64_t i = 0; i < resource.second; ++i)
        ASSERT_EQ(memory_[place.first][place.second + i], resource.first * 1000 + static_cast<unsigned>(i));
  }

  /// Sizes by place: "[4 3 _2] [_10]", where "_2" is a free space.
  std::string picture() const {
    std::string text;
    for (const BestFit& each : ranges) {
      text += text.empty() ? "[" : " [";
      std::string space;
      each.for_each([&](const OffsetRange& range) {
        text += space + (range.used ? "" : "_") + std::to_string(range.bytes);
        space = " ";
      });
      text += "]";
    }
    return text;
  }

  std::vector<BestFit> ranges;

 private:
  unsigned resources_ = 0;
  std::vector<std::vector<unsigned>> memory_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::pair<unsigned, std::uint64_t>> where_;
};

std::string compacted(Memory& memory) {
  for (const CompactionMove& move : plan_compaction(memory.ranges)) memory.execute(move);
  memory.expect_contents_kept();
  return memory.picture();
}

TEST(Compaction, needs_no_move_without_a_hole) {
  EXPECT_TRUE(plan_compaction({}).empty());
  Memory memory(2, 10, 1);
  EXPECT_TRUE(plan_compaction(memory.ranges).empty());
  memory.add(0, 0, 3);
  memory.add(0, 3, 5);
  EXPECT_EQ(plan_compaction(memory.ranges), std::vector<CompactionMove>{});
}

TEST(Compaction, moves_the_largest_first_and_frees_the_last_range) {
  Memory memory(2, 10, 1);
  memory.add(0, 0, 2);
  memory.add(0, 6, 1);
  memory.add(1, 1, 3);
  memory.add(1, 5, 4);
  EXPECT_EQ(memory.picture(), "[2 _4 1 _3] [_1 3 _1 4 _1]");
  EXPECT_EQ(plan_compaction(memory.ranges), (std::vector<CompactionMove>{{1, 0, 5, 2, 4}, {1, 0, 1, 7, 3}}));
  EXPECT_EQ(compacted(memory), "[2 4 1 3] [_10]");
}

TEST(Compaction, closes_a_hole_that_is_smaller_than_its_neighbour_by_a_detour) {
  Memory memory(1, 12, 1);
  memory.add(0, 1, 3);
  memory.add(0, 5, 3);
  EXPECT_EQ(memory.picture(), "[_1 3 _1 3 _4]");
  EXPECT_EQ(plan_compaction(memory.ranges),
            (std::vector<CompactionMove>{{0, 0, 1, 8, 3}, {0, 0, 8, 0, 3}, {0, 0, 5, 8, 3}, {0, 0, 8, 3, 3}}));
  EXPECT_EQ(compacted(memory), "[3 3 _6]");
}

TEST(Compaction, leaves_a_hole_where_no_space_is_large_enough_for_a_detour) {
  Memory memory(1, 8, 1);
  memory.add(0, 1, 3);
  memory.add(0, 5, 3);
  EXPECT_EQ(compacted(memory), "[_1 3 _1 3]");
}

TEST(Compaction, keeps_an_empty_range_empty_but_uses_it_for_detours) {
  Memory memory(3, 6, 1);
  memory.add(1, 0, 2);
  memory.add(2, 1, 3);
  memory.add(2, 4, 2);
  EXPECT_EQ(memory.picture(), "[_6] [2 _4] [_1 3 2]");
  EXPECT_EQ(compacted(memory), "[_6] [2 3 _1] [2 _4]");
  memory.add(1, 5, 1);
  memory.add(2, 3, 3);
  EXPECT_EQ(memory.picture(), "[_6] [2 3 1] [2 _1 3]");
  EXPECT_EQ(plan_compaction(memory.ranges), (std::vector<CompactionMove>{{2, 0, 3, 0, 3}, {0, 2, 0, 2, 3}}));
  EXPECT_EQ(compacted(memory), "[_6] [2 3 1] [2 3 _1]");
}

TEST(Compaction, uses_a_short_last_block) {
  Memory memory(2, 10, 4);
  memory.add(0, 4, 4);
  memory.add(1, 8, 2);
  EXPECT_EQ(compacted(memory), "[4 4 _2] [_10]");
  memory.add(1, 4, 2);
  EXPECT_EQ(compacted(memory), "[4 4 2] [_10]");
}

void fill_at_random(Memory& memory, std::mt19937_64& random, std::uint64_t largest) {
  for (std::size_t range = 0; range < memory.ranges.size(); ++range) {
    const BestFit& at = memory.ranges[range];
    const std::uint64_t percent = random() % 100;
    for (std::uint64_t offset = 0; offset < at.capacity();) {
      const std::uint64_t bytes = std::min(1 + random() % largest, at.capacity() - offset);
      if (random() % 100 < percent) memory.add(range, offset, bytes);
      offset += (bytes + at.block_bytes() - 1) / at.block_bytes() * at.block_bytes();
    }
  }
}

std::size_t empty_ranges(const std::vector<BestFit>& ranges) {
  return static_cast<std::size_t>(
      std::ranges::count_if(ranges, [](const BestFit& range) { return range.used_count() == 0; }));
}

/// What remains is as compact as single moves and detours make it.
void expect_final(const std::vector<BestFit>& ranges) {
  std::uint64_t largest = 0;
  for (const BestFit& each : ranges) largest = std::max(largest, each.largest_free());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    OffsetRange before;
    before.used = true;
    ranges[i].for_each([&](const OffsetRange& range) {
      if (range.used && !before.used) {
        ASSERT_GT(range.requested, before.bytes);
        ASSERT_GT(range.requested, largest) << "a detour was possible";
      }
      before = range;
    });
    for (std::size_t later = i + 1; later < ranges.size(); ++later)
      ranges[later].for_each([&](const OffsetRange& range) {
        if (range.used && ranges[i].used_count() > 0) {
          ASSERT_GT(range.requested, ranges[i].largest_free());
        }
      });
  }
  ASSERT_TRUE(plan_compaction(ranges).empty()) << "a second plan finds more to do";
}

TEST(Compaction, keeps_every_byte_and_ends_compact_for_random_ranges) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t block = std::uint64_t{1} << random() % 5;
    Memory memory(1 + random() % 5, 20 + random() % 200, block);
    fill_at_random(memory, random, 1 + random() % 60);
    const std::size_t empty = empty_ranges(memory.ranges);
    const std::string before = memory.picture();
    for (const CompactionMove& move : plan_compaction(memory.ranges)) {
      memory.execute(move);
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ": " << before;
    }
    memory.expect_contents_kept();
    expect_final(memory.ranges);
    EXPECT_GE(empty_ranges(memory.ranges), empty);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ": " << before << " became " << memory.picture();
  }
}

}  // namespace
}  // namespace lab::designs
