#include "harness/judge/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

std::string judged(double claimed, double low, double high) {
  return std::string(to_string(judge_claim(claimed, stats::Interval{low, high})));
}

const results::CommandBuckets& buckets() {
  static const results::Published published =
      *results::load_published(std::string(LAB_SOURCE_DIR) + "/results/published");
  return published.buckets;
}

/// A line for each claim that `result` has numbers for.
std::vector<std::string> verdicts(const results::Result& result) {
  std::vector<std::string> lines;
  for (const JudgedClaim& claim : judge_claims(buckets(), result))
    if (claim.measured)
      lines.push_back(fmt::format("{} -> {} {}{}: {} {:.1f}", claim.claim->from, claim.claim->to, claim.claim->phase,
                                  claim.claim->freed.empty() ? "" : ", " + claim.claim->freed, to_string(claim.verdict),
                                  claim.measured->median));
  return lines;
}

/// A result in which processes of version 1 take `one` ns and of version 2 `two` ns a command for adding.
results::Result of_two(double one, double two, int blocks) {
  results::Result result;
  sample::add_processes(result, "command_bucket/v1_st_new/frame_work", {{"add", one}}, 40000, blocks, 0.01);
  sample::add_processes(result, "command_bucket/v2_st_linear/frame_work", {{"add", two}}, 40000, blocks, 0.01);
  return result;
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
      {1.46, 0.80, 2.00, "undecided"},    // the interval contains every answer
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

TEST(Claims, get_the_verdicts_that_the_times_deserve) {
  results::Result result;
  sample::add_bucket_family(result, 12);
  EXPECT_EQ(verdicts(result),
            (std::vector<std::string>{"1 -> 2 add, submission: reproduced 1.5", "1 -> 3 add, submission: weaker 1.9",
                                      "3 -> 4 add, submission: weaker 1.0", "4 -> 5 add: undecided 1.0",
                                      "4 -> 5 submit: refuted 1.0", "3 -> 6 add, submission: reproduced 1.3",
                                      "3 -> 7 add, submission: reproduced 1.5", "1 -> 7 add, submission: weaker 2.9"}));
}

TEST(Claims, are_judged_by_the_ratio_of_the_article_s_table_not_by_the_printed_one) {
  const std::vector<JudgedClaim> claims = judge_claims(buckets(), {});
  for (std::size_t i = 0; i < claims.size(); ++i) EXPECT_EQ(claims[i].misprinted, i == 1);
  EXPECT_NEAR(claims[1].from_table, 6.65 / 1.85, 1e-12);
}

TEST(Claims, without_enough_processes_are_undecided) {
  EXPECT_EQ(judge_claims(buckets(), of_two(166, 113, 5))[0].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(judge_claims(buckets(), of_two(166, 113, 6))[0].verdict, ClaimVerdict::kReproduced);
}

TEST(Claims, about_packets_that_are_freed_one_by_one_are_judged_once_for_each_order) {
  results::Result result = of_two(166, 101, 12);
  sample::add_processes(result, "command_bucket/v1_st_new_fifo/frame_work", {{"add", 116}}, 40000, 12, 0.01);
  EXPECT_EQ(verdicts(result),
            (std::vector<std::string>{"1 -> 2 add, submission: reproduced 1.6", "1 -> 2 add, allocation: weaker 1.1"}));
}

}  // namespace lab::judge
