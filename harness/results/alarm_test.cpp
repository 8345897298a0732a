#include "harness/results/alarm.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace lab::results {

namespace {

// Written by the nightly.py of an earlier version.
constexpr std::string_view kState = R"({
 "alarms": [
  {
   "series": ["farm", "shelf/a/store", 2],
   "session": "0040", "ratio": 1.05, "low": null, "high": null, "nights": 3,
   "commits": {"from": "aa", "to": null}, "told": true,
   "bisect": {"culprit": "cc", "probability": 0.99, "candidates": [{"commit": "cc", "probability": 0.99}],
    "measurements": 41, "answer": "culprit", "ratio": 1.04, "skipped": [], "seconds": 12.5},
   "tries": 1, "asked": ["dd"]
  },
  {
   "series": ["farm", "shelf/b/store", 1],
   "session": "0041", "ratio": 2, "low": 1.9, "high": 2.1, "nights": 5,
   "commits": {"from": "aa", "to": "bb"}, "told": false, "bisect": {"answer": "none", "reason": "why"}, "tries": 0
  }
 ]
}
)";

}  // namespace

TEST(Alarms, of_earlier_versions_are_read_and_each_is_written_on_one_line) {
  const Expected<std::vector<Alarm>> alarms = parse_alarms(kState, "state.json");
  ASSERT_TRUE(alarms) << alarms.error().what;
  EXPECT_EQ(
      serialize(*alarms),
      R"({"version": 2, "alarms": [
 {"series":["farm","shelf/a/store",2],"session":"0040","ratio":1.05E0,"low":null,"high":null,"nights":3,)"
      R"("commits":{"from":"aa","to":null},"told":true,"bisect":{"answer":"culprit","culprit":"cc",)"
      R"("probability":9.9E-1,"ratio":1.04E0,"candidates":[{"commit":"cc","probability":9.9E-1}],"reason":null},)"
      R"("tries":1,"asked":["dd"],"ended":null,"doubt":null,"withdrawn":null},
 {"series":["farm","shelf/b/store",1],"session":"0041","ratio":2,"low":1.9E0,"high":2.1E0,"nights":5,)"
      R"("commits":{"from":"aa","to":"bb"},"told":false,"bisect":{"answer":"none","culprit":null,)"
      R"("probability":0,"ratio":null,"candidates":[],"reason":"why"},"tries":0,"asked":[],"ended":null,"doubt":null,"withdrawn":null}
]}
)");
  EXPECT_EQ(serialize(*parse_alarms(serialize(*alarms), "again")), serialize(*alarms));
  EXPECT_EQ(serialize({}), "{\"version\": 2, \"alarms\": [\n]}\n");
  EXPECT_EQ(alarms_version(serialize({})), kAlarmsVersion);
}

TEST(Alarms, in_an_invalid_file_are_refused_with_the_place_of_the_error) {
  const std::pair<std::string_view, std::string_view> table[] = {
      {"", "state: empty"},
      {"{}", "state: alarms: missing"},
      {"[]", "state: the document: expected an object, found an array"},
      {R"({"alarms": [{}]})", "state: alarms[0].series: missing"},
      {R"({"alarms": [1]})", "state: alarms[0]: expected an object, found 1"},
      {R"({"alarms": [{"session": "", "ratio": 1, "low": null, "high": null, "nights": 1,
           "commits": {"from": null, "to": null}, "told": true, "bisect": null, "tries": 0, "series": ["farm", 1]}]})",
       "state: alarms[0].series: expected an array of 3 elements, found an array"}};
  for (const auto& [text, what] : table) {
    const Expected<std::vector<Alarm>> alarms = parse_alarms(text, "state");
    ASSERT_FALSE(alarms) << text;
    EXPECT_EQ(alarms.error().what, what);
  }
}

TEST(AlarmBisect, is_one_line_of_json) {
  EXPECT_EQ(parse_bisect_answer(R"({"answer": "undecided", "culprit": null, "probability": 0.5})")->probability, 0.5);
  EXPECT_FALSE(parse_bisect_answer("{}"));
  EXPECT_FALSE(parse_bisect_answer("/a/path"));
}

}  // namespace lab::results
