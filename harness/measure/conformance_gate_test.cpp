#include "harness/measure/conformance_gate.h"

#include <gtest/gtest.h>

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

TEST(ConformanceGate, says_that_it_took_long) {
  Gate gate;
  gate.check(3);
  EXPECT_TRUE(gate.result.session.unusual.empty());
  Gate again;
  again.check(1.5);
  EXPECT_EQ(again.result.session.unusual.size(), 1U);
}

}  // namespace lab::measure
