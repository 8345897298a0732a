#include "harness/measure/session_log.h"

#include <gtest/gtest.h>

#include "harness/measure/session_fixture.h"

namespace lab::measure {

TEST(SessionLog, keeps_what_it_gets_in_result_and_journal_and_tells_of_failures) {
  SessionFixture fixture;
  SessionLog log(fixture.environment, fixture, fixture.result);
  const std::size_t before = log.bytes();
  results::Process process;
  process.benchmark = "fake/plain/store";
  log.add(process);
  log.add(results::ReferenceChecksum{"fake/plain/store", 1, "00000000000000aa"});
  log.add(results::Failure{"fake/quick/store", 0, 0, "crash", "gone", ""});
  ASSERT_EQ(fixture.journal.size(), 3U);
  EXPECT_EQ(fixture.journal[0], results::journal_line(process));
  EXPECT_EQ(log.bytes() - before,
            fixture.journal[0].size() + fixture.journal[1].size() + fixture.journal[2].size() + 3);
  EXPECT_EQ(fixture.result.processes.size(), 1U);
  EXPECT_EQ(fixture.result.answers.size(), 1U);
  EXPECT_EQ(fixture.result.failures.size(), 1U);
  EXPECT_EQ(fixture.failures, std::vector<std::string>{"gone"});
  log.report(fixture.result.failures[0]);
  EXPECT_EQ(fixture.journal.size(), 4U);
  EXPECT_EQ(fixture.result.failures.size(), 1U) << "somebody else has added it";
}

TEST(SessionLog, has_no_number_that_its_journal_lacks) {
  SessionFixture fixture;
  SessionLog log(fixture.environment, fixture, fixture.result);
  fixture.full = true;
  log.add(results::Process{});
  EXPECT_TRUE(fixture.result.processes.empty());
  ASSERT_TRUE(log.problem());
  EXPECT_EQ(log.problem()->what, "the disk is full");
}

}  // namespace lab::measure
