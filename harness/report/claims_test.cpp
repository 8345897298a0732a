#include "harness/report/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

const CommandBuckets& buckets() {
  static const Published published = *load_published(std::string(LAB_SOURCE_DIR) + "/results/published");
  return published.buckets;
}

std::vector<std::string> verdicts(const results::Result& result) {
  std::vector<std::string> lines;
  for (const JudgedClaim& claim : judge_claims(buckets(), result))
    lines.push_back(fmt::format("{} -> {} {}: {}", claim.claim->from, claim.claim->to, claim.claim->phase,
                                judge::to_string(claim.verdict)));
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

TEST(Claims, of_the_article_get_the_verdicts_that_the_times_deserve) {
  const std::vector<std::string> expected{"1 -> 2 add: reproduced", "1 -> 3 add: weaker",     "3 -> 4 add: weaker",
                                          "4 -> 5 add: undecided",  "4 -> 5 submit: refuted", "3 -> 6 add: reproduced",
                                          "3 -> 7 add: reproduced", "1 -> 7 add: weaker"};
  EXPECT_EQ(verdicts(sample::result()), expected);
  EXPECT_EQ(verdict_counts(judge_claims(buckets(), sample::result())),
            "3 reproduced, 3 weaker, 1 refuted and 1 undecided");
}

TEST(Claims, are_judged_by_the_ratio_of_the_article_s_table_not_by_the_printed_one) {
  const std::vector<JudgedClaim> claims = judge_claims(buckets(), sample::result());
  EXPECT_NEAR(claims[1].from_table, 6.65 / 1.85, 1e-12);
  EXPECT_EQ(erratum_of(*claims[1].claim, claims[1].from_table), "3.59, not 3.54");
  for (const std::size_t other : {0, 2, 3, 4, 5, 6, 7})
    EXPECT_EQ(erratum_of(*claims[other].claim, claims[other].from_table), "");
}

TEST(Claims, say_in_a_sentence_why) {
  EXPECT_EQ(judge_claims(buckets(), of_two(166, 100, 12))[0].why.substr(0, 9), "At least ");
  EXPECT_EQ(judge_claims(buckets(), of_two(166, 100, 12))[0].verdict, judge::ClaimVerdict::kReproduced);
  EXPECT_EQ(judge_claims(buckets(), of_two(100, 166, 12))[0].verdict, judge::ClaimVerdict::kRefuted);
  EXPECT_EQ(judge_claims(buckets(), of_two(100, 166, 12))[0].why.substr(0, 27), "Not faster at all: at most ");
}

TEST(Claims, without_enough_processes_are_undecided_and_say_how_many_it_takes) {
  const JudgedClaim claim = judge_claims(buckets(), of_two(166, 113, 5))[0];
  EXPECT_EQ(claim.verdict, judge::ClaimVerdict::kUndecided);
  EXPECT_EQ(claim.why, "5 blocks measured both; an interval takes 6.");
}

TEST(Claims, without_numbers_name_the_benchmark_that_lacks_them) {
  results::Result result = of_two(166, 113, 12);
  const std::vector<JudgedClaim> claims = judge_claims(buckets(), result);
  EXPECT_EQ(claims[1].why, "command_bucket/v3_mt_new/frame_work has no numbers.");
  EXPECT_FALSE(claims[1].measured);
}

TEST(Claims, about_packets_that_are_freed_one_by_one_are_judged_once_for_each_order) {
  results::Result result = of_two(166, 101, 12);
  sample::add_processes(result, "command_bucket/v1_st_new_fifo/frame_work", {{"add", 116}}, 40000, 12, 0.01);
  std::vector<std::string> lines;
  for (const JudgedClaim& claim : judge_claims(buckets(), result))
    if (claim.measured)
      lines.push_back(
          fmt::format("{}: {} {:.1f}", wording(*claim.claim), judge::to_string(claim.verdict), claim.measured->median));
  const std::string text =
      "One thread: a linear allocator instead of global new makes adding faster; packets freed in "
      "the order of ";
  EXPECT_EQ(lines, (std::vector<std::string>{text + "submission: reproduced 1.6", text + "allocation: weaker 1.1"}));
  const json::array rows = speedup_chart(buckets(), result)->data.at("rows").as_array();
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const auto& row) { return row.at("label").as_string() == "v1_st_new_fifo"; }),
            2)
      << "one here and one of the article";
}

TEST(Claims, are_plotted_with_the_article_s_marks_beside_ours) {
  const std::optional<Chart> chart = speedup_chart(buckets(), sample::result());
  ASSERT_TRUE(chart);
  // Seven versions: two workloads and the article.
  EXPECT_EQ(chart->data.at("rows").as_array().size(), 21u);
  EXPECT_FALSE(speedup_chart(buckets(), results::Result{}));
}

}  // namespace lab::report
