#include "harness/stats/culprit_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "harness/stats/culprit.h"

namespace lab::stats {

namespace {

/// Measurements of commits with these levels, each in a link of its own with an offset of `layout`.
struct Levels {
  std::vector<double> of_commit;
  double layout = 0.01, noise = 0.005;
  std::mt19937 random{1};

  void measure(CulpritSearch& search, std::size_t commit, int times) {
    std::normal_distribution<double> normal;
    for (int i = 0; i < times; ++i) {
      const double offset = layout * normal(random) + noise * normal(random);
      search.add(commit, of_commit[commit] * std::exp(offset), search.measurements(commit) + 1);
    }
  }
};

CulpritSearch after_measuring(Levels& levels, const std::vector<std::size_t>& commits) {
  CulpritSearch search(levels.of_commit.size() - 1);
  search.links_of_build(16);
  for (int round = 0; round < 4; ++round)
    for (const std::size_t commit : commits) levels.measure(search, commit, 2);
  return search;
}

}  // namespace

TEST(Steps, are_as_likely_as_the_fit_of_one_step_says) {
  const std::vector<std::size_t> commits{0, 6, 6, 0, 3, 5, 0, 6, 3};
  std::vector<double> logs;
  for (const double value : {100.0, 103.0, 104.5, 101.0, 101.5, 102.5, 100.2, 103.3, 125.0})
    logs.push_back(std::log(value));
  const std::vector<std::size_t> builds{0, 1, 1, 0, 2, 3, 0, 1, 2};
  const Measurements data(commits, builds, logs);
  const std::vector<StepSet> sets = fit_steps(data, {{0, 3, 5, 6}, {0, 3, 2, 1}});
  const auto log_of = [&](const std::vector<StepEffect>& effects) {
    for (const StepSet& set : sets)
      if (set.effects == effects) return set.log_likelihood;
    ADD_FAILURE() << "no such set";
    return 0.0;
  };
  const double none = fit(data, 0).log_likelihood;
  // Priors: 0.5 for none; 0.4 for one step, over six commits.
  const std::vector<std::pair<std::size_t, double>> gaps{{3, 0.2}, {5, 0.4 / 3}, {6, 0.4 / 6}};
  for (std::size_t gap = 1; gap <= gaps.size(); ++gap)
    EXPECT_NEAR(log_of({{gap, 0}}) - log_of({}),
                fit(data, gaps[gap - 1].first).log_likelihood - none + std::log(gaps[gap - 1].second / 0.5), 0.15)
        << gap;
}

TEST(Steps, of_two_culprits_are_both_named) {
  Levels levels{std::vector<double>(33, 100)};
  for (std::size_t k = 9; k < 33; ++k) levels.of_commit[k] = k < 20 ? 103 : 106;
  const CulpritSearch search = after_measuring(levels, {0, 8, 9, 14, 19, 20, 32});
  const std::vector<FoundStep> named = search.steps()->named(0.99);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].commits.first, 9u);
  EXPECT_EQ(named[1].commits.last, 20u);
  EXPECT_NEAR(named[1].ratio, 1.03, 0.015);
  EXPECT_FALSE(named[1].taken_back);
  EXPECT_TRUE(search.has_several());
}

TEST(Steps, name_a_revert_as_such) {
  Levels levels{std::vector<double>(33, 100)};
  for (std::size_t k = 9; k < 20; ++k) levels.of_commit[k] = 104;
  const CulpritSearch search = after_measuring(levels, {0, 8, 9, 14, 19, 20, 32});
  const std::vector<FoundStep> named = search.steps()->named(0.99);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].commits.first, 9u);
  EXPECT_EQ(named[1].commits.first, 20u);
  EXPECT_EQ(named[1].taken_back, 0u);
}

TEST(Steps, beside_the_only_culprit_are_unlikely_once_the_ends_of_both_sides_were_measured) {
  Levels levels{std::vector<double>(33, 100)};
  for (std::size_t k = 9; k < 33; ++k) levels.of_commit[k] = 104;
  const CulpritSearch search = after_measuring(levels, {0, 8, 9, 32});
  const std::vector<FoundStep> named = search.steps()->named(0.99);
  ASSERT_EQ(named.size(), 1u);
  const std::vector<StepSide> sides = search.steps()->sides(named);
  ASSERT_EQ(sides.size(), 2u);
  EXPECT_EQ(sides[1].from, 9u);
  EXPECT_EQ(sides[1].to, 32u);
  for (const StepSide& side : sides) {
    EXPECT_TRUE(side.is_tested);
    EXPECT_LT(side.other, 0.05);
    EXPECT_LT(side.most, 1.03);
  }
  EXPECT_FALSE(search.steps()->next(0.99, std::vector<double>(33), 1));
}

TEST(Steps, are_searched_for_at_the_ends_of_a_side_that_was_not_measured_often) {
  Levels levels{std::vector<double>(33, 100)};
  for (std::size_t k = 9; k < 33; ++k) levels.of_commit[k] = 110;
  CulpritSearch search(32);
  search.links_of_build(16);
  for (const std::size_t commit : {0u, 32u, 8u, 9u}) levels.measure(search, commit, commit == 9 ? 3 : 6);
  ASSERT_EQ(search.steps()->named(0.99).size(), 1u);
  EXPECT_EQ(search.steps()->next(0.99, std::vector<double>(33), 1), 9u);
}

TEST(Steps, are_not_named_for_the_offsets_of_single_layouts) {
  // Each commit has one link: its offset of 1 % looks like two steps.
  int wrong = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    CulpritSearch search(12);
    std::vector<double> levels;
    for (int k = 0; k <= 12; ++k) levels.push_back(100 * std::exp(0.01 * normal(random)));
    for (int round = 0; round < 4; ++round)
      for (std::size_t k = 0; k <= 12; ++k) search.add(k, levels[k] * std::exp(0.003 * normal(random)));
    wrong += !search.steps()->named(0.99).empty();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace lab::stats
