#include "harness/measure/session_processes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/measure/session_fixture.h"

namespace lab::measure {

namespace {

/// Of a failed process.
std::string kind_after(ChildEnd how, int code = 0) {
  SessionFixture fixture;
  fixture.next.end = how;
  fixture.next.code = code;
  SessionProcesses processes(fixture.spec, fixture.environment);
  const ProcessEnd end = processes.measure(fixture.spec.selection.benchmarks[0], 1, false, 10);
  EXPECT_FALSE(end.process);
  return end.failure ? end.failure->kind : "none";
}

}  // namespace

TEST(SessionProcesses, returns_what_a_process_measured) {
  SessionFixture fixture;
  fixture.next.output = made_up_output("plain");
  fixture.next.wall_seconds = 2;
  SessionProcesses processes(fixture.spec, fixture.environment);
  const ProcessEnd end = processes.measure(fixture.spec.selection.benchmarks[0], 1, false, 10);
  ASSERT_TRUE(end.process);
  EXPECT_FALSE(end.failure);
  EXPECT_EQ(end.process->benchmark, "fake/plain/store");
  EXPECT_EQ(end.process->wall_seconds, 2);
}

TEST(SessionProcesses, names_the_kind_of_each_end) {
  EXPECT_EQ(kind_after(ChildEnd::kTimedOut), "timeout");
  EXPECT_EQ(kind_after(ChildEnd::kTooMuchOutput), "protocol");
  EXPECT_EQ(kind_after(ChildEnd::kSignalled, 11), "crash");
  EXPECT_EQ(kind_after(ChildEnd::kExited, 1), results::kWrongAnswer);
  EXPECT_EQ(kind_after(ChildEnd::kExited, 2), "refused");
  EXPECT_EQ(kind_after(ChildEnd::kExited, 3), "crash");
  EXPECT_EQ(kind_after(ChildEnd::kExited), "protocol");
}

TEST(SessionProcesses, quotes_the_variants_own_error) {
  SessionFixture fixture;
  fixture.next.code = 1;
  fixture.next.error_tail = "noise\nvariant: error: expected 3, found 4\n";
  SessionProcesses processes(fixture.spec, fixture.environment);
  const ProcessEnd end = processes.measure(fixture.spec.selection.benchmarks[0], 1, false, 10);
  ASSERT_TRUE(end.failure);
  EXPECT_EQ(end.failure->detail, "exit status 1: expected 3, found 4");
  EXPECT_EQ(end.failure->output_tail, fixture.next.error_tail);
}

TEST(SessionProcesses, of_a_stopped_process_returns_nothing_and_remembers_it) {
  SessionFixture fixture;
  fixture.next.end = ChildEnd::kStopped;
  SessionProcesses processes(fixture.spec, fixture.environment);
  EXPECT_FALSE(processes.interrupted());
  const ProcessEnd end = processes.measure(fixture.spec.selection.benchmarks[0], 1, false, 10);
  EXPECT_FALSE(end.process || end.failure);
  EXPECT_TRUE(processes.was_interrupted());
}

TEST(SessionProcesses, remembers_what_the_environment_said_once) {
  SessionFixture fixture;
  SessionProcesses processes(fixture.spec, fixture.environment);
  fixture.interrupted = true;
  EXPECT_FALSE(processes.was_interrupted());
  EXPECT_TRUE(processes.interrupted());
  fixture.interrupted = false;
  EXPECT_TRUE(processes.interrupted());
}

TEST(SessionProcesses, gives_the_references_answers_to_later_processes_of_workloads_with_a_tolerance) {
  SessionFixture fixture;
  fixture.spec.scratch = "/scratch";
  SessionProcesses processes(fixture.spec, fixture.environment);
  EXPECT_FALSE(processes.write_answer(made_up_benchmark("plain", true)));
  const std::string file = "/scratch/fake.store.answer";
  EXPECT_EQ(fixture.commands[0].back(), file);
  processes.measure(made_up_benchmark("quick", true), 1, false, 10);
  EXPECT_NE(std::ranges::find(fixture.commands[1], file), fixture.commands[1].end());
  processes.measure(made_up_benchmark("quick"), 1, false, 10);
  EXPECT_EQ(std::ranges::find(fixture.commands[2], file), fixture.commands[2].end());
  fixture.next.code = 3;
  const std::optional<results::Failure> failure = processes.write_answer(made_up_benchmark("plain", true));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->detail, "--answer: exit status 3");
}

}  // namespace lab::measure
