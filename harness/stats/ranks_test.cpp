#include "harness/stats/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace lab::stats {

namespace {

/// All of one block, as two sessions that were not interleaved are.
std::vector<Datum> together(const std::vector<double>& values) {
  std::vector<Datum> data;
  for (const double value : values) data.push_back({0, value});
  return data;
}

std::vector<double> iota(std::size_t count, double first) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<double>(i);
  return values;
}

/// p of the two-sided test by going through every way to deal out the names in blocks of two and two.
double p_by_enumeration(const std::vector<Datum>& base, const std::vector<Datum>& head) {
  const int blocks = static_cast<int>(base.size()) / 2;
  std::vector<std::pair<double, int>> values;  // aligned, place
  for (int b = 0; b < blocks; ++b) {
    const auto at = static_cast<std::size_t>(2 * b);
    double all[4]{std::log(base[at].value), std::log(base[at + 1].value), std::log(head[at].value),
                  std::log(head[at + 1].value)};
    double ascending[4];
    std::copy(all, all + 4, ascending);
    std::sort(ascending, ascending + 4);
    for (int i = 0; i < 4; ++i) values.emplace_back(all[i] - (ascending[1] + ascending[2]) / 2, 4 * b + i);
  }
  std::sort(values.begin(), values.end());
  std::vector<int> rank(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    rank[static_cast<std::size_t>(values[i].second)] = static_cast<int>(i);
  const int pairs[6][2]{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  int found = 0, ways = 1, below = 0, above = 0;
  for (int b = 0; b < blocks; ++b, ways *= 6)
    found += rank[static_cast<std::size_t>(4 * b + 2)] + rank[static_cast<std::size_t>(4 * b + 3)];
  for (int way = 0; way < ways; ++way) {
    int sum = 0;
    for (int b = 0, rest = way; b < blocks; ++b, rest /= 6)
      for (const int i : pairs[rest % 6]) sum += rank[static_cast<std::size_t>(4 * b + i)];
    below += sum <= found;
    above += sum >= found;
  }
  return std::min(1.0, 2.0 * std::min(below, above) / ways);
}

}  // namespace

TEST(Ranks, of_two_samples_give_the_least_p_of_the_tables) {
  const struct {
    std::size_t count;
    double p;
  } rows[]{{3, 0.1},         {4, 0.0285714},  {5, 0.00793651}, {6, 0.0021645},
           {7, 0.000582751}, {9, 4.11353e-5}, {10, 1.08251e-5}};
  for (const auto& row : rows) {
    const BlockedArms arms(together(iota(row.count, 1)), together(iota(row.count, 101)));
    EXPECT_NEAR(arms.p_value(), row.p, row.p * 1e-5) << row.count;
    EXPECT_NEAR(arms.least_p(), row.p, row.p * 1e-5) << row.count;
  }
}

TEST(Ranks, of_two_samples_have_the_critical_values_of_mann_and_whitney) {
  // Two-sided 5 %: the largest U that is significant, as printed in any table of the Mann-Whitney test.
  const struct {
    std::size_t n, m;
    int critical;
  } rows[]{{5, 5, 2},    {6, 6, 5},  {7, 7, 8},    {8, 8, 13},   {9, 9, 17},
           {10, 10, 23}, {5, 10, 8}, {12, 20, 69}, {20, 20, 127}};
  for (const auto& row : rows) {
    for (const int u : {row.critical, row.critical + 1}) {
      // Head lies above all of base, but for u pairs: some above fewer, one above some.
      std::vector<double> head;
      int left = u;
      for (std::size_t i = 0; i < row.m; ++i) {
        const int behind = std::min<int>(left, static_cast<int>(row.n));
        left -= behind;
        head.push_back(static_cast<double>(row.n) + 0.5 - behind + 0.001 * static_cast<double>(i));
      }
      const double p = BlockedArms(together(iota(row.n, 1)), together(head)).p_value();
      EXPECT_EQ(p <= 0.05, u == row.critical) << row.n << ' ' << row.m << ' ' << u << ' ' << p;
    }
  }
}

TEST(Ranks, of_pairs_are_wilcoxons_signed_ranks_less_a_half) {
  constexpr int kPairs = 10;
  for (const int negative : {0, 3, 0b1000'0000, 0b101'0110, 0b11'1111'1111}) {
    std::vector<Datum> base, head;
    for (int i = 0; i < kPairs; ++i) {
      base.push_back({i, 100});
      head.push_back({i, 100 * std::exp((negative >> i & 1 ? -0.001 : 0.001) * (i + 1))});
    }
    const auto sum = [](int signs) {
      int twice = 0;
      for (int i = 0; i < kPairs; ++i) twice += signs >> i & 1 ? 2 * i + 1 : 0;
      return twice;
    };
    int below = 0, above = 0;
    for (int signs = 0; signs < 1 << kPairs; ++signs) {
      below += sum(signs) <= sum(negative);
      above += sum(signs) >= sum(negative);
    }
    EXPECT_NEAR(BlockedArms(base, head).p_value(), std::min(1.0, std::ldexp(std::min(below, above), 1 - kPairs)),
                1e-12);
  }
}

TEST(Ranks, within_blocks_have_the_p_found_by_enumeration) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> noise(0, 0.02);
  for (int round = 0; round < 50; ++round) {
    std::vector<Datum> base, head;
    for (int block = 0; block < 5; ++block)
      for (int i = 0; i < 2; ++i) {
        base.push_back({block, (1 + block) * noise(random)});
        head.push_back({block, (1 + block) * noise(random) * 1.02});
      }
    EXPECT_NEAR(BlockedArms(base, head).p_value(), p_by_enumeration(base, head), 1e-12);
  }
}

TEST(Ranks, ties_and_equal_values_show_no_difference) {
  EXPECT_EQ(BlockedArms(together({5, 5, 5}), together({5, 5, 5})).p_value(), 1);
  const BlockedArms equal(together(std::vector<double>(8, 5)), together(std::vector<double>(8, 5)));
  EXPECT_EQ(equal.p_value(), 1);
  EXPECT_NEAR(equal.ratio(), 1, 1e-9);
  const std::optional<Interval> interval = equal.interval(0.05);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 1, 1e-9);
  EXPECT_NEAR(interval->high, 1, 1e-9);
}

TEST(Ranks, exchanging_the_arms_inverts_all_results) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.02);
  std::vector<Datum> base, head;
  for (int block = 0; block < 6; ++block)
    for (int i = 0; i < 2; ++i) {
      base.push_back({block, noise(random)});
      head.push_back({block, 1.03 * noise(random)});
    }
  const BlockedArms there(base, head), back(head, base);
  EXPECT_NEAR(there.p_value(), back.p_value(), 1e-12);
  EXPECT_NEAR(there.ratio() * back.ratio(), 1, 1e-9);
  EXPECT_NEAR(there.interval(0.05)->low * back.interval(0.05)->high, 1, 1e-9);
  EXPECT_GT(there.ratio(), there.interval(0.05)->low);
  EXPECT_LT(there.ratio(), there.interval(0.05)->high);
}

TEST(Ranks, the_interval_contains_the_ratios_that_are_not_rejected) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> noise(0, 0.02);
  for (int round = 0; round < 20; ++round) {
    std::vector<Datum> base, head;
    for (int block = 0; block < 6; ++block)
      for (int i = 0; i < 2; ++i) {
        base.push_back({block, noise(random)});
        head.push_back({block, noise(random)});
      }
    const BlockedArms arms(base, head);
    for (const double alpha : {0.05, 0.005}) {
      const Interval interval = *arms.interval(alpha);
      EXPECT_LE(arms.p_value(interval.low * (1 - 1e-9)), alpha);
      EXPECT_GT(arms.p_value(interval.low * (1 + 1e-9)), alpha);
      EXPECT_LE(arms.p_value(interval.high * (1 + 1e-9)), alpha);
      EXPECT_GT(arms.p_value(interval.high * (1 - 1e-9)), alpha);
    }
  }
}

TEST(Ranks, drift_between_blocks_has_no_effect) {
  std::vector<Datum> base, head, drifted_base, drifted_head;
  std::mt19937_64 random(13);
  std::lognormal_distribution<double> noise(0, 0.01);
  for (int block = 0; block < 8; ++block) {
    const double drift = std::exp(0.05 * block);
    base.push_back({block, noise(random)});
    head.push_back({block, noise(random)});
    drifted_base.push_back({block, base.back().value * drift});
    drifted_head.push_back({block, head.back().value * drift});
  }
  EXPECT_NEAR(BlockedArms(base, head).p_value(), BlockedArms(drifted_base, drifted_head).p_value(), 1e-12);
}

TEST(Ranks, too_few_blocks_give_no_interval_and_one_arm_no_difference) {
  const BlockedArms few(together({1, 2, 3}), together({4, 5, 6}));
  EXPECT_FALSE(few.interval(0.05));
  EXPECT_TRUE(few.interval(0.1));
  const BlockedArms none({}, together({4, 5, 6}));
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.p_value(), 1);
  EXPECT_EQ(none.ratio(), 1);
  EXPECT_FALSE(none.interval(0.5));
}

TEST(Ranks, of_large_samples_agree_with_the_exact_test) {
  std::mt19937_64 random(17);
  std::lognormal_distribution<double> noise(0, 0.02);
  std::vector<double> base(32), head(32);
  for (double& value : base) value = noise(random);
  for (double& value : head) value = 1.01 * noise(random);
  const BlockedArms exact(together(base), together(head));
  base.push_back(0.5);  // one more on either side, which cancel each other as far as ranks go
  head.push_back(0.5);
  const BlockedArms normal(together(base), together(head));
  EXPECT_GT(normal.size(), BlockedArms::kMostExact);
  EXPECT_NEAR(exact.p_value(), normal.p_value(), 0.15 * exact.p_value());
}

TEST(Holm, adjusts_as_in_the_published_example) {
  // Aickin and Gensler, "Adjusting for multiple testing when reporting research results", American Journal of Public
  // Health 86 (1996) 726-728: the method's worked form, p times the number not yet rejected, never decreasing.
  EXPECT_EQ(holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}), (std::vector<double>{0.03, 0.06, 0.06, 0.02}));
  EXPECT_EQ(holm(std::vector<double>{}), std::vector<double>{});
  EXPECT_EQ(holm(std::vector<double>{0.7, 0.9}), (std::vector<double>{1, 1}));
}

}  // namespace lab::stats
