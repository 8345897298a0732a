#include "harness/measure/target_intervals.h"

#include <gtest/gtest.h>

#include "harness/measure/session_fixture.h"

namespace lab::measure {

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
