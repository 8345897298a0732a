#include "harness/stats/sessions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lab::stats {

namespace {

/// A session of 12 processes around `level`, 1 % apart.
std::vector<Datum> session_of(int session, double level, double spread = 0.01) {
  std::vector<Datum> data;
  for (int i = 0; i < 12; ++i)
    data.push_back({100 * session + i, level * std::exp(spread * (i - 5.5) / 6), 0, session});
  return data;
}

std::vector<Datum> together(std::initializer_list<std::vector<Datum>> sessions) {
  std::vector<Datum> all;
  for (const std::vector<Datum>& one : sessions) all.insert(all.end(), one.begin(), one.end());
  return all;
}

double width(const Estimate& estimate) {
  return std::log(estimate.interval->high / estimate.interval->low);
}

}  // namespace

TEST(Sessions, of_one_give_its_own_estimate) {
  const std::vector<Datum> data = session_of(3, 50);
  std::vector<double> values;
  for (const Datum& datum : data) values.push_back(datum.value);
  const Estimate alone = estimate_median(values), together = estimate_sessions(data);
  EXPECT_EQ(together.median, alone.median);
  EXPECT_EQ(*together.interval, *alone.interval);
  EXPECT_EQ(together.count, 12u);
  EXPECT_EQ(together.sessions, 1u);
}

TEST(Sessions, that_are_equal_keep_the_median_and_narrow_with_their_number) {
  const double own = width(estimate_sessions(session_of(0, 50)));
  const Estimate two = estimate_sessions(together({session_of(0, 50), session_of(1, 50)}));
  EXPECT_NEAR(two.median, estimate_sessions(session_of(0, 50)).median, 1e-9);
  EXPECT_EQ(two.count, 24u);
  EXPECT_EQ(two.sessions, 2u);
  EXPECT_GT(width(two), own) << "two sessions say little about how much sessions differ";
  std::vector<Datum> data;
  double before = width(two);
  for (int session = 0; session < 8; ++session) {
    const std::vector<Datum> one = session_of(session, 50);
    data.insert(data.end(), one.begin(), one.end());
    if (session < 2) continue;
    const Estimate all = estimate_sessions(data);
    EXPECT_LT(width(all), before);
    EXPECT_GE(width(all), own / std::sqrt(session + 1)) << "narrower than without differences between sessions";
    before = width(all);
  }
  EXPECT_LT(before, own);
}

TEST(Sessions, that_deviate_widen_the_interval) {
  const std::vector<Datum> same =
      together({session_of(0, 50), session_of(1, 50), session_of(2, 50), session_of(3, 50)});
  double before = width(estimate_sessions(same));
  for (const double level : {52, 55, 60}) {
    const Estimate all =
        estimate_sessions(together({session_of(0, 50), session_of(1, 50), session_of(2, 50), session_of(3, level)}));
    EXPECT_GT(width(all), before) << level;
    before = width(all);
  }
}

TEST(Sessions, are_not_pooled) {
  // Pooled, 12 processes at 50 and 12 at 60 would have the interval 50 to 60.
  const Estimate two = estimate_sessions(together({session_of(0, 50), session_of(1, 60)}));
  EXPECT_NEAR(two.median, std::sqrt(50.0 * 60.0), 0.01);
  EXPECT_LT(two.interval->low, 40);
  EXPECT_GT(two.interval->high, 75);
  // A hundred processes more in one session hardly count, if sessions differ much more than processes.
  std::vector<Datum> data = together({session_of(0, 50), session_of(1, 60)});
  for (int i = 0; i < 100; ++i) data.push_back({1000 + i, 50, 0, 0});
  EXPECT_NEAR(estimate_sessions(data).median, two.median, 0.1);
}

TEST(Sessions, compare_arms_only_within_their_blocks_and_sessions) {
  // The second session runs at half speed: within it, the ratio is the same.
  const std::vector<Datum> from = together({session_of(0, 100), session_of(1, 200)}),
                           to = together({session_of(0, 50), session_of(1, 100)});
  const std::optional<Estimate> ratio = estimate_ratio(from, to);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->median, 2, 1e-9);
  EXPECT_EQ(ratio->sessions, 2u);
  EXPECT_FALSE(estimate_ratio(session_of(0, 100), session_of(1, 50)));
  // Only the session that has both counts.
  const std::optional<Estimate> one = estimate_ratio(from, session_of(1, 100));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->sessions, 1u);
  EXPECT_EQ(one->count, 12u);
}

TEST(Sessions, exchange_to_the_inverse_ratio) {
  const std::vector<Datum> from = together({session_of(0, 100, 0.02), session_of(1, 104), session_of(2, 99)}),
                           to = together({session_of(0, 50), session_of(1, 51, 0.03), session_of(2, 50)});
  const Estimate ratio = *estimate_ratio(from, to), inverse = *estimate_ratio(to, from);
  EXPECT_NEAR(ratio.median * inverse.median, 1, 1e-12);
  EXPECT_NEAR(ratio.interval->low * inverse.interval->high, 1, 1e-12);
}

TEST(Sessions, with_too_few_processes_count_only_if_all_have_too_few) {
  std::vector<Datum> few = session_of(1, 70);
  few.resize(3);
  const Estimate with_other = estimate_sessions(together({session_of(0, 50), few}));
  EXPECT_EQ(with_other.median, estimate_sessions(session_of(0, 50)).median);
  std::vector<Datum> others = session_of(0, 50);
  others.resize(3);
  const Estimate both = estimate_sessions(together({others, few}));
  EXPECT_FALSE(both.interval);
  EXPECT_EQ(both.sessions, 2u);
}

TEST(Sessions, without_noise_have_the_value_itself) {
  std::vector<Datum> data;
  for (int i = 0; i < 20; ++i) data.push_back({i, 0.1 + 0.2, 0, i / 10});
  const Estimate all = estimate_sessions(data);
  EXPECT_EQ(all.median, 0.1 + 0.2);
  EXPECT_EQ(*all.interval, (Interval{0.1 + 0.2, 0.1 + 0.2}));
  for (Datum& datum : data) datum.value = 0;
  EXPECT_EQ(estimate_sessions(data).median, 0);
}

TEST(Sessions, combine_zeros_and_negative_values_without_logarithms) {
  std::vector<Datum> data;
  for (int i = 0; i < 20; ++i) data.push_back({i, i % 10 - 4.5, 0, i / 10});
  const Estimate all = estimate_sessions(data);
  EXPECT_NEAR(all.median, 0, 1e-9);
  EXPECT_NEAR(all.interval->low, -all.interval->high, 1e-9);
}

}  // namespace lab::stats
