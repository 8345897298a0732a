#include "harness/judge/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "harness/base/error.h"
#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

std::string judged(double claimed, double low, double high) {
  return std::string(to_string(judge_claim(claimed, stats::Interval{low, high})));
}

const results::Article& buckets() {
  return sample::article("command_buckets");
}

/// "1 -> 2 add, submission" for the variants "v1_..." and "v2_...".
std::string name_of(const JudgedRatio& ratio) {
  const std::string& when = ratio.one->when;
  return fmt::format("{} -> {} {}{}", ratio.one->from[1], ratio.one->to[1], ratio.claim->ratio.metric,
                     when.empty() ? "" : ", " + when.substr(when.rfind(' ') + 1));
}

/// A line for each ratio claim that `result` has numbers for.
std::vector<std::string> verdicts(const results::Result& result) {
  std::vector<std::string> lines;
  for (const JudgedClaim& claim : judge_claims(buckets(), result))
    if (const auto& ratio = std::get<JudgedRatio>(claim.evidence); ratio.measured)
      lines.push_back(fmt::format("{}: {} {:.1f}", name_of(ratio), to_string(claim.verdict), ratio.measured->median));
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
  ASSERT_EQ(claims.size(), 8u);
  for (std::size_t i = 0; i < claims.size(); ++i)
    EXPECT_EQ(std::get<JudgedRatio>(claims[i].evidence).misprinted, i == 1);
  EXPECT_NEAR(std::get<JudgedRatio>(claims[1].evidence).claimed, 6.65 / 1.85, 1e-12);
}

TEST(Claims, without_enough_processes_are_undecided) {
  EXPECT_EQ(judge_claims(buckets(), of_two(166, 113, 5))[0].verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(judge_claims(buckets(), of_two(166, 113, 6))[0].verdict, ClaimVerdict::kReproduced);
}

TEST(Claims, are_judged_once_for_each_case_that_was_measured) {
  results::Result result = of_two(166, 101, 12);
  sample::add_processes(result, "command_bucket/v1_st_new_fifo/frame_work", {{"add", 116}}, 40000, 12, 0.01);
  EXPECT_EQ(verdicts(result),
            (std::vector<std::string>{"1 -> 2 add, submission: reproduced 1.6", "1 -> 2 add, allocation: weaker 1.1"}));
}

namespace {

/// An article with one claim about the variants of "shelf", and a result in which variants have a time and a counter.
JudgedClaim judged(results::Claim claim, const std::vector<std::pair<std::string, double>>& variants, int blocks = 8) {
  static results::Article article;
  article = {};
  article.family = "shelf";
  article.claims = {std::move(claim)};
  results::Result result;
  for (const auto& [variant, value] : variants) {
    sample::add_processes(result, "shelf/" + variant + "/store", {{"put", value}}, 10, blocks, 0.001);
    for (results::Process& process : result.processes)
      if (process.benchmark == "shelf/" + variant + "/store")
        process.counters = {{"used_bytes", value}, {"all_bytes", 100.0}};
  }
  return judge_claims(article, result).front();
}

results::Claim exact(const char* text, double value, double accuracy) {
  return {"", results::ExactClaim{{"shelf/*/store", "used_bytes", "all_bytes"}, {text, value, accuracy}}};
}

results::Claim bound(const char* text, double value, double accuracy, results::ExactClaim::Relation relation) {
  return {"", results::ExactClaim{{"shelf/*/store", "used_bytes", "all_bytes"}, {text, value, accuracy}, relation}};
}

results::Claim formula(const char* text) {
  return {"", results::FormulaClaim{{"shelf/*/store", "used_bytes", "all_bytes"}, *results::Formula::parse(text)}};
}

results::Claim order(const char* metric, std::vector<std::string> variants) {
  return {"", results::OrderClaim{metric, "store", std::move(variants)}};
}

std::string verdict_of(const JudgedClaim& claim) {
  return std::string(to_string(claim.verdict));
}

}  // namespace

TEST(Claim, of_an_exact_value_holds_within_the_last_printed_digit) {
  const results::Claim claim = exact("12.5 %", 0.125, 0.001);
  EXPECT_EQ(verdict_of(judged(claim, {{"plain", 12.5}, {"deep", 12.55}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(claim, {{"plain", 12.5}, {"deep", 12.61}})), "refuted");
  EXPECT_EQ(verdict_of(judged(claim, {})), "undecided");
  const JudgedClaim found = judged(claim, {{"plain", 12.5}, {"deep", 13}});
  EXPECT_EQ(found.benchmarks, (std::vector<std::string>{"shelf/deep/store", "shelf/plain/store"}));
  EXPECT_FALSE(std::get<JudgedExact>(found.evidence).values[0].holds);
  EXPECT_TRUE(std::get<JudgedExact>(found.evidence).values[1].holds);
}

TEST(Claim, of_nothing_holds_for_nothing_alone) {
  const results::Claim none = exact("0", 0, 1);
  EXPECT_EQ(verdict_of(judged(none, {{"plain", 0}, {"deep", 0}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(none, {{"plain", 0}, {"deep", 40}})), "refuted") << "0.4 is within one unit of 0";
}

TEST(Claim, of_a_bound_holds_from_the_bound_on) {
  using enum results::ExactClaim::Relation;
  const results::Claim least = bound("12.5 %", 0.125, 0.001, kLeast), most = bound("12.5 %", 0.125, 0.001, kMost);
  EXPECT_EQ(verdict_of(judged(least, {{"plain", 12.5}, {"deep", 90}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(least, {{"plain", 12.49}, {"deep", 90}})), "refuted");
  EXPECT_EQ(verdict_of(judged(most, {{"plain", 12.5}, {"deep", 0}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(most, {{"plain", 12.51}, {"deep", 0}})), "refuted");
  EXPECT_EQ(verdict_of(judged(most, {})), "undecided");
  // Whole numbers: one more than the bound is beyond it.
  const auto of_bytes = [](double stated, results::ExactClaim::Relation relation) {
    return results::Claim{"", results::ExactClaim{{"shelf/*/store", "used_bytes"}, {"", stated, 1}, relation}};
  };
  EXPECT_EQ(verdict_of(judged(of_bytes(2, kMost), {{"plain", 2}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(of_bytes(2, kMost), {{"plain", 2.5}})), "refuted");
  EXPECT_EQ(verdict_of(judged(of_bytes(2, kLeast), {{"plain", 1.5}})), "refuted");
  EXPECT_EQ(verdict_of(judged(of_bytes(0, kMost), {{"plain", 0.001}})), "refuted");
}

TEST(Claim, of_a_bound_forgives_the_rounding_of_a_quotient_alone) {
  using enum results::ExactClaim::Relation;
  // 12.1 / 100 is another double than 0.121.
  for (const double printed : {12.1, 16.384, 57.3, 0.7, 33.3})
    for (const auto relation : {kMost, kLeast})
      EXPECT_EQ(
          verdict_of(judged(bound("", printed / 100 * (1 + (relation == kMost ? -1 : 1) * 1e-15), 0.001, relation),
                            {{"plain", printed}})),
          "reproduced")
          << printed;
  EXPECT_EQ(verdict_of(judged(bound("", 0.12499999999, 1e-11, kMost), {{"plain", 12.5}})), "refuted");
}

TEST(Claim, of_a_formula_is_about_the_metrics_of_the_same_benchmark) {
  // used_bytes over all_bytes is used_bytes / 100.
  const results::Claim right = formula("used_bytes / 100"), wrong = formula("1 / (8 * all_bytes)");
  EXPECT_EQ(verdict_of(judged(right, {{"plain", 12.5}, {"deep", 40}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(wrong, {{"plain", 12.5}, {"deep", 40}})), "refuted");
  EXPECT_EQ(verdict_of(judged(wrong, {{"plain", 0.125}})), "reproduced");
  EXPECT_EQ(verdict_of(judged(formula("2 * leaves"), {{"plain", 12.5}})), "undecided") << "nothing counts leaves";
  EXPECT_EQ(verdict_of(judged(right, {})), "undecided");
  const JudgedClaim found = judged(wrong, {{"plain", 12.5}});
  const ExactValue& value = std::get<JudgedFormula>(found.evidence).values.at(0);
  EXPECT_EQ(value.benchmark, "shelf/plain/store");
  EXPECT_DOUBLE_EQ(value.range.low, 0.125);
  EXPECT_DOUBLE_EQ(value.stated.high, 1.0 / 800);
}

TEST(Claim, of_a_number_needs_two_processes_that_agree) {
  using enum results::ExactClaim::Relation;
  for (const results::Claim& claim : {exact("12.5 %", 0.125, 0.001), bound("12.5 %", 0.125, 0.001, kMost),
                                      bound("12.5 %", 0.125, 0.001, kLeast), formula("used_bytes / 100")}) {
    EXPECT_EQ(verdict_of(judged(claim, {{"plain", 12.5}}, 1)), "undecided");
    EXPECT_EQ(verdict_of(judged(claim, {{"plain", 12.5}}, 2)), "reproduced");
    EXPECT_EQ(verdict_of(judged(claim, {{"plain", 12.5}, {"deep", 12.5}}, 1)), "undecided")
        << "one process of each of two benchmarks";
  }
  const results::Claim most = bound("50 %", 0.5, 0.01, kMost);
  EXPECT_EQ(verdict_of(judged(most, {{"plain", 60}}, 1)), "undecided") << "nor does one process refute";
  EXPECT_EQ(verdict_of(judged(most, {{"plain", 60}}, 2)), "refuted");
}

namespace {

/// The verdict on a bound or a number, of a metric of this kind with these values in a process each.
std::string verdict_on_values(const results::ExactClaim& claim, const std::vector<double>& values,
                              results::MetricKind kind = results::MetricKind::kQuality, const Fitness& fitness = {}) {
  results::Article article;
  article.family = "shelf";
  article.claims = {{"", claim}};
  results::Result result;
  result.workloads.push_back({"shelf", "store", "", 1, {"put"}, 10, "pair", false});
  result.workloads.back().metrics = {{"frames", "", "", kind}};
  sample::add_processes(result, "shelf/plain/store", {{"put", 10}}, 10, static_cast<int>(values.size()), 0.001);
  for (std::size_t i = 0; i < values.size(); ++i) result.processes[i].counters["frames"] = values[i];
  return verdict_of(judge_claims(article, result, fitness).front());
}

results::ExactClaim of_frames(double stated, results::ExactClaim::Relation relation) {
  return {{"shelf/*/store", "frames"}, {"2", stated, 1}, relation};
}

}  // namespace

TEST(Claim, of_a_number_with_noise_needs_as_many_processes_as_an_interval) {
  using enum results::ExactClaim::Relation;
  const results::ExactClaim most = of_frames(2, kMost);
  EXPECT_EQ(verdict_on_values(most, {2.5}), "undecided");
  EXPECT_EQ(verdict_on_values(most, {1, 1, 1, 1, 1}), "undecided") << "five processes have no interval";
  EXPECT_EQ(verdict_on_values(most, {1, 2, 2, 1, 2, 2}), "reproduced");
  EXPECT_EQ(verdict_on_values(most, {1, 2, 2, 1, 2, 2.5}), "undecided")
      << "one process is beyond, the median may not be";
  EXPECT_EQ(verdict_on_values(most, {2.5, 3, 2.5, 4, 2.5, 3}), "refuted");
  EXPECT_EQ(verdict_on_values(of_frames(2, kLeast), {2, 2, 3, 3, 2, 2}), "reproduced");
  EXPECT_EQ(verdict_on_values(of_frames(2, kLeast), {1, 1, 1, 1, 1, 1}), "refuted");
  EXPECT_EQ(verdict_on_values(of_frames(2, kEqual), {2, 2, 2, 2, 2, 2}), "reproduced");
  EXPECT_EQ(verdict_on_values(of_frames(2, kEqual), {2, 9, 2, 2, 2, 2}), "undecided");
  EXPECT_EQ(verdict_on_values(of_frames(2, kEqual), {9, 9, 9, 9, 9, 9}), "refuted");
  EXPECT_EQ(verdict_on_values(most, {1, 2, 2}, results::MetricKind::kExact), "undecided") << "exact values disagree";
}

TEST(Claim, about_something_with_noise_is_not_judged_in_an_unfit_session) {
  using enum results::ExactClaim::Relation;
  using enum results::MetricKind;
  const Fitness unfit{false, kMachineReason};
  for (const std::vector<double>& values : {std::vector<double>(6, 1), std::vector<double>(6, 9), {1.0, 9.0}}) {
    for (const results::MetricKind kind : {kTime, kQuality, kMemory})
      EXPECT_EQ(verdict_on_values(of_frames(2, kMost), values, kind, unfit), "not judged");
    EXPECT_EQ(verdict_on_values(of_frames(2, kMost), values, kExact, unfit),
              verdict_on_values(of_frames(2, kMost), values, kExact, {}));
  }
  results::Result result;
  sample::add_bucket_family(result, 12);
  for (const JudgedClaim& claim : judge_claims(buckets(), result, unfit)) {
    const auto& ratio = std::get<JudgedRatio>(claim.evidence);
    EXPECT_EQ(verdict_of(claim), ratio.measured ? "not judged" : "undecided");
    EXPECT_TRUE(!ratio.measured || ratio.measured->interval) << "what was measured is kept";
  }
}

TEST(Claim, about_a_time_as_such_is_not_judged_if_other_work_disturbed_it_and_a_ratio_is) {
  using enum results::ExactClaim::Relation;
  results::Result result;
  sample::add_bucket_family(result, 12);
  const std::string before = verdict_of(judge_claims(buckets(), result).front());
  const std::string benchmark = result.processes.front().benchmark;
  results::Article article;
  article.family = std::string(results::benchmark_parts(benchmark).family);
  const auto claim = [&](const char* metric, const char* over) {
    results::ExactClaim made{{benchmark, metric}, {"1e9", 1e9, 1}, kMost};
    made.quantity.over = over;
    return results::Claim{"", made};
  };
  article.claims = {claim("time", ""), claim("time", "time")};
  const auto verdicts = [&] {
    const std::vector<JudgedClaim> claims = judge_claims(article, result);
    return std::vector<std::string>{verdict_of(claims[0]), verdict_of(claims[1])};
  };
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"reproduced", "reproduced"}));
  for (int block = 0; block < 12; ++block) result.session.disturbances.push_back({block, 10, 17, 0});
  EXPECT_EQ(verdicts(), (std::vector<std::string>{"not judged", "reproduced"}));
  EXPECT_EQ(verdict_of(judge_claims(buckets(), result).front()), before) << "variants are disturbed alike";
  for (std::size_t block = 0; block < 6; ++block) result.session.disturbances[block].foreign = 0;
  EXPECT_EQ(verdicts().front(), "reproduced") << "in the undisturbed blocks";
}

TEST(Claim, of_an_order_is_judged_in_an_unfit_session_where_it_is_exact) {
  results::Article article;
  article.family = "shelf";
  article.claims = {order("put", {"a", "b"}), order("used_bytes", {"a", "b"})};
  results::Result result;
  for (const auto& [variant, value] : {std::pair("a", 10.0), std::pair("b", 20.0)}) {
    sample::add_processes(result, fmt::format("shelf/{}/store", variant), {{"put", value}}, 10, 8, 0.001);
    for (int i = 0; i < 8; ++i) result.processes[result.processes.size() - 8 + i].counters["used_bytes"] = value;
  }
  const std::vector<JudgedClaim> claims = judge_claims(article, result, {false, kMachineReason, {}});
  EXPECT_EQ(verdict_of(claims[0]), "not judged");
  EXPECT_EQ(verdict_of(claims[1]), "reproduced");
}

TEST(Claim, about_latencies_is_not_judged_in_an_unfit_session_and_about_other_exhibits_is) {
  results::Article article;
  article.family = "shelf";
  const auto of_exhibit = [](const char* exhibit) {
    results::ExactClaim claim{{"shelf/*/store", "worst"}, {"16", 16, 1}, results::ExactClaim::Relation::kMost};
    claim.quantity.exhibit = exhibit;
    return results::Claim{"", claim};
  };
  article.claims = {of_exhibit("call"), of_exhibit("tree")};
  results::Result result;
  sample::add_processes(result, "shelf/plain/store", {{"put", 10}}, 10, 2, 0.001);
  for (const auto& [name, kind] :
       {std::pair("call", results::ExhibitKind::kLatency), std::pair("tree", results::ExhibitKind::kEvents)})
    result.exhibits.push_back({"shelf/plain/store", {name, "", kind}, "", 6, {{"worst", 12}}});
  const std::vector<JudgedClaim> fit = judge_claims(article, result, Fitness{}),
                                 unfit = judge_claims(article, result, {false, kMachineReason, {}});
  EXPECT_EQ(verdict_of(fit[0]), "reproduced");
  EXPECT_EQ(verdict_of(unfit[0]), "not judged");
  EXPECT_EQ(verdict_of(unfit[1]), "reproduced");
  for (int block = 0; block < 2; ++block) result.session.disturbances.push_back({block, 10, 17, 0});
  const std::vector<JudgedClaim> disturbed = judge_claims(article, result);
  EXPECT_EQ(verdict_of(disturbed[0]), "not judged");
  EXPECT_EQ(verdict_of(disturbed[1]), "reproduced");
}

TEST(Claim, may_be_about_the_figures_of_an_exhibit) {
  results::Article article;
  article.family = "shelf";
  results::Claim claim = exact("12.5 %", 0.125, 0.001);
  std::get<results::ExactClaim>(claim.kind).quantity.exhibit = "tree";
  article.claims = {claim};
  results::Result result;
  sample::add_processes(result, "shelf/plain/store", {{"put", 10}}, 10, 2, 0.001);
  for (results::Process& process : result.processes) process.counters = {{"used_bytes", 50}, {"all_bytes", 100}};
  EXPECT_EQ(verdict_of(judge_claims(article, result).front()), "undecided") << "counters are no figures of an exhibit";
  result.exhibits.push_back({"shelf/plain/store",
                             {"tree", "", results::ExhibitKind::kEvents},
                             "",
                             1,
                             {{"used_bytes", 25}, {"all_bytes", 200}}});
  EXPECT_EQ(verdict_of(judge_claims(article, result).front()), "reproduced");
  result.exhibits.front().summary["used_bytes"] = 26;
  EXPECT_EQ(verdict_of(judge_claims(article, result).front()), "refuted");
}

TEST(Claim, may_compare_two_workloads_of_a_variant) {
  results::Article article;
  article.family = "shelf";
  article.claims = {{"", results::OrderClaim{"put", "", {"plain/apart", "plain/mixed"}}},
                    {"", results::RatioClaim{{"put", "mixed", {{"", "plain", "plain/apart"}}}, {}, 2.0}}};
  results::Result result;
  EXPECT_EQ(verdict_of(judge_claims(article, result)[0]), "undecided");
  sample::add_processes(result, "shelf/plain/mixed", {{"put", 20}}, 10, 8, 0.001);
  sample::add_processes(result, "shelf/plain/apart", {{"put", 10}}, 10, 8, 0.001);
  const std::vector<JudgedClaim> claims = judge_claims(article, result);
  EXPECT_EQ(verdict_of(claims[0]), "reproduced");
  EXPECT_EQ(claims[0].benchmarks, (std::vector<std::string>{"shelf/plain/apart", "shelf/plain/mixed"}));
  EXPECT_TRUE(std::get<JudgedOrder>(claims[0].evidence).time);
  EXPECT_EQ(verdict_of(claims[1]), "reproduced");
}

TEST(Claim, of_an_order_needs_every_step) {
  const results::Claim times = order("put", {"a", "b", "c"}), counters = order("used_bytes", {"a", "b", "c"});
  for (const results::Claim& claim : {times, counters}) {
    EXPECT_EQ(verdict_of(judged(claim, {{"a", 10}, {"b", 20}, {"c", 30}})), "reproduced");
    EXPECT_EQ(verdict_of(judged(claim, {{"a", 10}, {"b", 30}, {"c", 20}})), "refuted");
    EXPECT_EQ(verdict_of(judged(claim, {{"a", 10}, {"c", 30}})), "undecided");
  }
  EXPECT_EQ(verdict_of(judged(times, {{"a", 10}, {"b", 20}, {"c", 30}}, 5)), "undecided") << "no interval of five";
  EXPECT_EQ(verdict_of(judged(counters, {{"a", 10}, {"b", 20}, {"c", 30}}, 1)), "reproduced") << "exact";
  EXPECT_EQ(verdict_of(judged(times, {{"a", 10}, {"b", 20}, {"c", 20}})), "undecided") << "times have noise";
  EXPECT_EQ(verdict_of(judged(counters, {{"a", 10}, {"b", 20}, {"c", 20}})), "refuted") << "an exact tie";
}

namespace {

/// The claims about lifetimes: an order, and the same as a ratio of 2. Each workload has the values in blocks of its
/// own, of a metric of that kind.
std::string verdicts_of_apart_and_mixed(const std::vector<double>& apart, const std::vector<double>& mixed,
                                        results::MetricKind kind = results::MetricKind::kExact,
                                        const std::string& metric = "minimum_heap_bytes") {
  results::Article article;
  article.family = "shelf";
  article.claims = {{"", results::OrderClaim{metric, "", {"plain/apart", "plain/mixed"}}},
                    {"", results::RatioClaim{{metric, "mixed", {{"", "plain", "plain/apart"}}}, {}, 2.0}}};
  results::Result result;
  for (const auto& [workload, values] : {std::pair("apart", apart), std::pair("mixed", mixed)}) {
    result.workloads.push_back({"shelf", workload, "", 1, {"put"}, 10, "pair", false});
    result.workloads.back().metrics = {{metric, "", "bytes", kind}};
    // Processes that do not collect the metric are between those that do.
    sample::add_processes(result, std::string("shelf/plain/") + workload, {{"put", 10}}, 10, 20, 0.001);
    const auto first = result.processes.end() - 20;
    const int offset = kind == results::MetricKind::kExact && workload == std::string("mixed") ? 9 : 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      (first + offset + static_cast<int>(i))->counters[metric] = values[i];
  }
  const std::vector<JudgedClaim> judged = judge_claims(article, result);
  return verdict_of(judged[0]) + ", " + verdict_of(judged[1]);
}

}  // namespace

TEST(Claim, about_an_exact_metric_is_decided_by_any_agreeing_values_in_any_blocks) {
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096}, {8192}), "reproduced, reproduced");
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096, 4096, 4096}, {8192, 8192, 8192}), "reproduced, reproduced");
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096, 4096, 4096}, {8192}), "reproduced, reproduced");
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096}, {6144}), "reproduced, weaker");
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096}, {4096}), "refuted, refuted");
  EXPECT_EQ(verdicts_of_apart_and_mixed({8192}, {4096}), "refuted, refuted");
}

TEST(Claim, about_an_exact_metric_is_undecided_where_processes_disagree_or_a_value_is_missing) {
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096, 4096, 4128}, {8192, 8192, 8192}), "undecided, undecided");
  EXPECT_EQ(verdicts_of_apart_and_mixed({4096}, {8192, 8224}), "undecided, undecided");
  const std::vector<double> many(9, 4096), disagreeing{8192, 8192, 8192, 8192, 8192, 8192, 8192, 8193};
  EXPECT_EQ(verdicts_of_apart_and_mixed(many, disagreeing), "undecided, undecided");
  EXPECT_EQ(verdicts_of_apart_and_mixed({}, {8192}), "undecided, undecided");
  EXPECT_EQ(verdicts_of_apart_and_mixed({0}, {8192}), "undecided, undecided");
  using enum results::MetricKind;
  EXPECT_EQ(verdicts_of_apart_and_mixed({100}, {200}, kExact, "instructions"), "undecided, undecided")
      << "one process proves no count of instructions";
  EXPECT_EQ(verdicts_of_apart_and_mixed({100, 100}, {200, 200}, kExact, "instructions"), "reproduced, reproduced");
}

TEST(Claim, about_a_metric_with_noise_needs_an_interval_even_if_all_values_agree) {
  using enum results::MetricKind;
  const std::vector<double> five_small(5, 4096), five_large(5, 8192), six_small(6, 4096), six_large(6, 8192);
  EXPECT_EQ(verdicts_of_apart_and_mixed(five_small, five_large, kMemory), "undecided, undecided");
  EXPECT_EQ(verdicts_of_apart_and_mixed(six_small, six_large, kMemory), "reproduced, reproduced");
}

TEST(Claim, of_a_ratio_may_be_about_a_counter_and_have_no_table) {
  const results::Claim claim{"", results::RatioClaim{{"used_bytes", "store", {{"", "a", "b"}}}, {}, 2.0}};
  const JudgedClaim found = judged(claim, {{"a", 30}, {"b", 15}});
  const auto& ratio = std::get<JudgedRatio>(found.evidence);
  EXPECT_EQ(verdict_of(found), "reproduced");
  EXPECT_DOUBLE_EQ(ratio.claimed, 2);
  EXPECT_DOUBLE_EQ(ratio.measured->median, 2);
  EXPECT_FALSE(ratio.time);
  EXPECT_FALSE(ratio.misprinted);
}

TEST(Claim, that_needs_more_threads_than_there_are_is_undecided_and_has_their_number) {
  results::Article article;
  article.family = "shelf";
  article.claims = {{"Apart is faster", results::OrderClaim{"put", "store", {"apart", "shared"}}}};
  const auto with_threads = [&](std::optional<double> threads) {
    results::Result result;
    for (const auto& [variant, ns] : {std::pair{"apart", 10.0}, std::pair{"shared", 20.0}})
      sample::add_processes(result, fmt::format("shelf/{}/store", variant), {{"put", ns}}, 10, 8, 0.001);
    if (threads)
      for (results::Process& process : result.processes) process.counters["workers"] = *threads;
    return judge_claims(article, result).front();
  };
  EXPECT_EQ(verdict_of(with_threads(1)), "reproduced") << "it needs nothing";
  article.claims.front().need = results::ClaimNeed{"workers", 2};
  EXPECT_EQ(verdict_of(with_threads(2)), "reproduced");
  EXPECT_FALSE(with_threads(2).unmet);
  EXPECT_EQ(verdict_of(with_threads(1)), "undecided");
  ASSERT_TRUE(with_threads(1).unmet);
  EXPECT_EQ(with_threads(1).unmet->most, 1);
  EXPECT_EQ(verdict_of(with_threads({})), "undecided");
  ASSERT_TRUE(with_threads({}).unmet);
  EXPECT_EQ(with_threads({}).unmet->most, std::nullopt);
}

}  // namespace lab::judge
