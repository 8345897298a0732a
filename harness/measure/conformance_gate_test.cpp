#include "harness/measure/conformance_gate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "harness/measure/session_fixture.h"

namespace lab::measure {

namespace {

struct Gate : SessionFixture {
  Gate() { answer("null"); }
  void answer(const std::string& failure) {
    next.output = fmt::format(R"({{"protocol":1,"variant":"v","checks":[{{"name":"keeps","failure":{}}}]}})", failure);
    next.code = failure == "null" ? 0 : 1;
  }
  void check(double most_seconds = 0) { gate.check(SessionArms(spec), spec.selection.checks, most_seconds); }

  SessionProcesses processes{spec, environment};
  SessionLog log{environment, *this, result};
  ConformanceGate gate{environment, *this, processes, log};
};

}  // namespace

TEST(ConformanceGate, checks_equal_content_once) {
  Gate gate;
  gate.add_arm("base");
  gate.result.arms = {{"head", {}, {}, {}, {{"fake/plain", "aa"}, {"fake/quick", "bb"}}, {}},
                      {"base", {}, {}, {}, {{"fake/plain", "aa"}, {"fake/quick", "cc"}}, {}}};
  gate.check();
  EXPECT_EQ(gate.commands.size(), 3U);
  EXPECT_FALSE(gate.gate.fails(gate.spec.selection.benchmarks[1], "base"));
}

TEST(ConformanceGate, records_each_failure_in_its_arm_and_of_references_too) {
  Gate gate;
  gate.spec.selection.benchmarks.pop_back();
  gate.spec.selection.checks = {made_up_benchmark("reference")};
  gate.answer("\"lost 1\"");
  gate.check();
  EXPECT_EQ(gate.failures, (std::vector<std::string>{"keeps: lost 1", "keeps: lost 1"}));
  EXPECT_EQ(gate.result.failures[0].benchmark, "fake/plain");
  EXPECT_EQ(gate.result.failures[1].benchmark, "fake/reference");
  EXPECT_TRUE(gate.gate.fails(gate.spec.selection.checks[0], "head"));
}

TEST(ConformanceGate, ends_when_interrupted_and_then_knows_of_no_failure) {
  Gate gate;
  gate.next.end = ChildEnd::kStopped;
  gate.check(0.5);
  EXPECT_EQ(gate.commands.size(), 1U);
  EXPECT_FALSE(gate.gate.fails(gate.spec.selection.benchmarks[0], "head"));
  EXPECT_TRUE(gate.result.session.unusual.empty());
}

TEST(ConformanceGate, checks_several_at_once_and_starts_none_after_an_interrupt) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(fmt::format("v{}", i));
  const auto checked_with = [&](int stops) {
    Gate gate;
    gate.spec.selection.benchmarks.clear();
    for (const std::string& name : names) gate.spec.selection.benchmarks.push_back(made_up_benchmark(name));
    gate.environment.checks_at_once = 4;
    std::mutex alone;
    std::condition_variable changed;
    int running = 0, most = 0, started = 0;
    gate.environment.run = [&](const ChildSpec&) {
      std::unique_lock lock(alone);
      most = std::max(most, ++running);
      const bool stop = ++started == stops;
      changed.notify_all();
      // The first waits for the others, or this test would pass with one after the other.
      changed.wait_for(lock, std::chrono::seconds(10), [&] { return most >= 2; });
      --running;
      ChildOutcome outcome = gate.next;
      if (stop) outcome.end = ChildEnd::kStopped;
      return outcome;
    };
    gate.check();
    EXPECT_GE(most, 2);
    EXPECT_LE(most, 4);
    return started;
  };
  EXPECT_EQ(checked_with(0), 40);
  EXPECT_LT(checked_with(5), 40);
}

TEST(ConformanceGate, says_that_it_took_long) {
  Gate gate;
  gate.check(3);
  EXPECT_TRUE(gate.result.session.unusual.empty());
  Gate again;
  again.check(1.5);
  EXPECT_EQ(again.result.session.unusual.size(), 1U);
}

}  // namespace lab::measure
