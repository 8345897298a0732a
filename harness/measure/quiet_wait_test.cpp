#include "harness/measure/quiet_wait.h"

#include <gtest/gtest.h>

#include "harness/measure/session_fixture.h"
#include "harness/measure/session_processes.h"

namespace lab::measure {

namespace {

struct Waiting : SessionFixture {
  Waiting() {
    spec.length = quick_length();
    spec.length.set_budget(100);
    rule.is_disturbed = [](const results::Disturbance& one) { return one.foreign + one.stolen > 0.15 * one.seconds; };
    environment.wait = [this](double seconds) { now += seconds; };
    environment.cpu_use = [this] { return CpuUse{std::min(now, busy_until), 0, std::min(now, stolen_until) / 2}; };
  }

  void on_wait(const WaitProgress& progress) override { looks.push_back(progress); }

  void wait() { quiet.wait(processes); }

  StoppingRule rule;
  double busy_until = 0, stolen_until = 0;
  std::vector<WaitProgress> looks;
  SessionProcesses processes{spec, environment};
  QuietWait quiet{spec, rule, environment, *this};
};

}  // namespace

TEST(QuietWait, ends_with_the_first_look_that_finds_no_other_work) {
  Waiting fixture;
  fixture.spec.length.set_budget(200);
  fixture.wait();
  EXPECT_EQ(fixture.now, 1);
  EXPECT_TRUE(fixture.looks.empty());
  fixture.stolen_until = 2.5;
  fixture.wait();
  EXPECT_EQ(fixture.now, 4) << "the look from 2 to 3 s saw a quarter of a CPU";
  ASSERT_EQ(fixture.looks.size(), 2u);
  EXPECT_EQ(fixture.looks[0].busy, 0.5);
  EXPECT_EQ(fixture.looks[1].busy, 0.25);
  EXPECT_EQ(fixture.quiet.seconds(), 4);
}

TEST(QuietWait, takes_at_most_a_fiftieth_of_the_budget_at_once_and_a_tenth_in_all) {
  Waiting fixture;
  fixture.busy_until = 1000;
  fixture.wait();
  EXPECT_EQ(fixture.now, 2);
  EXPECT_EQ(fixture.looks.back().most_seconds, 2);
  for (int i = 0; i < 20; ++i) fixture.wait();
  EXPECT_EQ(fixture.now, 10);
  EXPECT_EQ(fixture.quiet.seconds(), 10);
}

TEST(QuietWait, of_a_short_budget_is_one_look) {
  Waiting fixture;
  fixture.spec.length.set_budget(12);
  fixture.busy_until = 1000;
  for (int i = 0; i < 3; ++i) fixture.wait();
  EXPECT_EQ(fixture.now, 1);
}

TEST(QuietWait, does_nothing_without_a_budget_or_a_way_to_wait_or_if_interrupted) {
  Waiting without_budget, without_wait, stopped;
  without_budget.spec.length = processes_length(4);
  without_wait.environment.wait = {};
  stopped.interrupted = true;
  for (Waiting* fixture : {&without_budget, &without_wait, &stopped}) {
    fixture->busy_until = 1000;
    fixture->wait();
    EXPECT_EQ(fixture->now, 0);
  }
}

}  // namespace lab::measure
