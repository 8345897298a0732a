#include "harness/report/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>

#include "harness/report/markdown.h"
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
  EXPECT_EQ(obstacle(std::vector<std::string>{"command_bucket/v1_st_new/frame_work"}, "misses", result),
            "command_bucket/v1_st_new/frame_work has no 'misses'");
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
  const auto reason_of = [&](auto kind, double plain, double deep, int blocks = 8, double last_deep = -1) {
    article.claims = {{"c", std::move(kind)}};
    results::Result result;
    for (const auto& [benchmark, bytes] :
         {std::pair{"shelf/plain/store", plain}, std::pair{"shelf/deep/store", deep}}) {
      sample::add_processes(result, benchmark, {{"put", bytes}}, 10, blocks, 0);
      for (results::Process& process : result.processes)
        if (process.benchmark == benchmark) process.counters = {{"bytes", bytes}};
    }
    if (last_deep >= 0) result.processes.back().counters["bytes"] = last_deep;
    return reason(judge::judge_claims(article, result).front(), result);
  };
  const auto time_ratio = [](double stated) {
    return results::RatioClaim{{"put", "store", {{"", "plain", "deep"}}}, {}, stated};
  };
  EXPECT_EQ(reason_of(time_ratio(2), 300, 100), "At least 3.00 times as fast: no less than the claimed 2.00.");
  EXPECT_EQ(reason_of(time_ratio(2), 100, 150), "Not faster: at most 0.667 times as fast.");
  EXPECT_EQ(reason_of(time_ratio(0.5), 100, 150), "Between 1.50 and 1.50 times as slow: less than the claimed 2.00.");
  EXPECT_EQ(reason_of(time_ratio(0.5), 150, 100), "Not slower: at most 0.667 times as slow.");
  EXPECT_EQ(reason_of(time_ratio(2), 300, 100, 5), "5 blocks measured both benchmarks; an interval needs 6.");

  // An exact metric: neither bounds nor a number of blocks.
  const auto ratio = [](double stated) {
    return results::RatioClaim{{"bytes", "store", {{"", "plain", "deep"}}}, {}, stated};
  };
  EXPECT_EQ(reason_of(ratio(2), 300, 100, 1), "3.00 times as small: no less than the claimed 2.00.");
  EXPECT_EQ(reason_of(ratio(2), 195, 100), "1.95 times as small: the claimed 2.00 to within 10 % of its effect.");
  EXPECT_EQ(reason_of(ratio(2), 101, 100), "1.01 times as small: less than the claimed 2.00.");
  EXPECT_EQ(reason_of(ratio(2), 100, 150), "Not smaller: 0.667 times as small.");
  EXPECT_EQ(reason_of(ratio(0.5), 100, 150), "1.50 times as large: less than the claimed 2.00.");
  EXPECT_EQ(reason_of(ratio(0.5), 150, 100), "Not larger: 0.667 times as large.");
  EXPECT_EQ(reason_of(ratio(2), 300, 100, 8, 99), "shelf/deep/store has different values of an exact metric.");
  EXPECT_EQ(reason_of(ratio(2), 300, 0), "shelf/deep/store has a value of 0 or less.");

  const results::ExactClaim exact{{"shelf/*", "bytes", ""}, {"1,500", 1500, 1}};
  EXPECT_EQ(reason_of(exact, 1500, 1500), "The stated number in 2 benchmarks.");
  EXPECT_EQ(reason_of(exact, 1500, 1501), "shelf/deep/store has 1,501.");
  EXPECT_EQ(reason_of(exact, 0, 0, 0), "No process of shelf/* has 'bytes'.");

  const results::ExactClaim most{{"shelf/*", "bytes", ""}, {"1,500", 1500, 1}, results::ExactClaim::Relation::kMost};
  EXPECT_EQ(reason_of(most, 1500, 3), "Within the bound in 2 benchmarks.");
  EXPECT_EQ(reason_of(most, 1500, 1501), "shelf/deep/store has 1,501.");
  const results::ExactClaim slow{{"shelf/*", "time", ""}, {"50,000,000", 5e7, 1}, results::ExactClaim::Relation::kMost};
  EXPECT_EQ(reason_of(slow, 6e7, 1), "shelf/plain/store has 60.0 ms to 64.2 ms.");
  // Of two that refute it, the one that is farther from the bound.
  EXPECT_EQ(reason_of(most, 1900, 1501), "shelf/plain/store has 1,900.");
  EXPECT_EQ(reason_of(most, 1501, 1900), "shelf/deep/store has 1,900.");
  const results::ExactClaim shown{{"shelf/*", "bytes", "", "tree"}, {"1,500", 1500, 1}};
  EXPECT_EQ(reason_of(shown, 1500, 1500), "No exhibit 'tree' of shelf/* has 'bytes'.");

  const auto formula = [](const char* text) {
    return results::FormulaClaim{{"shelf/*", "bytes", ""}, *results::Formula::parse(text)};
  };
  EXPECT_EQ(reason_of(formula("100 * leaves"), 1000, 1000), "No process of shelf/* has all of bytes and leaves.");
  EXPECT_EQ(reason_of(formula("bytes * 1"), 1000, 1500), "As the formula gives it in 2 benchmarks.");
  EXPECT_EQ(reason_of(formula("bytes / 4"), 1000, 1000),
            "shelf/deep/store has 1,000; the formula gives 1,000 / 4 = 250.");

  const results::OrderClaim order{"bytes", "store", {"deep", "plain"}};
  EXPECT_EQ(reason_of(order, 300, 100, 1), "Each is larger than the one before it: plain / deep 3.00.");
  EXPECT_EQ(reason_of(order, 100, 100, 3), "Not each is larger than the one before it: plain / deep 1.00.");
  EXPECT_EQ(reason_of(order, 300, 100, 3, 99),
            "Not each is known: plain / deep unknown, because shelf/deep/store has different values of an exact "
            "metric.");
  EXPECT_EQ(reason_of(order, 0, 0, 0),
            "Not each is known: plain / deep unknown, because shelf/deep/store has no numbers.");

  const results::OrderClaim times{"put", "store", {"deep", "plain"}};
  EXPECT_EQ(reason_of(times, 300, 100), "Each is larger than the one before it: plain / deep 3.00 (3.00 to 3.00).");
  EXPECT_EQ(reason_of(times, 300, 100, 3), "One may not be larger than the one before it: plain / deep 3.00.");
}

TEST(Claims, of_numbers_say_what_keeps_them_from_a_verdict) {
  const auto reason_of = [&](auto kind, const std::vector<double>& values,
                             results::MetricKind metric = results::MetricKind::kExact,
                             const judge::Fitness& fitness = {}) {
    results::Article article;
    article.family = "shelf";
    article.claims = {{"c", std::move(kind)}};
    results::Result result;
    result.workloads.push_back({"shelf", "store", "", 1, {"put"}, 10, "pair", false});
    result.workloads.back().metrics = {{"levels", "", "", metric}, {"leaf", "", "", results::MetricKind::kExact}};
    sample::add_processes(result, "shelf/plain/store", {{"put", 10}}, 10, static_cast<int>(values.size()), 0);
    for (std::size_t i = 0; i < values.size(); ++i)
      result.processes[i].counters = {{"levels", values[i]}, {"leaf", 16384}, {"tree", 524288}};
    return reason(judge::judge_claims(article, result, fitness).front(), result);
  };
  using enum results::ExactClaim::Relation;
  using enum results::MetricKind;
  const results::ExactClaim most{{"shelf/*", "levels"}, {"2", 2, 1}, kMost};
  EXPECT_EQ(reason_of(most, {2.5}), "shelf/plain/store has 2.5 in one process, which proves no exact value.");
  EXPECT_EQ(reason_of(most, {1, 2}), "shelf/plain/store has different values of an exact metric, 1 to 2.");
  EXPECT_EQ(reason_of(most, {2.5}, kQuality), "shelf/plain/store has 2.5 in 1 process; a metric with noise needs 6.");
  EXPECT_EQ(reason_of(most, {1, 1, 1, 1, 1, 3}, kQuality),
            "shelf/plain/store has 1 to 3: not in every process as stated, nor beyond it with the interval of the "
            "median.");
  EXPECT_EQ(reason_of(most, std::vector<double>(6, 3), kQuality), "shelf/plain/store has 3.");
  EXPECT_EQ(reason_of(most, std::vector<double>(6, 3), kQuality, {false, judge::kMachineReason}),
            "Found in 1 benchmark.");
  // As the formula writes it, on both sides.
  const results::FormulaClaim formula{{"shelf/*", "tree"}, *results::Formula::parse("2^levels * leaf")};
  EXPECT_EQ(reason_of(formula, {5, 5}), "2^5 * 16,384 = 524,288, as the formula gives it in 1 benchmark.");
  EXPECT_EQ(reason_of(formula, {6, 6}), "shelf/plain/store has 524,288; the formula gives 2^6 * 16,384 = 1,048,576.");
}

TEST(Claims, of_a_disturbed_session_are_shown_with_their_intervals) {
  const judge::Fitness disturbed{false, judge::kMachineReason};
  const results::Result result = of_two(166, 113, 12);
  const std::vector<judge::JudgedClaim> claims = judge::judge_claims(buckets(), result, disturbed);
  Document document;
  document.pages[0].sections = {claims_section(claims, buckets(), "Buckets", result, disturbed)};
  const std::string text = to_markdown(document);
  EXPECT_NE(text.find("| **disturbed, not judged** | One thread: a linear allocator instead of global new makes adding "
                      "faster; packets freed in the order of submission | 1.46 | 1.46 |"),
            std::string::npos)
      << text;
  EXPECT_TRUE(reason(claims[0], result).starts_with("Between 1.4")) << reason(claims[0], result);
  EXPECT_TRUE(reason(claims[0], result).ends_with(" times as fast; claimed is 1.46.")) << reason(claims[0], result);
  EXPECT_EQ(verdict_counts(claims), "7 undecided") << "without numbers";
  EXPECT_TRUE(charts_of(document).front()->title.ends_with(", disturbed, not judged"))
      << charts_of(document).front()->title;
}

TEST(Claims, about_an_exact_metric_are_printed_without_an_interval) {
  const auto text_of = [&](const std::string& metric, const std::vector<std::pair<std::string, double>>& values) {
    results::Article article;
    article.name = "shelves";
    article.family = "shelf";
    article.claims = {{"Deep shelves need less", results::OrderClaim{metric, "store", {"deep", "plain"}}},
                      {"Half of it", results::RatioClaim{{metric, "store", {{"", "plain", "deep"}}}, {}, 2.0}}};
    results::Result result;
    for (const auto& [benchmark, value] : values) {
      // Each in a block of its own.
      sample::add_processes(result, benchmark, {{"put", 10}}, 10, 1, 0);
      result.processes.back().block = static_cast<int>(result.processes.size());
      result.processes.back().counters = {{metric, value}};
    }
    const Section section = claims_section(judge::judge_claims(article, result), article, "Shelves", result);
    const std::string how = std::get<Paragraph>(section.elements.front()).text;
    EXPECT_NE(how.find(" An exact metric has no noise: if all processes of each benchmark agree, the ratio of the two "
                       "values decides, without an interval."),
              std::string::npos)
        << how;
    Document document;
    document.pages[0].sections = {section};
    const std::string text = to_markdown(document);
    return text.substr(std::min(text.find("| Verdict"), text.find("| | Claim")));
  };
  const std::string plain = "shelf/plain/store", deep = "shelf/deep/store";
  const std::string command = "`python3 make.py run --filter 'shelf/deep/store' --filter 'shelf/plain/store'`";
  EXPECT_EQ(text_of("bytes", {{plain, 300}, {deep, 150}, {deep, 150}}),
            "| Verdict | Claim | Stated | Here | Why |\n|---|---|---|---:|---|\n"
            "| **reproduced** | Deep shelves need less | deep &lt; plain |  | Each is larger than the one before it: "
            "plain / deep 2.00. |\n"
            "| **reproduced** | Half of it | 2.00 | 2.00 | 2.00 times as small: no less than the claimed 2.00. |\n");
  EXPECT_EQ(text_of("bytes", {{plain, 300}, {deep, 150}, {deep, 100}}),
            "| | Claim | Why |\n|---|---|---|\n"
            "| **undecided** | Deep shelves need less | Not each is known: plain / deep "
            "unknown, because shelf/deep/store has different values of an exact metric. " +
                command +
                " |\n| **undecided** | Half of it | shelf/deep/store has different values of an exact metric. " +
                command + " |\n");
  EXPECT_EQ(text_of("instructions", {{plain, 300}, {plain, 300}, {deep, 150}}),
            "| | Claim | Why |\n|---|---|---|\n"
            "| **undecided** | Deep shelves need less | Not each is known: plain / deep "
            "unknown, because shelf/deep/store has one process, which proves no exact value. " +
                command +
                " |\n| **undecided** | Half of it | shelf/deep/store has one process, which proves no exact value. " +
                command + " |\n");
}

TEST(Claims, that_nothing_here_can_answer_stand_in_a_table_of_their_own_with_the_reason) {
  results::Article article;
  article.name = "shelves";
  article.source = {"On shelves", "A. Writer", 2020};
  article.family = "shelf";
  article.claims = {
      {"Deep shelves need less", results::OrderClaim{"put", "store", {"deep", "plain"}}},
      {"Wood is warm", results::TextClaim{}, {"First page", "A thermometer", "No shelf here is of wood"}}};
  article.claims.front().need = results::ClaimNeed{"boards", 2};
  results::Result result = of_two(30, 15, 8);
  const Section section = claims_section(judge::judge_claims(article, result), article, "Shelves", result);
  Document document;
  document.pages[0].sections = {section};
  const std::string text = to_markdown(document);
  EXPECT_NE(text.find("The claim needs at least 2 boards; no benchmark of it has that metric."), std::string::npos)
      << text;
  EXPECT_NE(
      text.find("Claims (A. Writer, 2020) that nothing here can answer:\n\n| Claim | Why it is open |\n|---|---|\n| "
                "Wood is warm | No shelf here is of wood |\n"),
      std::string::npos)
      << text;
  const auto& table = std::get<Table>(section.elements.back());
  const std::vector<std::pair<std::string, std::string>> details{{"In the article", "First page"},
                                                                 {"What would decide it", "A thermometer"}};
  EXPECT_EQ(table.rows.front().front().details, details);
  for (const char* const variant : {"deep", "plain"})
    sample::add_processes(result, fmt::format("shelf/{}/store", variant), {{"put", 10}}, 10, 8, 0.001);
  for (results::Process& process : result.processes) process.counters["boards"] = 1;
  document.pages[0].sections = {claims_section(judge::judge_claims(article, result), article, "Shelves", result)};
  EXPECT_NE(to_markdown(document).find("The claim needs at least 2 boards; this machine has 1."), std::string::npos);
  article.claims.pop_back();
  EXPECT_EQ(open_claims_table(article).rows.size(), 0u);
}

}  // namespace lab::report
