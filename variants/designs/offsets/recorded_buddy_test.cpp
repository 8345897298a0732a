#include "variants/designs/offsets/recorded_buddy.h"

#include <gtest/gtest.h>

namespace lab::designs {

namespace {

constexpr std::size_t kKiB = 1024;
constexpr auto kSplit = BuddyChange::Kind::kSplit, kMerge = BuddyChange::Kind::kMerge;

}  // namespace

TEST(RecordedBuddy, records_the_splits_of_a_request_and_the_merges_of_its_free) {
  RecordedBuddy buddy(BuddyLayout::plan(512 * kKiB, 16 * kKiB).layout);
  const BuddyLayout::Position block = buddy.allocate(32 * kKiB);
  std::vector<BuddyChange> expected;
  for (std::size_t size = 512; size > 32; size /= 2) expected.push_back({kSplit, block, size * kKiB});
  EXPECT_EQ(buddy.store().changes(), expected);
  const BuddyLayout::Position other = buddy.allocate(20 * kKiB);
  EXPECT_EQ(buddy.store().changes(), expected) << "the buddy was free";
  buddy.free(block);
  EXPECT_EQ(buddy.store().changes(), expected) << "the buddy is in use";
  buddy.free(other, 20 * kKiB);
  for (std::size_t size = 64; size <= 512; size *= 2) expected.push_back({kMerge, 0, size * kKiB});
  EXPECT_EQ(buddy.store().changes(), expected);
}

TEST(RecordedBuddy, observes_only_its_own_store) {
  EXPECT_TRUE(ObservesBuddy<RecordedBuddyStore>);
  EXPECT_FALSE(ObservesBuddy<BuddyStoreBeside>);
}

}  // namespace lab::designs
