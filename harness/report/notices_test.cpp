#include "harness/report/notices.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace lab::report {

namespace {

judge::Farm two_classes() {
  judge::Farm farm;
  for (const char* id : {"farm-1", "farm-2", "farm-3"}) {
    judge::FarmMachine machine;
    machine.id = id;
    machine.class_name = machine.id < "farm-3" ? "epyc" : "xeon";
    machine.hardware = machine.id < "farm-3" ? "AMD EPYC" : "Intel Xeon";
    machine.last = "2026-03-01T02:00:00Z";
    farm.machines.push_back(machine);
  }
  judge::FarmChange change;
  change.regressed = true;
  change.cause = judge::kCodeCause;
  change.started = "2026-02-20T02:00:00Z";
  change.commits = {"00581ddb00000000", "2d8954de00000000"};
  change.commit_count = 3;
  change.ratio = 1.125;
  change.low = 1.0625;
  change.high = 1.25;
  change.benchmarks = {"a/b/c", "a/b/d"};
  change.machines = {"farm-1", "farm-2"};
  change.others = {"farm-3"};
  change.reason = "class epyc";
  change.with_reason = 2;
  change.is_confirmed = true;
  change.alarm = "2026-02-20";
  farm.changes.push_back(change);
  return farm;
}

results::FarmAlarm raised() {
  results::FarmAlarm alarm;
  alarm.id = "2026-02-20";
  alarm.raised = alarm.at = "2026-02-23T05:00:00Z";
  alarm.benchmarks = {"a/b/c", "a/b/d"};
  alarm.commits = {"00581ddb00000000", "2d8954de00000000"};
  return alarm;
}

/// As a receiver reads it.
boost::json::object read(const Notice& notice) {
  const std::string text = to_json(notice);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  return boost::json::parse(text).as_object();
}

}  // namespace

TEST(Notices, of_an_alarm_says_all_that_is_known) {
  Notice notice = alarm_notice(two_classes(), raised());
  notice.address = page_address("https://lab.example/farm/", notice);
  EXPECT_EQ(to_json(notice),
            R"json({"kind":"alarm","key":"alarm:2026-02-20 raised 2026-02-23T05:00:00Z","id":"2026-02-20",)json"
            R"json("when":"2026-02-20T02:00:00Z","title":"a/b/c and 1 other benchmark regressed by +12.5 % )json"
            R"json((+6.2 to +25.0 %) on 2 of 2 machines with class epyc, on 0 of 1 without; )json"
            R"json(00581ddb0000..2d8954de0000","state":"raised",)json"
            R"json("change":{"ratio":1.125E0,"low":1.0625E0,"high":1.25E0,"text":"+12.5 % (+6.2 to +25.0 %)"},)json"
            R"json("benchmarks":["a/b/c","a/b/d"],"machines":["farm-1","farm-2"],"classes":["epyc"],)json"
            R"json("hardware":["AMD EPYC"],"reason":"class epyc","others":["farm-3"],"commits":)json"
            R"json({"from":"00581ddb00000000","to":"2d8954de00000000","count":3},)json"
            R"json("address":"https://lab.example/farm/alarm?id=2026-02-20"})json"
            "\n");
}

TEST(Notices, of_an_alarm_whose_change_moved_has_what_was_recorded) {
  judge::Farm farm = two_classes();
  farm.changes.clear();
  const boost::json::object told = read(alarm_notice(farm, raised()));
  EXPECT_EQ(told.at("title"), "a/b/c and 1 other benchmark regressed; 00581ddb0000..2d8954de0000");
  EXPECT_TRUE(told.at("change").is_null());
  EXPECT_EQ(told.at("when"), "2026-02-23T05:00:00Z");
  EXPECT_EQ(told.at("key"), read(alarm_notice(two_classes(), raised())).at("key"));
}

TEST(Notices, of_a_recovery_name_the_improvement) {
  judge::Farm farm = two_classes();
  judge::FarmChange better = farm.changes.front();
  better.regressed = false;
  better.alarm = "";
  better.started = "2026-02-27T02:00:00Z";
  better.commits = {"2d8954de00000000", "3300000000000000"};
  better.ratio = better.low = better.high = 0.875;
  farm.changes.insert(farm.changes.begin(), better);
  results::FarmAlarm fixed = raised();
  fixed.state = results::AlarmStep::kEnded;
  fixed.fixed_by = better.commits;
  const boost::json::object told = read(recovery_notice(farm, fixed));
  EXPECT_EQ(told.at("kind"), "recovery");
  EXPECT_EQ(told.at("state"), "fixed");
  EXPECT_EQ(told.at("when"), "2026-02-27T02:00:00Z");
  EXPECT_EQ(told.at("title"),
            "alarm 2026-02-20 is fixed: a/b/c and 1 other benchmark improved by -12.5 % on 2 of 2 machines with class "
            "epyc, on 0 of 1 without; 2d8954de0000..330000000000");
  EXPECT_EQ(told.at("commits").as_object().at("count"), 3);
}

TEST(Notices, of_silence_and_return_name_the_machine_or_the_farm) {
  judge::Farm farm = two_classes();
  farm.machines[0].silent_days = 31;
  farm.machines[0].measures_as = "farm-2";
  const boost::json::object silent = read(silence_notice(farm, &farm.machines[0]));
  EXPECT_EQ(silent.at("key"), "silence:farm-1 since 2026-03-01T02:00:00Z");
  EXPECT_EQ(silent.at("title"),
            "farm-1 is silent for 31 days: no session since 2026-03-01; its host measures under the name farm-2");
  EXPECT_EQ(silent.at("hardware").as_array()[0], "AMD EPYC");

  results::ToldRecord record;
  record.machine = "farm-1";
  record.items = {"farm-1 since 2026-03-01T02:00:00Z"};
  farm.machines[0].silent_days = 0;
  farm.machines[0].last = "2026-04-03T02:00:00Z";
  const boost::json::object back = read(return_notice(farm, &farm.machines[0], record));
  EXPECT_EQ(back.at("key"), "return:farm-1 since 2026-03-01T02:00:00Z");
  EXPECT_EQ(back.at("title"), "farm-1 measures again: its last session is of 2026-04-03");

  farm.silent_since = "2026-04-03T02:00:00Z";
  const Notice all = silence_notice(farm, nullptr);
  EXPECT_EQ(read(all).at("title"), "the farm is silent: none of 3 machines has delivered since 2026-04-03");
  EXPECT_EQ(page_address("http://[::1]:80", all), "http://[::1]:80/");
}

TEST(Notices, of_hostile_names_are_printable_and_on_one_line) {
  judge::Farm farm = two_classes();
  farm.machines[0].id = "x\"\\\n\x1b[2J\xe2\x80\xae\xff<&";
  const Notice notice = silence_notice(farm, &farm.machines[0]);
  const boost::json::object told = read(notice);
  EXPECT_EQ(told.at("id"),
            "x\"\\\n?[2J????"
            "<&");
  EXPECT_EQ(told.at("title"),
            "x\"\\ ?[2J????"
            "<& is silent for 0 days: no session since 2026-03-01");
  EXPECT_EQ(page_address("https://a", notice), "https://a/machine?id=x%22%5C%0A%1B%5B2J%E2%80%AE%FF%3C%26");
  // What is recorded is what is read again.
  EXPECT_EQ(notice.items.front(),
            "x\"\\\n?[2J????"
            "<& since 2026-03-01T02:00:00Z");
}

TEST(Notices, of_a_night_are_one_for_all_alarms_of_a_cause) {
  std::vector<results::Alarm> alarms(2);
  for (results::Alarm& alarm : alarms) {
    alarm.machine = "farm-1";
    alarm.version = 1;
    alarm.session = "0040";
    alarm.commits = {"00581ddb00000000", "2d8954de00000000"};
    alarm.ratio = 1.25;
  }
  alarms[0].benchmark = "a/b/d";
  alarms[1].benchmark = "a/b/c";
  alarms[1].low = 1.125;
  alarms[1].high = 1.5;
  const NightWords words{alarms, "2026-02-20T02:00:00Z", "AMD EPYC", 3};
  const boost::json::object told = read(alarm_notice(words));
  EXPECT_EQ(
      told.at("title"),
      "a/b/c and 1 other benchmark regressed by +25.0 % (+12.5 to +50.0 %) on farm-1; 00581ddb0000..2d8954de0000, "
      "not bisected yet");
  EXPECT_EQ(told.at("when"), "2026-02-20T02:00:00Z");
  EXPECT_EQ(told.at("id"), "farm-1");
  std::swap(alarms[0], alarms[1]);
  EXPECT_EQ(read(alarm_notice(words)).at("key"), told.at("key"));

  for (results::Alarm& alarm : alarms) alarm.ended = "2026-03-01T02:00:00Z";
  const boost::json::object over = read(recovery_notice(words));
  EXPECT_EQ(over.at("title"), "a/b/c and 1 other benchmark are back to normal on farm-1 since 2026-03-01");
  EXPECT_EQ(over.at("state"), "fixed");
  alarms[0].withdrawn = "it is 25 % slower with the old executable, too";
  const boost::json::object withdrawn = read(recovery_notice(NightWords{{alarms.data(), 1}, "", "", 0}));
  EXPECT_EQ(
      withdrawn.at("title"),
      "the alarm of a/b/c on farm-1 is withdrawn, it was the machine: it is 25 % slower with the old executable, too");
  EXPECT_EQ(withdrawn.at("state"), "withdrawn");
  EXPECT_TRUE(withdrawn.at("commits").as_object().at("count").is_null());
}

}  // namespace lab::report
