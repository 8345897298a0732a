#include "harness/report/night_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

}  // namespace

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
  found.night.notes = {"a note"};
  found.night.unusual = {"load 3: stop it"};
  found.reported_before = {slower("shelf/e/store")};
  found.reported_before[0].bisect = answer(results::kCutOff);
  found.reported_before[0].tries = 2;
  found.waiting = 1;
  EXPECT_EQ(night_text(found),
            "1 slower: shelf/a/store +50.00 % in aaaaaaaaaaaa..bbbbbbbbbbbb, not bisected yet; 1 other without a new "
            "regression, 1 too young to tell (4 more nights); 1 failed: shelf/d/store; a note; unusual: load 3; "
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
  found.night.notes = {"20 of 20 benchmarks as far"};
  found.night.too_young = {{"shelf/a/store", {4, 0, "too_young"}}};
  found.night.outliers = {{"shelf/c/store", 1.251, 20}};
  EXPECT_EQ(
      night_junit(found),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n"
      "  <testsuite name=\"nightly\" tests=\"4\" failures=\"0\" errors=\"1\" skipped=\"1\">\n"
      "    <properties>\n"
      "      <property name=\"unusual\" value=\"load 3 &amp; &lt;more&gt;\"/>\n"
      "      <property name=\"note\" value=\"20 of 20 benchmarks as far\"/>\n"
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
  found.night.sentences = {"much is far off", "wait"};
  const std::string unfit = night_junit(found);
  EXPECT_NE(unfit.find("tests=\"4\" failures=\"0\" errors=\"1\" skipped=\"3\""), std::string::npos) << unfit;
  EXPECT_NE(unfit.find("<skipped message=\"unfit: much is far off; wait\"/>"), std::string::npos) << unfit;
}

}  // namespace lab::report
