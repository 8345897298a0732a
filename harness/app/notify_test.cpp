#include "harness/app/notify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::app {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A farm of two machines, of which a test says what happens, and a command that keeps what it is told.
class Notify : public testing::Test {
 protected:
  Notify() {
    for (const char* id : {"farm-1", "farm-2"}) {
      judge::FarmMachine machine;
      machine.id = id;
      machine.last = "2026-03-01T02:00:00Z";
      check_.farm.machines.push_back(machine);
    }
  }

  results::FarmAlarm& raise(const std::string& id) {
    results::FarmAlarm alarm;
    alarm.id = id;
    alarm.raised = id + "T05:00:00Z";
    alarm.benchmarks = {"a/b/c"};
    check_.alarms.push_back(alarm);
    return check_.alarms.back();
  }
  void end(results::FarmAlarm& alarm) {
    alarm.state = results::AlarmStep::kEnded;
    alarm.at = "2026-03-20T05:00:00Z";
  }

  std::string inbox() const { return (folder_.path() / "inbox").string(); }
  Telling call(const std::string& more = "", double timeout = 60) {
    const Expected<Telling> telling =
        tell_of_farm(check_, folder_.path(), {fmt::format("cat >> {}{}", inbox(), more), "", timeout});
    EXPECT_TRUE(telling) << telling.error().what;
    return *telling;
  }
  /// The keys of what was told since the last call.
  std::vector<std::string> told() {
    std::vector<std::string> keys;
    const Expected<std::string> text = read_file(inbox());
    std::istringstream lines(text ? *text : "");
    for (std::string line; std::getline(lines, line);)
      keys.emplace_back(boost::json::parse(line).as_object().at("key").as_string());
    std::filesystem::remove(inbox());
    return keys;
  }

  ScratchFolder folder_;
  FarmCheck check_;
};

TEST_F(Notify, tells_each_alarm_once_and_that_it_is_fixed) {
  raise("2026-03-01");
  EXPECT_EQ(call().told, 1u);
  EXPECT_THAT(told(), ElementsAre("alarm:2026-03-01 raised 2026-03-01T05:00:00Z"));
  raise("2026-03-02");
  call();
  EXPECT_THAT(told(), ElementsAre("alarm:2026-03-02 raised 2026-03-02T05:00:00Z"));
  end(check_.alarms[0]);
  call();
  EXPECT_THAT(told(), ElementsAre("recovery:2026-03-01 raised 2026-03-01T05:00:00Z"));
  EXPECT_EQ(call().told, 0u);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Notify, what_is_over_or_known_is_no_news) {
  end(raise("2026-02-01"));
  raise("2026-03-01").state = results::AlarmStep::kAcknowledged;
  EXPECT_EQ(call().told, 0u);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / results::kToldName));
  end(raise("2026-03-02"));
  EXPECT_EQ(call().told, 1u) << "it came and went between two calls";
  EXPECT_THAT(told(), ElementsAre("recovery:2026-03-02 raised 2026-03-02T05:00:00Z"));
}

TEST_F(Notify, what_fails_is_told_by_the_next_call) {
  raise("2026-03-01");
  raise("2026-03-02");
  const Telling failed = call("; echo no route >&2; exit 7");
  EXPECT_EQ(failed.told, 0u);
  EXPECT_EQ(failed.remark,
            "--notify: 2 of 2 notices not told, which the next call tries again: 'alarm:2026-03-01 raised "
            "2026-03-01T05:00:00Z': exit status 7: no route");
  told();
  EXPECT_EQ(call().remark, "");
  EXPECT_THAT(told(), ElementsAre("alarm:2026-03-01 raised 2026-03-01T05:00:00Z",
                                  "alarm:2026-03-02 raised 2026-03-02T05:00:00Z"));
}

TEST_F(Notify, one_that_fails_does_not_keep_back_the_others) {
  for (const char* const day : {"2026-03-01", "2026-03-02", "2026-03-03"}) raise(day);
  const Telling telling = call(fmt::format("; ! tail -n 1 {} | grep -q 2026-03-02", inbox()));
  EXPECT_EQ(telling.told, 2u);
  EXPECT_EQ(telling.failed, 1u);
  told();
  call();
  EXPECT_THAT(told(), ElementsAre("alarm:2026-03-02 raised 2026-03-02T05:00:00Z"));
}

TEST_F(Notify, commands_that_hang_are_killed_and_the_others_wait) {
  for (int day = 1; day <= 6; ++day) raise(fmt::format("2026-03-0{}", day));
  const Telling telling = call("; sleep 1000", 0.05);
  EXPECT_EQ(telling.failed, 6u);
  EXPECT_THAT(telling.remark, HasSubstr("6 of 6 notices not told"));
  EXPECT_THAT(telling.remark, HasSubstr("no end within 0.05 s"));
  EXPECT_LE(told().size(), kMostTimeouts);
}

TEST_F(Notify, a_machine_is_silent_and_returns_once_each) {
  check_.farm.machines[0].silent_days = 4;
  call();
  check_.farm.machines[0].silent_days = 5;
  call();
  EXPECT_THAT(told(), ElementsAre("silence:farm-1 since 2026-03-01T02:00:00Z"));
  // The whole farm is silent: this one is compared with the others' last session, but has not come back.
  check_.farm.machines[0].silent_days = 0;
  check_.farm.silent_since = "2026-03-02T02:00:00Z";
  call();
  EXPECT_THAT(told(), ElementsAre("silence:the farm since 2026-03-02T02:00:00Z"));
  check_.farm.silent_since = "";
  check_.farm.machines[0].last = "2026-03-09T02:00:00Z";
  call();
  EXPECT_THAT(told(),
              ElementsAre("return:the farm since 2026-03-02T02:00:00Z", "return:farm-1 since 2026-03-01T02:00:00Z"));
  call();
  EXPECT_THAT(told(), IsEmpty());
  check_.farm.machines[0].silent_days = 6;
  call();
  EXPECT_THAT(told(), ElementsAre("silence:farm-1 since 2026-03-09T02:00:00Z"));
}

TEST_F(Notify, a_machine_that_returns_under_another_name_has_returned) {
  check_.farm.machines[0].silent_days = 4;
  call();
  told();
  check_.farm.machines[0] = {};
  check_.farm.machines[0].id = "farm-9";
  check_.farm.machines[0].was = {"farm-1"};
  check_.farm.machines[0].last = "2026-03-09T02:00:00Z";
  call();
  EXPECT_THAT(told(), ElementsAre("return:farm-1 since 2026-03-01T02:00:00Z"));
}

TEST_F(Notify, a_retired_machine_does_not_return) {
  check_.farm.machines[0].silent_days = 4;
  call();
  told();
  check_.farm.machines[0].silent_days = 0;
  check_.farm.machines[0].retired = true;
  check_.farm.machines[0].last = "2026-03-02T02:00:00Z";
  call();
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Notify, two_checks_at_once_tell_once) {
  for (int day = 1; day <= 5; ++day) raise(fmt::format("2026-03-0{}", day));
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(call().remark.empty() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(told().size(), 5u);
}

TEST_F(Notify, killed_after_the_command_tells_it_again_with_the_same_key) {
  raise("2026-03-01");
  const pid_t child = ::fork();
  if (child == 0) {
    call("; kill -9 $PPID");
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  call();
  EXPECT_THAT(told(), ElementsAre("alarm:2026-03-01 raised 2026-03-01T05:00:00Z",
                                  "alarm:2026-03-01 raised 2026-03-01T05:00:00Z"));
}

TEST_F(Notify, what_cannot_be_recorded_stops_the_telling) {
  raise("2026-03-01");
  raise("2026-03-02");
  EXPECT_EQ(call().told, 2u);
  raise("2026-03-03");
  raise("2026-03-04");
  told();
  // From the first command on, the file is a folder.
  const std::string file = (folder_.path() / results::kToldName).string();
  const Telling telling = call(fmt::format("; rm {0}; mkdir {0}", file));
  EXPECT_THAT(telling.remark, HasSubstr("is told and will be told again, because it is not recorded"));
  EXPECT_EQ(told().size(), 1u);
}

TEST_F(Notify, nothing_is_told_where_nothing_can_be_recorded) {
  call();
  raise("2026-03-01");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit full{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &full);
    ::_exit(call().remark.find("1 of 1 notice not told, which the next call tries again: it could not be recorded: "
                               "writing ") != std::string::npos
                ? 0
                : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_EQ(call().told, 1u);
}

TEST_F(Notify, a_damaged_record_is_named_and_nothing_is_told) {
  folder_.write(results::kToldName, "x\n");
  raise("2026-03-01");
  const Expected<Telling> telling = tell_of_farm(check_, folder_.path(), {"cat >> " + inbox()});
  ASSERT_FALSE(telling);
  EXPECT_THAT(telling.error().what, HasSubstr("told.jsonl', line 1"));
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Notify, the_command_has_the_environment_and_the_page) {
  ::setenv("LAB_TEST_WORD", "inherited", 1);
  raise("2026-03-01");
  const Expected<Telling> telling =
      tell_of_farm(check_, folder_.path(),
                   {fmt::format("grep -o '\"address\":\"[^\"]*\"' > {0}; echo $LAB_TEST_WORD >> {0}", inbox()),
                    "https://lab.example/"});
  ASSERT_TRUE(telling);
  EXPECT_EQ(*read_file(inbox()), "\"address\":\"https://lab.example/alarm?id=2026-03-01\"\ninherited\n");
}

}  // namespace

}  // namespace lab::app
