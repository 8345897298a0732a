#include "harness/report/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

const results::Article& buckets() {
  return sample::article("command_buckets");
}

std::optional<Chart> speedup_chart(const results::Result& result) {
  return ratio_chart(buckets().charts.front(), buckets(), result);
}

/// A result in which processes of one variant take `one` ns and of another `two` ns a command for adding.
results::Result of_two(double one, double two, int blocks) {
  results::Result result;
  sample::add_processes(result, "command_bucket/v1_st_new/frame_work", {{"add", one}}, 40000, blocks, 0.01);
  sample::add_processes(result, "command_bucket/v2_st_linear/frame_work", {{"add", two}}, 40000, blocks, 0.01);
  return result;
}

std::string reason_of_first(const results::Result& result) {
  return reason(judge::judge_claims(buckets(), result)[0], result);
}

}  // namespace

TEST(Claims, are_counted_by_verdict) {
  EXPECT_EQ(verdict_counts(judge::judge_claims(buckets(), sample::result())),
            "3 reproduced, 3 weaker, 1 refuted and 1 undecided");
  EXPECT_EQ(verdict_counts({}), "none");
}

TEST(Claims, have_a_reason_in_one_sentence) {
  EXPECT_EQ(reason_of_first(of_two(166, 100, 12)).substr(0, 9), "At least ");
  EXPECT_EQ(reason_of_first(of_two(166, 113, 12)).substr(0, 8), "Between ");
  EXPECT_EQ(reason_of_first(of_two(100, 166, 12)).substr(0, 20), "Not faster: at most ");
  EXPECT_EQ(reason_of_first(of_two(166, 113, 5)), "5 blocks measured both benchmarks; an interval needs 6.");
}

TEST(Claims, name_the_benchmark_that_has_no_numbers) {
  const results::Result result = of_two(166, 113, 12);
  EXPECT_EQ(reason(judge::judge_claims(buckets(), result)[1], result),
            "command_bucket/v3_mt_new/frame_work has no numbers.");
}

TEST(Claims, name_their_case_and_draw_the_articles_mark_once) {
  results::Result result = of_two(166, 101, 12);
  sample::add_processes(result, "command_bucket/v1_st_new_fifo/frame_work", {{"add", 116}}, 40000, 12, 0.01);
  EXPECT_EQ(wording(judge::judge_claims(buckets(), result)[1]),
            "One thread: a linear allocator instead of global new makes adding faster; packets freed in the order of "
            "allocation");
  const json::array rows = speedup_chart(result)->data.at("rows").as_array();
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [](const auto& row) { return row.at("label").as_string() == "v1_st_new_fifo"; }),
            2)
      << "one here and one of the article";
}

TEST(Claims, are_plotted_with_the_articles_marks) {
  const std::optional<Chart> chart = speedup_chart(sample::result());
  ASSERT_TRUE(chart);
  // Seven versions: two workloads and the article.
  EXPECT_EQ(chart->data.at("rows").as_array().size(), 21u);
  EXPECT_FALSE(speedup_chart(results::Result{}));
}

TEST(Claims, of_every_kind_have_a_reason_for_every_verdict) {
  results::Article article;
  article.family = "shelf";
  const auto reason_of = [&](auto kind, double plain, double deep, int blocks = 8) {
    article.claims = {{"c", std::move(kind)}};
    results::Result result;
    for (const auto& [benchmark, bytes] :
         {std::pair{"shelf/plain/store", plain}, std::pair{"shelf/deep/store", deep}}) {
      sample::add_processes(result, benchmark, {{"put", 10}}, 10, blocks, 0.01);
      for (results::Process& process : result.processes)
        if (process.benchmark == benchmark) process.counters = {{"bytes", bytes}};
    }
    return reason(judge::judge_claims(article, result).front(), result);
  };
  const auto ratio = [](double stated) {
    return results::RatioClaim{{"bytes", "store", {{"", "plain", "deep"}}}, {}, stated};
  };
  EXPECT_EQ(reason_of(ratio(2), 300, 100), "At least 3.00 times as small: no less than the claimed 2.00.");
  EXPECT_EQ(reason_of(ratio(2), 100, 150), "Not smaller: at most 0.667 times as small.");
  EXPECT_EQ(reason_of(ratio(0.5), 100, 150), "Between 1.50 and 1.50 times as large: less than the claimed 2.00.");
  EXPECT_EQ(reason_of(ratio(0.5), 150, 100), "Not larger: at most 0.667 times as large.");

  const results::ExactClaim exact{{"shelf/*", "bytes", ""}, {"1,500", 1500, 1}};
  EXPECT_EQ(reason_of(exact, 1500, 1500), "The stated number in 2 benchmarks.");
  EXPECT_EQ(reason_of(exact, 1500, 1501), "shelf/deep/store has 1,501.");
  EXPECT_EQ(reason_of(exact, 0, 0, 0), "No process of shelf/* has 'bytes'.");

  const results::ExactClaim most{{"shelf/*", "bytes", ""}, {"1,500", 1500, 1}, results::ExactClaim::Relation::kMost};
  EXPECT_EQ(reason_of(most, 1500, 3), "Within the bound in 2 benchmarks.");
  EXPECT_EQ(reason_of(most, 1500, 1501), "shelf/deep/store has 1,501.");
  const results::ExactClaim shown{{"shelf/*", "bytes", "", "tree"}, {"1,500", 1500, 1}};
  EXPECT_EQ(reason_of(shown, 1500, 1500), "No exhibit 'tree' of shelf/* has 'bytes'.");

  const auto formula = [](const char* text) {
    return results::FormulaClaim{{"shelf/*", "bytes", ""}, *results::Formula::parse(text)};
  };
  EXPECT_EQ(reason_of(formula("100 * leaves"), 1000, 1000), "No process of shelf/* has all of bytes and leaves.");
  EXPECT_EQ(reason_of(formula("bytes * 1"), 1000, 1500), "As the formula gives it in 2 benchmarks.");
  EXPECT_EQ(reason_of(formula("bytes / 4"), 1000, 1000), "shelf/deep/store has 1000; the formula gives 250.");

  const results::OrderClaim order{"bytes", "store", {"deep", "plain"}};
  EXPECT_EQ(reason_of(order, 300, 100), "Every step grows: plain / deep 3.00 (3.00 to 3.00).");
  EXPECT_EQ(reason_of(order, 100, 100), "One step does not grow: plain / deep 1.00 (1.00 to 1.00).");
  EXPECT_EQ(reason_of(order, 300, 100, 3), "One step may not grow: plain / deep 3.00.");
  EXPECT_EQ(reason_of(order, 0, 0, 0), "One step may not grow: plain / deep has no numbers.");
}

}  // namespace lab::report
