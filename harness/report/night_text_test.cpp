#include "harness/report/night_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/report/fitness_text.h"

namespace lab::report {

namespace {

results::Alarm slower(const std::string& benchmark) {
  results::Alarm alarm;
  alarm.machine = "farm";
  alarm.benchmark = benchmark;
  alarm.ratio = 1.5;
  alarm.commits = {std::string(40, 'a'), std::string(40, 'b')};
  return alarm;
}

results::AlarmBisect answer(const std::string& text, std::optional<std::string> culprit = {}, double probability = 0) {
  results::AlarmBisect answer;
  answer.answer = text;
  answer.culprit = std::move(culprit);
  answer.probability = probability;
  return answer;
}

NightFindings measured(std::set<std::string> benchmarks) {
  NightFindings found;
  found.benchmarks = std::move(benchmarks);
  return found;
}

using Words = std::vector<std::string>;

/// A night in which 6 of 10 benchmarks are outliers after so many nights.
judge::NightFitness with_outliers(std::size_t nights, judge::LevelCounts levels) {
  judge::NightFitness night;
  night.levels = levels;
  for (const double ratio : {2.0, 0.5, 3.0, 4.0, 5.0, 1.6}) night.outliers.push_back({"shelf/a/store", ratio, nights});
  night.fit = !levels.unfit();
  if (!night.fit) night.reason = judge::kMachineReason;
  return night;
}

constexpr judge::LevelCounts kMoved{10, 0, 6}, kStayed{10, 6, 0};

judge::Fitness disturbed() {
  return {false, judge::kMachineReason, judge::DisturbedBlocks{9, 10, 0.9, 90, 90, 0, {}, 1, 1, 1, 1}, {}, true};
}

}  // namespace

TEST(NightSentences, of_a_fit_night_are_only_its_unusual_findings) {
  judge::NightFitness night;
  night.unusual = {"load 3"};
  const auto& [unfit, notes, unusual] = night_sentences(night);
  EXPECT_EQ(unfit, Words{});
  EXPECT_EQ(notes, Words{});
  EXPECT_EQ(unusual, Words{"load 3"});
}

TEST(NightSentences, announce_when_many_outliers_will_be_judged) {
  EXPECT_EQ(night_sentences(with_outliers(12, kMoved)).unfit,
            (Words{"6 of 10 benchmarks have unusual times (5 slower, 1 faster)",
                   "a second such night is judged as a new level. In the first 15 nights of a series no change is "
                   "found: use `compare` with an earlier night"}));
  EXPECT_EQ(night_sentences(with_outliers(25, kMoved)).unfit.back(), "a second such night is judged as a new level");
  EXPECT_EQ(
      night_sentences(with_outliers(12, kStayed)).notes,
      Words{"6 of 10 benchmarks have the same unusual times as last night; history will judge them within 4 "
            "nights. In the first 15 nights of a series no change is found: use `compare` with an earlier night"});
  EXPECT_EQ(
      night_sentences(with_outliers(26, kStayed)).notes,
      Words{"6 of 10 benchmarks have the same unusual times as last night; history will judge them within 4 nights"});
}

TEST(NightSentences, of_a_disturbed_session_are_not_repeated_as_unusual) {
  judge::NightFitness night = with_outliers(12, kMoved);
  night.session_fitness = disturbed();
  night.left_out = "unfit session";
  night.unusual = {"load 3", unfit_sentences(disturbed()).front(), disturbed_sentence(disturbed())};
  const NightSentences sentences = night_sentences(night);
  EXPECT_EQ(sentences.unfit, (Words{"6 of 10 benchmarks have unusual times (5 slower, 1 faster)",
                                    "other processes used 100 % of a CPU in 9 of 10 blocks, 90 % of the time; 10 % of "
                                    "a CPU is the limit",
                                    "measure when nothing else runs, or on a dedicated machine"}));
  EXPECT_EQ(sentences.unusual, Words{"load 3"});
}

TEST(NightText, counts_no_benchmark_whose_times_other_work_disturbed_and_junit_skips_it) {
  NightFindings found = measured({"shelf/a/store", "shelf/b/store"});
  found.night.without_level = {"shelf/b/store"};
  EXPECT_EQ(night_text(found), "1 without a new regression");
  const std::string junit = night_junit(found);
  EXPECT_NE(junit.find("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"1\""), std::string::npos) << junit;
  EXPECT_NE(junit.find("other work disturbed its times"), std::string::npos) << junit;
}

TEST(NightSentences, of_a_blind_control_give_its_own_advice) {
  judge::NightFitness night;
  night.fit = false;
  night.reason = judge::kBlindReason;
  judge::Control blind;
  blind.fit = false;
  blind.reason = judge::kBlindReason;
  blind.detectable_change = 0.25;
  night.session_fitness = {false, judge::kBlindReason, {}, blind};
  EXPECT_EQ(night_sentences(night).unfit,
            Words{"the A/A control's smallest detectable change is 25 %, required is 15 %: measure longer, or on a "
                  "quieter machine"});
}

TEST(NightSentences, of_a_session_in_no_series_give_the_reason) {
  judge::NightFitness night;
  night.fit = false;
  night.left_out = "dirty source";
  EXPECT_EQ(night_sentences(night).unfit,
            (Words{"history omits this session: dirty source", "commit the changes or revert them"}));
}

TEST(NightText, names_a_few_alarms_and_junit_names_all) {
  NightFindings found;
  for (int i = 0; i < 7; ++i) found.alarms.push_back(slower(fmt::format("shelf/v{}/store", i)));
  EXPECT_EQ(alarms_text(found.alarms),
            "shelf/v0/store +50.00 %, shelf/v1/store +50.00 %, shelf/v2/store +50.00 %, shelf/v3/store +50.00 %, "
            "shelf/v4/store +50.00 % and 2 more in aaaaaaaaaaaa..bbbbbbbbbbbb, not bisected yet");
  EXPECT_NE(night_junit(found).find("tests=\"8\" failures=\"7\""), std::string::npos);
}

TEST(NightText, groups_alarms_by_culprit_with_the_lowest_probability) {
  std::vector<results::Alarm> alarms(4, slower("shelf/a/store"));
  alarms[0].low = 1.4, alarms[0].high = 1.6;
  alarms[0].bisect = answer("culprit", std::string(40, 'c'), 0.999);
  alarms[1].benchmark = "shelf/b/store";
  alarms[1].commits.from = std::nullopt;
  alarms[1].bisect = answer("culprit", std::string(40, 'c'), 0.99);
  alarms[2].bisect = answer("candidates");
  alarms[2].bisect->candidates = {{"d", 0.5}, {"e", 0.5}};
  alarms[3].bisect = answer("none");
  EXPECT_EQ(alarms_text(alarms),
            "shelf/a/store +50.00 % [+40.00 %, +60.00 %], shelf/b/store +50.00 %, culprit cccccccccccc (99.0 %); "
            "shelf/a/store +50.00 % in aaaaaaaaaaaa..bbbbbbbbbbbb, one of 2 commits; "
            "shelf/a/store +50.00 % in aaaaaaaaaaaa..bbbbbbbbbbbb, bisect: the ends do not differ");
}

TEST(NightText, summarizes_all_findings_of_a_night) {
  NightFindings found = measured({"shelf/a/store", "shelf/b/store", "shelf/c/store"});
  found.alarms = {slower("shelf/a/store")};
  found.failures = {{"shelf/d/store", 0, 0, "crash", "signal 11", ""}};
  found.night.too_young = {{"shelf/b/store", {4, 0, "too_young"}}};
  found.night.levels = {.with_level = 20, .stayed = 20};
  found.night.unusual = {"load 3: stop it"};
  found.reported_before = {slower("shelf/e/store")};
  found.reported_before[0].bisect = answer(results::kCutOff);
  found.reported_before[0].tries = 2;
  found.waiting = 1;
  EXPECT_EQ(night_text(found),
            "1 slower: shelf/a/store +50.00 % in aaaaaaaaaaaa..bbbbbbbbbbbb, not bisected yet; 1 other without a new "
            "regression, 1 too young to tell (4 more nights); 1 failed: shelf/d/store; 20 of 20 benchmarks have the "
            "same unusual times as last night; history will judge them within 4 nights; unusual: load 3; "
            "already reported: shelf/e/store +50.00 % in aaaaaaaaaaaa..bbbbbbbbbbbb, bisect cut off, try 2 of 5; "
            "1 bisect unfinished");
}

TEST(NightJunit, has_a_case_for_every_benchmark_with_its_state) {
  NightFindings found = measured({"shelf/a/store", "shelf/c/store"});
  found.alarms = {slower("shelf/a/store")};
  found.alarms[0].commits.to = std::nullopt;
  found.failures = {{"shelf/b/store", 0, 0, "crash", "<&\x01>", ""}, {"shelf/b/store", 1, 0, "timeout", "", ""}};
  EXPECT_EQ(night_junit(found),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n"
            "  <testsuite name=\"nightly\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"0\">\n"
            "    <testcase classname=\"nightly\" name=\"session\"/>\n"
            "    <testcase classname=\"shelf\" name=\"a/store\"><failure "
            "message=\"slower: shelf/a/store +50.00 % in aaaaaaaaaaaa..no git, not bisected yet\"/></testcase>\n"
            "    <testcase classname=\"shelf\" name=\"b/store\"><error message=\"crash: &lt;&amp; &gt;\"/></testcase>\n"
            "    <testcase classname=\"shelf\" name=\"c/store\"/>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

TEST(NightJunit, skips_benchmarks_without_a_verdict_and_has_unusual_findings) {
  NightFindings found = measured({"shelf/a/store", "shelf/c/store"});
  found.failures = {{"shelf/b/store", 0, 0, "crash", "signal 11", ""}};
  found.night.unusual = {"load 3 & <more>"};
  found.night.levels = {.with_level = 20, .stayed = 20};
  found.night.too_young = {{"shelf/a/store", {4, 0, "too_young"}}};
  found.night.outliers = {{"shelf/c/store", 1.251, 20}};
  EXPECT_EQ(
      night_junit(found),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n"
      "  <testsuite name=\"nightly\" tests=\"4\" failures=\"0\" errors=\"1\" skipped=\"1\">\n"
      "    <properties>\n"
      "      <property name=\"unusual\" value=\"load 3 &amp; &lt;more&gt;\"/>\n"
      "      <property name=\"note\" value=\"20 of 20 benchmarks have the same unusual times as last night; history "
      "will judge them within 4 nights\"/>\n"
      "      <property name=\"outlier\" value=\"shelf/c/store: 1.25 times its level\"/>\n"
      "    </properties>\n"
      "    <testcase classname=\"nightly\" name=\"session\"/>\n"
      "    <testcase classname=\"shelf\" name=\"a/store\"><skipped message=\"too young to tell: 16 of 20 nights\"/>"
      "</testcase>\n"
      "    <testcase classname=\"shelf\" name=\"b/store\"><error message=\"crash: signal 11\"/></testcase>\n"
      "    <testcase classname=\"shelf\" name=\"c/store\"/>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
  found.night.fit = false;
  found.night.left_out = "dirty source";
  const std::string unfit = night_junit(found);
  EXPECT_NE(unfit.find("tests=\"4\" failures=\"0\" errors=\"1\" skipped=\"3\""), std::string::npos) << unfit;
  EXPECT_NE(
      unfit.find("<skipped message=\"unfit: history omits this session: dirty source; commit the changes or revert "
                 "them\"/>"),
      std::string::npos)
      << unfit;
}

}  // namespace lab::report
