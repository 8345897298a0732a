#include "harness/measure/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lab::measure {

namespace {

using Names = std::vector<std::string>;

/// Two benchmarks whose processes take a second each.
struct Fixture {
  Fixture() {
    for (const char* variant : {"plain", "quick"}) {
      const results::WorkloadInfo store{"fake", "store", "", 1, {"all"}, 10, "op", false};
      spec.selection.benchmarks.push_back(
          {fmt::format("fake/{}/store", variant), fmt::format("/b/fake/{}", variant), false, store, ""});
    }
    spec.length = processes_length(4);
    rule.reject_wrong_answers = [](results::Result&) { return 0; };
    rule.relative_half_width = [](const results::Result&, const std::string&, std::size_t) { return 0.5; };
    rule.without_reference = [](const results::Result&) { return Names{}; };
  }

  Expected<void> go() {
    const SessionEnvironment environment{[this] { return now; },
                                         [this](const ChildSpec& child) { return run(child); },
                                         [] { return false; },
                                         [] { return std::string("2026-08-02T23:17:00Z"); },
                                         [this](std::string_view line) -> Expected<void> {
                                           journal.emplace_back(line);
                                           return {};
                                         },
                                         {}};
    const SessionObserver observer{
        {}, [this](const results::Failure& failure) { failures.push_back(failure.detail); }, {}, {}};
    return run_session(spec, rule, environment, observer, result);
  }

  ChildOutcome run(const ChildSpec& child) {
    ChildOutcome outcome;
    if (child.command[1] == "--conformance") {
      outcome.output = R"({"protocol":1,"variant":"v","checks":[{"name":"keeps","failure":null}]})";
      return outcome;
    }
    now += 1;
    const std::string variant = child.command[0].substr(child.command[0].rfind('/') + 1);
    outcome.output = fmt::format(
        R"({{"protocol":1,"benchmark":"fake/{}/store","version":1,"seed":1,"threads":1,"checksum":"00000000000000aa",)"
        R"("operations":10,"repetitions":1,"samples":{{"all":[5]}},"counters":{{}},"real_time":1,"cpu_time":1,)"
        R"("time_unit":"ns"}})",
        variant);
    return outcome;
  }

  std::size_t processes_of(std::string_view benchmark) const {
    return static_cast<std::size_t>(
        std::count_if(result.processes.begin(), result.processes.end(),
                      [&](const results::Process& process) { return process.benchmark == benchmark; }));
  }

  SessionSpec spec;
  StoppingRule rule;
  results::Result result;
  double now = 0;
  Names journal, failures;
};

}  // namespace

TEST(RunSession, pauses_and_ends_by_the_interval_widths_of_its_rule) {
  Fixture fixture;
  fixture.spec.length.target = 0.01;
  fixture.rule.relative_half_width = [&](const results::Result&, const std::string& benchmark, std::size_t compared) {
    EXPECT_EQ(compared, 0U);
    return fixture.processes_of(benchmark) < (benchmark == "fake/plain/store" ? 4U : 7U) ? 0.5 : 0.005;
  };
  ASSERT_TRUE(fixture.go());
  EXPECT_EQ(fixture.failures, Names{});
  EXPECT_EQ(fixture.processes_of("fake/plain/store"), 4U);
  EXPECT_EQ(fixture.processes_of("fake/quick/store"), 7U);
  EXPECT_EQ(fixture.result.session.unusual, Names{});
}

TEST(RunSession, ends_a_benchmark_that_its_rule_rejects_and_keeps_its_failure_in_the_journal) {
  Fixture fixture;
  fixture.rule.reject_wrong_answers = [&](results::Result& result) -> std::size_t {
    if (fixture.processes_of("fake/quick/store") == 0) return 0;
    std::erase_if(result.processes, [](const results::Process& one) { return one.benchmark == "fake/quick/store"; });
    result.failures.push_back({"fake/quick/store", 0, 0, "wrong answer", "by the rule", ""});
    return 1;
  };
  fixture.rule.without_reference = [](const results::Result&) { return Names{"fake/store"}; };
  ASSERT_TRUE(fixture.go());
  EXPECT_EQ(fixture.failures, Names{"by the rule"});
  EXPECT_EQ(fixture.processes_of("fake/plain/store"), 4U);
  EXPECT_EQ(fixture.processes_of("fake/quick/store"), 0U);
  EXPECT_EQ(fixture.journal[2], results::journal_line(fixture.result.failures.at(0)));
  EXPECT_EQ(fixture.result.session.unusual,
            Names{"the reference gave no answer to fake/store: variants were compared with each other"});
}

}  // namespace lab::measure
