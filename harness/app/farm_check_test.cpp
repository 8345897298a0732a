#include "harness/app/farm_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/app/farm_fixture.h"
#include "harness/base/files.h"

namespace lab::app {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CheckedFarm : public FarmFolder {
 protected:
  FarmCheck check(int days_later = 0) { return *check_farm(request(days_later)); }
};

TEST_F(CheckedFarm, raises_an_alarm_once_and_ends_it_when_all_is_well_again) {
  add(0, 40, 1);
  EXPECT_EQ(check().status(), ExitStatus::kOk);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / results::kFarmAlarmsName)) << "later changes are no old ones";
  add(40, 46, 1.2);
  const FarmCheck first = check();
  ASSERT_THAT(first.raised, SizeIs(1));
  EXPECT_EQ(first.raised[0], judge::fixture_started(40).substr(0, 10));
  EXPECT_EQ(first.status(), ExitStatus::kRegression);
  ASSERT_THAT(first.alarms, SizeIs(1));
  EXPECT_THAT(first.alarms[0].benchmarks, ElementsAre("shelf/v000/store"));
  EXPECT_EQ(first.alarms[0].commits.to, judge::fixture_commit(40));

  add(46, 48, 1.2);
  const FarmCheck second = check();
  EXPECT_THAT(second.raised, IsEmpty()) << "it is the same one";
  EXPECT_EQ(second.status(), ExitStatus::kRegression);

  ASSERT_TRUE(say_of_alarm(folder_.path(), first.raised[0], results::AlarmStep::kAcknowledged, "known"));
  const FarmCheck third = check();
  EXPECT_EQ(third.status(), ExitStatus::kOk);
  EXPECT_EQ(third.alarms[0].note, "known");

  add(48, 58, 1);
  const FarmCheck fourth = check();
  EXPECT_THAT(fourth.fixed, ElementsAre(first.raised[0]));
  EXPECT_EQ(fourth.alarms[0].state, results::AlarmStep::kEnded);
  EXPECT_THAT(check().fixed, IsEmpty()) << "it is told once";
}

TEST_F(CheckedFarm, what_is_older_than_the_first_check_is_no_news) {
  add(0, 40, 1);
  add(40, 60, 1.2);
  const FarmCheck first = check();
  EXPECT_THAT(first.raised, IsEmpty());
  ASSERT_THAT(first.alarms, SizeIs(1));
  EXPECT_EQ(first.alarms[0].state, results::AlarmStep::kAcknowledged);
  EXPECT_EQ(first.status(), ExitStatus::kOk);
}

TEST_F(CheckedFarm, a_silent_machine_has_a_status_of_its_own) {
  add(0, 20, 1);
  std::filesystem::remove_all(folder_.path() / "farm-2");
  for (int number = 0; number < 16; ++number)
    folder_.write(fmt::format("farm-2/{}", judge::fixture_file(number)), [&] {
      results::Result result = judge::fixture_night({number, 1, 1, {100, 50}});
      result.machine.id = "farm-2";
      return results::serialize(result);
    }());
  const FarmCheck found = check();
  EXPECT_THAT(found.silent, ElementsAre("farm-2"));
  EXPECT_EQ(found.status(), ExitStatus::kSilent);
  EXPECT_EQ(check(30).status(), ExitStatus::kSilent) << "all of them";
  EXPECT_NE(check(30).farm.silent_since, "");
}

TEST_F(CheckedFarm, wrong_ids_and_damaged_lines_are_named) {
  add(0, 3, 1);
  EXPECT_EQ(say_of_alarm(folder_.path(), "x", results::AlarmStep::kAcknowledged, "").error().what,
            "expected an alarm of this farm, found 'x'");
  folder_.write(results::kFarmAlarmsName, "{\"at\": \n");
  const Expected<FarmCheck> damaged = check_farm({folder_.path(), folder_.path(), 1'790'000'000});
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().what, HasSubstr("alarms.jsonl', line 1"));
  EXPECT_EQ(damaged.error().status, ExitStatus::kUsage);
  EXPECT_EQ(*read_file(folder_.path() / results::kFarmAlarmsName), "{\"at\": \n") << "nothing is lost";
}

}  // namespace

}  // namespace lab::app
