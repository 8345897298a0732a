#include "harness/app/running_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "harness/app/fake_session.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/journal.h"
#include "harness/results/result_fixture.h"

namespace lab::app {

namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// What a session writes into its journal.
std::vector<std::string> lines_of_session() {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add("other").fails_at = 1;
  fake.spec.length = measure::processes_length(4);
  EXPECT_TRUE(fake.go());
  return fake.journal;
}

results::Result head(const std::string& host) {
  results::Result result = results::fixture_result();
  result.machine.id = "farm-1";
  result.context.host_name = host;
  return result;
}

TEST(RunningSessions, a_journal_that_is_held_is_a_session_and_its_lines_are_its_progress) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  const ScratchFolder folder;
  const std::vector<std::string> lines = lines_of_session();
  ASSERT_GT(lines.size(), 4);
  RunningSessions sessions;
  EXPECT_THAT(sessions.in(folder.path()), IsEmpty());
  results::Result first = head(host);
  std::optional<results::Journal> journal(*results::Journal::create(folder.path() / "farm-1", "s", first));
  const std::vector<RunningSession> begun = sessions.in(folder.path());
  ASSERT_THAT(begun, SizeIs(1));
  EXPECT_EQ(begun[0].machine, "farm-1");
  EXPECT_EQ(begun[0].session, "s");
  EXPECT_EQ(begun[0].processes, 0);
  EXPECT_TRUE(begun[0].here);

  results::Result all = head(host);
  for (const std::string& line : lines) {
    ASSERT_TRUE(journal->append(line));
    ASSERT_TRUE(results::add_journal_line(line, all));
    // Asked after each line, or after all, it is the same.
    EXPECT_EQ(sessions.in(folder.path()), RunningSessions().in(folder.path()));
  }
  const std::vector<RunningSession> later = sessions.in(folder.path());
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_GT(all.processes.size(), 0);
  EXPECT_EQ(later[0].processes, all.processes.size());
  EXPECT_EQ(later[0].failures, all.failures.size());
  EXPECT_GT(later[0].blocks, 0);

  std::ofstream(journal->path(), std::ios::app) << "{\"process\": {\"half a line";
  EXPECT_EQ(sessions.in(folder.path())[0].processes, all.processes.size());
  journal.reset();
  EXPECT_THAT(sessions.in(folder.path()), IsEmpty()) << "its holder is gone: a leftover";
}

TEST(RunningSessions, another_session_under_the_name_begins_anew_and_elsewhere_is_not_here) {
  const ScratchFolder folder;
  RunningSessions sessions;
  const std::vector<std::string> lines = lines_of_session();
  {
    results::Result first = head("elsewhere");
    results::Journal journal = *results::Journal::create(folder.path() / "farm-1", "s", first);
    for (const std::string& line : lines) ASSERT_TRUE(journal.append(line));
    ASSERT_THAT(sessions.in(folder.path()), SizeIs(1));
    EXPECT_FALSE(sessions.in(folder.path())[0].here);
    ASSERT_TRUE(journal.finish(first));
  }
  std::filesystem::remove(folder.path() / "farm-1/s.json");
  EXPECT_THAT(sessions.in(folder.path()), IsEmpty());
  results::Result second = head("elsewhere");
  const results::Journal journal = *results::Journal::create(folder.path() / "farm-1", "s", second);
  ASSERT_THAT(sessions.in(folder.path()), SizeIs(1));
  EXPECT_EQ(sessions.in(folder.path())[0].processes, 0);
}

TEST(RunningSessions, what_is_no_journal_is_left_out) {
  const ScratchFolder folder;
  folder.write("farm-1/broken.journal", "{\n");
  std::filesystem::create_directories(folder.path() / "farm-1/folder.journal");
  folder.write("nightly/x.journal", "{}\n");
  folder.write("file", "");
  EXPECT_THAT(RunningSessions().in(folder.path()), IsEmpty());
  EXPECT_THAT(RunningSessions().in(folder.path() / "missing"), IsEmpty());
}

}  // namespace

}  // namespace lab::app
