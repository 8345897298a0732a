#include "harness/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace lab {

TEST(Nearest, counts_edits_and_swaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("buddy", "buddy"), 0u);
  EXPECT_EQ(edit_distance("budyd", "buddy"), 1u);
  EXPECT_EQ(edit_distance("linaer", "linear"), 1u);
}

TEST(Nearest, returns_the_nearest_name_or_nothing) {
  const std::vector<std::string> names{"allocator", "command_bucket"};
  EXPECT_EQ(nearest_name("alocator", names), "allocator");
  EXPECT_EQ(nearest_name("comand_buckt", names), "command_bucket");
  EXPECT_EQ(nearest_name("particles", names), "");
}

}  // namespace lab
