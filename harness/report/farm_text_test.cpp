#include "harness/report/farm_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lab::report {

namespace {

judge::Farm farm() {
  judge::Farm farm;
  farm.benchmarks = 300;
  for (const char* id : {"farm-1", "farm-2", "farm-3", "farm-4"}) {
    judge::FarmMachine machine;
    machine.id = id;
    machine.class_name = machine.id < "farm-3" ? "EPYC" : "Xeon";
    machine.first = "2026-01-01T02:00:00Z";
    machine.last = "2026-03-01T02:00:00Z";
    machine.sessions = 60;
    farm.machines.push_back(machine);
  }
  farm.machines[0].silent_days = 31;
  farm.machines[0].measures_as = "farm-2";
  farm.machines[1].hosts = {"farm-1", "farm-2"};
  farm.machines[2].wrong_clocks = 1;
  farm.machines[3].may_be = "farm-4-old";
  judge::FarmChange change;
  change.regressed = true;
  change.cause = judge::kCodeCause;
  change.started = "2026-02-20T02:00:00Z";
  change.commits = {"00581ddb00000000", "2d8954de00000000"};
  change.ratio = 1.099;
  change.low = 1.088;
  change.high = 1.109;
  change.benchmarks = {"a/b/c", "a/b/d"};
  change.machines = {"farm-1", "farm-2"};
  change.others = {"farm-3", "farm-4"};
  change.reason = "class EPYC";
  change.with_reason = 3;
  change.is_confirmed = true;
  farm.changes.push_back(change);
  change.cause = judge::kMachineCause;
  change.machines = {"farm-3"};
  change.others = {"farm-4"};
  change.others_of_class = 1;
  change.is_confirmed = false;
  change.is_sure = true;
  change.benchmarks = {"a/b/c", "a/b/d", "a/b/e"};
  farm.changes.push_back(change);
  change.cause = judge::kCodeCause;
  change.is_sure = false;
  farm.changes.push_back(change);
  return farm;
}

TEST(FarmText, tells_each_thing_once) {
  EXPECT_EQ(to_text(farm(), 0), R"(farm: 4 machines of 2 classes, 300 benchmarks, 240 sessions, 2026-01-01 to 2026-03-01
changes of the code:
  2026-02-20 regressed +9.9 % (+8.8 to +10.9 %): 2 benchmarks on 2 of 3 machines with class EPYC, on 0 of 1 without; 00581ddb0000..2d8954de0000
    a/b/c and a/b/d
changes of machines:
  2026-02-20 worse, machine +9.9 % (+8.8 to +10.9 %): 3 benchmarks only on farm-3, not on 1 other of its class: the machine; 00581ddb0000..2d8954de0000
machines:
  farm-1: silent for 31 days: no session since 2026-03-01; its host measures under the name farm-2
  farm-2: 2 hosts took turns under this name, farm-1 and farm-2: none of its changes counts; give each its own with LAB_MACHINE
  farm-3: its clock was wrong in 1 session, which is in no series
  farm-4: may be farm-4-old under another name; machines.json can say so: {"farm-4": {"was": ["farm-4-old"]}}
not confirmed: 1 change on one machine each, which no other shows; --json lists them
)");
}

TEST(FarmText, stands_in_the_document) {
  std::ifstream file(std::filesystem::path(LAB_SOURCE_DIR) / "harness/docs/farm.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("```\n" + to_text(farm(), 0) + "```\n"), std::string::npos);
}

TEST(FarmText, fits_a_narrow_terminal) {
  std::size_t longest = 0, length = 0;
  for (const char c : to_text(farm(), 80)) {
    length = c == '\n' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  EXPECT_LE(longest, 80u);
}

TEST(FarmText, of_a_quiet_farm_says_so) {
  judge::Farm quiet = farm();
  quiet.changes.clear();
  quiet.silent_since = "2026-03-01T02:00:00Z";
  const std::string text = to_text(quiet, 0);
  EXPECT_NE(text.find("no change of the code that two machines share\n"), std::string::npos);
  EXPECT_NE(text.find("no machine has delivered since 2026-03-01"), std::string::npos);
}

TEST(FarmCheckText, names_the_alarms_that_wait_what_is_fixed_and_who_is_silent) {
  judge::Farm all = farm();
  all.changes[0].alarm = "2026-02-20";
  std::vector<results::FarmAlarm> alarms(3);
  alarms[0].id = "2026-02-20";
  alarms[0].benchmarks = {"a/b/c", "a/b/d"};
  alarms[0].commits = all.changes[0].commits;
  alarms[1].id = "2026-01-02";
  alarms[1].state = results::AlarmStep::kAcknowledged;
  alarms[2].id = "2026-01-03";
  alarms[2].state = results::AlarmStep::kEnded;
  alarms[2].benchmarks = {"a/b/e"};
  const std::vector<std::string> raised{"2026-02-20"}, fixed{"2026-01-03"}, none;
  const std::string expected = R"(new alarm 2026-02-20: a/b/c and a/b/d; 00581ddb0000..2d8954de0000
  2026-02-20 regressed +9.9 % (+8.8 to +10.9 %): 2 benchmarks on 2 of 3 machines with class EPYC, on 0 of 1 without; 00581ddb0000..2d8954de0000
    a/b/c and a/b/d
fixed 2026-01-03: a/b/e
silent: farm-1 (31 days)
)";
  EXPECT_EQ(check_text({all, alarms, raised, fixed}, 0), expected);
  all.machines[0].silent_days = 0;
  EXPECT_EQ(check_text({all, {}, none, none}, 0), "farm: fine: 4 machines, no alarm that waits, nobody silent\n");
  const boost::json::object json = boost::json::parse(to_json(all, alarms)).as_object();
  EXPECT_EQ(json.at("alarms").as_array()[1].as_object().at("state"), "acknowledged");
}

TEST(FarmJson, has_every_change_and_machine) {
  const boost::json::object all = boost::json::parse(to_json(farm())).as_object();
  EXPECT_EQ(all.at("machines").as_array().size(), 4u);
  ASSERT_EQ(all.at("changes").as_array().size(), 3u);
  const boost::json::object& change = all.at("changes").as_array()[0].as_object();
  EXPECT_EQ(change.at("to"), "2d8954de00000000");
  EXPECT_EQ(change.at("alarm"), true);
  EXPECT_EQ(all.at("changes").as_array()[2].as_object().at("alarm"), false);
}

}  // namespace

}  // namespace lab::report
