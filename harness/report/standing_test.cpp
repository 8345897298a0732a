#include "harness/report/standing.h"

#include <gtest/gtest.h>

namespace lab::report {

namespace {

Contender one(const std::string& name, double median, std::optional<stats::Interval> interval = {}) {
  return {name, {6, median, interval}};
}

std::string sentence(const std::vector<Contender>& all) {
  return best_sentence(all, "the lowest median", "7 ns");
}

}  // namespace

TEST(Standing, calls_the_best_the_best_only_where_its_interval_is_apart) {
  const Contender a = one("a", 7, stats::Interval{6, 8}), b = one("b", 9, stats::Interval{8.5, 10}),
                  c = one("c", 9, stats::Interval{7.9, 10}), d = one("d", 12, stats::Interval{8, 16});
  EXPECT_EQ(sentence({a, b}), "a has the lowest median, 7 ns");
  EXPECT_EQ(sentence({a, c, b}), "a has the lowest median, 7 ns, but its interval overlaps that of c");
  Contender known = c;
  known.apart = true;
  EXPECT_EQ(sentence({a, known}), "a has the lowest median, 7 ns");
  EXPECT_EQ(sentence({a, c, d}), "a has the lowest median, 7 ns, but its interval overlaps those of c and d");
  EXPECT_EQ(sentence({a}), "a has 7 ns");
}

TEST(Standing, of_a_ratio_is_known_where_its_interval_leaves_1_out) {
  const auto ratio = [](double low, double high) {
    judge::MeasuredRatio one;
    one.interval = stats::Interval{low, high};
    return std::optional(one);
  };
  EXPECT_TRUE(tells_apart(ratio(1.01, 1.3)));
  EXPECT_TRUE(tells_apart(ratio(0.8, 0.99)));
  EXPECT_FALSE(tells_apart(ratio(0.99, 1.3)));
  EXPECT_FALSE(tells_apart(ratio(1, 1)));
  EXPECT_FALSE(tells_apart(judge::MeasuredRatio{}));
  EXPECT_FALSE(tells_apart(std::nullopt));
}

TEST(Standing, says_where_an_interval_is_missing) {
  const Contender a = one("a", 7), b = one("b", 9), c = one("c", 6.5, stats::Interval{6, 7});
  EXPECT_EQ(sentence({a, b}), "a has the lowest median, 7 ns, but it has too few processes for an interval");
  EXPECT_EQ(sentence({c, b}), "c has the lowest median, 7 ns, but b has too few processes for an interval");
  EXPECT_EQ(sentence({c, a, b}), "c has the lowest median, 7 ns, but 2 others have too few processes for an interval");
}

TEST(Standing, names_all_that_share_the_median) {
  const Contender a = one("a", 7, stats::Interval{7, 7}), b = one("b", 7, stats::Interval{7, 7}), c = one("c", 8),
                  d = one("d", 7);
  EXPECT_EQ(sentence({a, b, c}), "a and b share the lowest median, 7 ns");
  EXPECT_EQ(sentence({a, b}), "a and b share the lowest median, 7 ns");
  EXPECT_EQ(sentence({a, b, d}), "all 3 have the same median, 7 ns");
}

}  // namespace lab::report
