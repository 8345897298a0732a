#include "harness/judge/claim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace lab::judge {

namespace {

std::string judged(double claimed, double low, double high) {
  return std::string(to_string(judge_claim(claimed, stats::Interval{low, high})));
}

}  // namespace

TEST(Claim, is_judged_by_the_interval) {
  const struct {
    double claimed, low, high;
    const char* verdict;
  } rows[]{
      {1.46, 1.40, 1.50, "reproduced"},   // contains the claim
      {1.46, 2.00, 2.20, "reproduced"},   // stronger than claimed
      {1.46, 1.38, 1.42, "reproduced"},   // nine tenths of it: 1.46^0.9 is 1.406
      {1.46, 1.01, 1.90, "reproduced"},   // wide, yet an effect, and the claim within it
      {1.46, 1.20, 1.25, "weaker"},       // an effect, the claimed one excluded
      {1.46, 1.001, 1.002, "weaker"},     // hardly any, but one
      {1.46, 0.90, 0.95, "refuted"},      // the opposite
      {1.46, 0.90, 1.00, "refuted"},      // none, or the opposite
      {1.46, 0.99, 1.01, "refuted"},      // no room for a tenth of it: 1.46^0.1 is 1.039
      {1.46, 0.99, 1.05, "undecided"},    // room for a little
      {1.46, 0.80, 2.00, "undecided"},    // knows nothing
      {1.042, 0.99, 1.01, "undecided"},   // a small claim needs a narrow interval
      {1.042, 0.999, 1.003, "refuted"},   // and here it is
      {0.778, 0.75, 0.80, "reproduced"},  // a slow-down, as claimed
      {0.778, 0.90, 0.95, "weaker"},      // slower, but less
      {0.778, 1.05, 1.10, "refuted"},     // faster instead
      {0.778, 0.995, 1.01, "refuted"},    // neither
      {0.778, 0.90, 1.10, "undecided"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(judged(row.claimed, row.low, row.high), row.verdict)
        << row.claimed << " [" << row.low << ", " << row.high << "]";
}

TEST(Claim, of_a_slow_down_is_the_same_claim_about_the_inverse) {
  for (const double claimed : {1.05, 1.46, 5.32})
    for (const double low : {0.5, 0.9, 0.99, 1.0, 1.1, 2.0})
      for (const double factor : {1.001, 1.02, 1.3, 8.0})
        EXPECT_EQ(judged(claimed, low, low * factor), judged(1 / claimed, 1 / (low * factor), 1 / low));
}

TEST(Claim, without_an_interval_or_without_an_effect_is_undecided) {
  EXPECT_EQ(judge_claim(1.46, std::nullopt), ClaimVerdict::kUndecided);
  EXPECT_EQ(judged(1, 1.2, 1.3), "undecided");
  EXPECT_EQ(judged(0, 1.2, 1.3), "undecided");
  EXPECT_EQ(judged(std::numeric_limits<double>::quiet_NaN(), 1.2, 1.3), "undecided");
  EXPECT_EQ(judged(1.46, std::numeric_limits<double>::quiet_NaN(), 1.3), "undecided");
}

}  // namespace lab::judge
