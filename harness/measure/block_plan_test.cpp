#include "harness/measure/block_plan.h"

#include <gtest/gtest.h>

#include "harness/measure/session_fixture.h"

namespace lab::measure {

namespace {

struct Plan : SessionFixture {
  explicit Plan(const std::vector<std::string>& variants = {"plain", "quick"}) : SessionFixture(variants) {
    rule.relative_half_width = [this](const results::Result&, const std::string&, std::size_t) { return half; };
  }

  /// The spec is whole.
  void start() {
    arms.emplace(spec);
    intervals.emplace(spec, rule, *arms, result);
    plan.emplace(spec, *arms, *intervals, [this] { return now; });
  }

  /// Runs the block; returns how many processes it had. Each takes `seconds`.
  std::size_t run(int block, double seconds = 1) {
    if (!plan->begin(block, 0)) return 0;
    std::size_t ran = 0;
    for (std::size_t position = 0; position < plan->order().size(); ++position) {
      if (plan->is_out(plan->order()[position])) continue;
      const std::optional<PlannedProcess> planned = plan->process(position);
      if (!planned) return ran;
      now += seconds;
      plan->took(*planned, seconds, plan->is_exact(planned->scheduled));
      arms->count_process(planned->scheduled);
      ++ran;
      plan->pause_what_no_longer_fits();
    }
    return ran;
  }

  StoppingRule rule;
  double half = 0.5;
  std::optional<SessionArms> arms;
  std::optional<TargetIntervals> intervals;
  std::optional<BlockPlan> plan;
};

}  // namespace

TEST(BlockPlan, runs_everything_in_as_many_blocks_as_the_plan_has) {
  Plan plan;
  plan.start();
  for (int block = 0; block < 4; ++block) EXPECT_EQ(plan.run(block), 2U);
  EXPECT_EQ(plan.run(4), 0U);
  EXPECT_EQ(plan.plan->state(4), "complete");
}

TEST(BlockPlan, leaves_out_what_has_ended_also_within_a_block) {
  Plan plan;
  plan.start();
  ASSERT_TRUE(plan.plan->begin(0, 0));
  EXPECT_EQ(plan.plan->order().size(), 2U);
  plan.plan->end(1);
  EXPECT_TRUE(plan.plan->is_out(1));
  ASSERT_TRUE(plan.plan->begin(1, 0));
  EXPECT_EQ(plan.plan->order(), std::vector<std::size_t>{0});
}

TEST(BlockPlan, pauses_what_is_within_the_target_except_a_control) {
  Plan plan;
  plan.spec.length.target = 0.01;
  plan.spec.length.blocks = 0;
  plan.spec.length.least_blocks = 2;
  plan.spec.other_arms = {{"control", made_up_benchmark("quick")}};
  plan.start();
  EXPECT_EQ(plan.run(0), 3U);
  EXPECT_EQ(plan.run(1), 3U);
  plan.rule.relative_half_width = [](const results::Result&, const std::string& benchmark, std::size_t) {
    return benchmark == "fake/plain/store" ? 0.001 : 0.5;
  };
  ASSERT_TRUE(plan.plan->begin(2, 0));
  EXPECT_TRUE(plan.plan->is_out(0));
  EXPECT_FALSE(plan.plan->is_out(1) || plan.plan->is_out(2));
}

TEST(BlockPlan, gives_turns_their_intervals_in_order_and_names_those_without) {
  Plan plan;
  plan.spec.length = default_length();
  plan.spec.length.set_budget(9);
  plan.spec.turns = {{"fake/plain/store"}, {"fake/quick/store"}};
  plan.start();
  int block = 0;
  while (plan.run(block) > 0) ++block;
  EXPECT_GE(plan.arms->head(0).processes, plan.spec.length.least_blocks);
  EXPECT_EQ(plan.plan->without_interval(), std::vector<std::size_t>{1});
  EXPECT_FALSE(plan.plan->least_seconds(1).has_value() && plan.arms->head(1).processes == 0);
  EXPECT_LE(plan.now, 9 * kTolerance + 1);
}

TEST(BlockPlan, repeats_disturbed_blocks) {
  Plan plan;
  plan.spec.length = quick_length();
  plan.start();
  int block = 0;
  for (; plan.run(block) > 0; ++block)
    if (block < 3) plan.plan->repeat({0, 1});
  EXPECT_EQ(block, 13);
}

TEST(BlockPlan, gives_turns_undisturbed_processes_for_their_intervals_if_repeating_helps) {
  for (const int busy : {0, 2, 100}) {
    Plan plan;
    plan.spec.length = default_length();
    plan.spec.length.exact_blocks = 0;
    plan.spec.length.set_budget(1000);
    plan.spec.turns = {{"fake/plain/store"}, {"fake/quick/store"}};
    plan.spec.selection.benchmarks[0].core = true;
    plan.spec.selection.benchmarks[1].core = false;
    plan.start();
    // Blocks of the core benchmark alone, until it has its interval.
    int block = 0;
    while (plan.run(block) > 0 && plan.arms->head(1).processes == 0) {
      if (block < busy) plan.plan->repeat({0});
      ++block;
    }
    EXPECT_EQ(block, 6 + std::min(busy, 3)) << busy;
    EXPECT_TRUE(plan.plan->without_interval() == std::vector<std::size_t>{1});
  }
}

TEST(BlockPlan, keeps_fewer_samples_when_space_is_short) {
  Plan plan;
  plan.start();
  ASSERT_TRUE(plan.plan->begin(0, 0));
  EXPECT_EQ(plan.plan->kept_samples(), kKeptSamples);
  ASSERT_TRUE(plan.plan->begin(1, plan.spec.most_bytes));
  EXPECT_LT(plan.plan->kept_samples(), kKeptSamples);
}

TEST(BlockPlan, does_not_count_the_cost_of_exact_metrics_as_that_of_a_process) {
  Plan plan({"plain"});
  plan.spec.length = default_length();
  plan.start();
  EXPECT_EQ(plan.run(0), 1U);
  const double before = plan.plan->least_seconds(0).value();
  ASSERT_TRUE(plan.plan->begin(1, 0));
  const std::optional<PlannedProcess> next = plan.plan->process(0);
  ASSERT_TRUE(next && plan.plan->is_exact(0));
  plan.plan->took(*next, next->seconds + before + 3, true);
  EXPECT_NEAR(plan.plan->least_seconds(0).value(), before, 1e-9);
}

namespace {

struct Intervals : SessionFixture {
  explicit Intervals(const std::vector<std::string>& variants = {"plain", "quick"}) : SessionFixture(variants) {
    spec.length.target = 0.01;
    rule.relative_half_width = [this](const results::Result&, const std::string& benchmark, std::size_t compared) {
      asked.push_back(benchmark);
      rows = compared;
      return halves[benchmark];
    };
  }

  StoppingRule rule;
  std::map<std::string, double> halves{{"fake/plain/store", 0.02}, {"fake/quick/store", 0.03}};
  std::vector<std::string> asked;
  std::size_t rows = 0;
};

}  // namespace

TEST(TargetIntervals, lists_what_is_too_wide_widest_first_and_asks_only_after_new_processes) {
  Intervals fixture;
  SessionArms arms(fixture.spec);
  TargetIntervals intervals(fixture.spec, fixture.rule, arms, fixture.result);
  EXPECT_EQ(intervals.wide(), (std::vector<std::pair<double, std::size_t>>{{1, 1}, {1, 0}})) << "nothing has run";
  EXPECT_TRUE(fixture.asked.empty());
  arms.count_process(0);
  arms.count_process(1);
  EXPECT_EQ(intervals.wide(), (std::vector<std::pair<double, std::size_t>>{{0.03, 1}, {0.02, 0}}));
  intervals.wide();
  EXPECT_EQ(fixture.asked.size(), 2U);
  arms.end(1);
  EXPECT_EQ(intervals.missed_sentence(),
            "the session ended before these intervals were within 1 %: fake/plain/store (+-2.0 %)");
  fixture.halves["fake/plain/store"] = 0.01;
  arms.count_process(0);
  EXPECT_TRUE(intervals.reached());
}

TEST(TargetIntervals, with_a_base_counts_only_benchmarks_that_have_one) {
  Intervals fixture;
  fixture.spec.other_arms = {{"base", made_up_benchmark("plain")}};
  SessionArms arms(fixture.spec);
  TargetIntervals intervals(fixture.spec, fixture.rule, arms, fixture.result);
  arms.count_process(0);
  EXPECT_EQ(intervals.wide().size(), 1U);
  EXPECT_EQ(fixture.rows, 1U);
  EXPECT_NE(intervals.missed_sentence().find("intervals of ratios"), std::string::npos);
}

TEST(TargetIntervals, names_five_and_counts_the_others) {
  Intervals fixture({"a", "b", "c", "d", "e", "f", "g"});
  const SessionArms arms(fixture.spec);
  TargetIntervals intervals(fixture.spec, fixture.rule, arms, fixture.result);
  const std::string sentence = intervals.missed_sentence();
  EXPECT_NE(sentence.find("fake/c/store (none yet), 2 more"), std::string::npos) << sentence;
}

}  // namespace lab::measure
