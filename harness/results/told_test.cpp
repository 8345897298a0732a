#include "harness/results/told.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

const ToldRecord kAlarmTold{"2026-09-13T05:00:00Z", NoticeKind::kAlarm, "alarm:a", "", {"a", "b"}};

TEST(Told, is_kept_in_a_line_and_found_again) {
  const ScratchFolder folder;
  {
    Expected<Told> told = Told::open(folder.path());
    ASSERT_TRUE(told);
    EXPECT_TRUE(told->is_first());
    EXPECT_FALSE(told->has(NoticeKind::kAlarm, "a"));
    ASSERT_TRUE(told->add({kAlarmTold}));
    EXPECT_TRUE(told->has(NoticeKind::kAlarm, "b"));
  }
  EXPECT_EQ(*read_file(folder.path() / kToldName),
            "{\"at\":\"2026-09-13T05:00:00Z\",\"kind\":\"alarm\",\"key\":\"alarm:a\",\"machine\":\"\",\"items\":[\"a\","
            "\"b\"]}\n");
  const Expected<Told> again = Told::open(folder.path());
  EXPECT_FALSE(again->is_first());
  EXPECT_TRUE(again->has(NoticeKind::kAlarm, "a"));
  EXPECT_FALSE(again->has(NoticeKind::kRecovery, "a"));
  ASSERT_EQ(again->records().size(), 1u);
}

TEST(Told, exists_after_the_first_call_that_told_nothing) {
  const ScratchFolder folder;
  ASSERT_TRUE(Told::open(folder.path())->add({}));
  EXPECT_FALSE(Told::open(folder.path())->is_first());
}

TEST(Told, names_the_line_that_is_no_record_and_loses_nothing) {
  const ScratchFolder folder;
  folder.write(kToldName,
               "{\"at\":\"\",\"kind\":\"alarm\",\"key\":\"\"}\n{\"at\":\"\",\"kind\":\"joke\",\"key\":\"\"}\n");
  const Expected<Told> told = Told::open(folder.path());
  ASSERT_FALSE(told);
  EXPECT_NE(told.error().what.find("told.jsonl', line 2: kind: "), std::string::npos) << told.error().what;
  EXPECT_EQ(told.error().status, ExitStatus::kUsage);
}

TEST(Told, makes_another_process_wait_until_it_has_told) {
  const ScratchFolder folder;
  int began[2], may_end[2];
  ASSERT_EQ(::pipe(began) + ::pipe(may_end), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Expected<Told> told = Told::open(folder.path());
    char byte = 'x';
    if (::write(began[1], &byte, 1) != 1 || ::read(may_end[0], &byte, 1) != 1) ::_exit(1);
    ::_exit(told && told->add({kAlarmTold}) ? 0 : 1);
  }
  char byte = 'x';
  ASSERT_EQ(::read(began[0], &byte, 1), 1);
  ASSERT_EQ(::write(may_end[1], &byte, 1), 1);
  EXPECT_TRUE(Told::open(folder.path())->has(NoticeKind::kAlarm, "a"));
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace

}  // namespace lab::results
