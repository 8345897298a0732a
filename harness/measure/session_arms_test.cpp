#include "harness/measure/session_arms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/measure/session_fixture.h"

namespace lab::measure {

namespace {

using Numbers = std::vector<std::size_t>;

}  // namespace

TEST(SessionArms, groups_the_arms_of_a_benchmark_with_heads_first) {
  SessionFixture fixture;
  fixture.spec.other_arms = {{"base", made_up_benchmark("quick")}, {"base", made_up_benchmark("unknown")}};
  const SessionArms arms(fixture.spec);
  EXPECT_EQ(arms.size(), 3U);
  EXPECT_EQ(arms.group(0), Numbers{0});
  EXPECT_EQ(arms.group(1), (Numbers{1, 2}));
  EXPECT_EQ(arms[2].arm, "base");
  EXPECT_EQ(arms.head(1).benchmark->name, "fake/quick/store");
  EXPECT_EQ(arms.compared(), 1U);
}

TEST(SessionArms, with_head_ends_all_arms_and_with_another_arm_only_that) {
  SessionFixture fixture;
  fixture.add_arm("control");
  SessionArms arms(fixture.spec);
  EXPECT_EQ(arms.controls(), (Numbers{0, 1}));
  EXPECT_EQ(arms.end(2), Numbers{2});
  EXPECT_EQ(arms.controls(), Numbers{1});
  EXPECT_TRUE(arms.is_active(0, results::kHead));
  EXPECT_EQ(arms.end(1), (Numbers{1, 3}));
  EXPECT_FALSE(arms.is_active(1, results::kHead));
  EXPECT_FALSE(arms.all_ended());
  arms.end(0);
  EXPECT_TRUE(arms.all_ended());
}

TEST(SessionArms, runs_the_arms_of_a_benchmark_side_by_side_in_another_order_each_block) {
  SessionFixture fixture({"a", "b", "c", "d"});
  fixture.add_arm("base");
  const SessionArms arms(fixture.spec);
  const Numbers first = arms.order(7, 0);
  EXPECT_EQ(arms.order(7, 0), first);
  EXPECT_NE(arms.order(7, 1), first);
  for (std::size_t i = 0; i < first.size(); i += 2) EXPECT_EQ(arms[first[i]].group, arms[first[i + 1]].group);
  Numbers sorted = first;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(SessionArms, gives_processes_with_exact_metrics_one_layout_and_the_others_all_in_turns) {
  SessionFixture fixture({"plain"});
  fixture.spec.selection.benchmarks[0].layouts = {{1, "/b/1"}, {2, "/b/2"}};
  SessionArms arms(fixture.spec);
  EXPECT_EQ(arms.next_layout(0, true).number, 1);
  EXPECT_EQ(arms.next_layout(0, false).number, 2);
  EXPECT_EQ(arms.next_layout(0, true).number, 1);
  EXPECT_EQ(arms.count_process(0), 0);
  EXPECT_EQ(arms.head(0).processes, 1);
}

}  // namespace lab::measure
