#include "harness/measure/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lab::measure {

namespace {

using Names = std::vector<std::string>;

/// Two benchmarks whose processes take a second each.
struct Fixture : SessionEvents {
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
    environment.now = [this] { return now; };
    environment.run = [this](const ChildSpec& child) { return run(child); };
    environment.interrupted = [this] { return journal.size() >= stopped_after; };
    environment.utc = [] { return std::string("2026-08-02T23:17:00Z"); };
    environment.journal = [this](std::string_view line) -> Expected<void> {
      journal.emplace_back(line);
      return {};
    };
    return run_session(spec, rule, environment, *this, result);
  }

  void on_failure(const results::Failure& failure) override { failures.push_back(failure.detail); }

  ChildOutcome run(const ChildSpec& child) {
    ChildOutcome outcome;
    const std::string variant = child.command[0].substr(child.command[0].rfind('/') + 1);
    if (child.command[1] == "--conformance") {
      checked.push_back(variant);
      now += conformance_seconds;
      outcome.code = variant == careless ? 1 : 0;
      outcome.output = fmt::format(R"({{"protocol":1,"variant":"v","checks":[{{"name":"keeps","failure":{}}}]}})",
                                   variant == careless ? "\"lost 1\"" : "null");
      return outcome;
    }
    now += 1;
    outcome.output = fmt::format(
        R"({{"protocol":1,"benchmark":"fake/{}/store","version":1,"seed":1,"threads":1,"checksum":"00000000000000aa",)"
        R"("operations":10,"repetitions":{},"samples":{{"all":[{}]}},"counters":{{}},"real_time":1,"cpu_time":1,)"
        R"("time_unit":"ns"}})",
        variant, samples, fmt::join(std::vector<int>(samples, 5), ","));
    return outcome;
  }

  /// Gives head's executables these hashes, and the environment a memory of `known` ones.
  void add_hashes(std::set<std::string> known) {
    result.arms = {{"head", {}, {}, {}, {{"fake/plain", "aa"}, {"fake/quick", "bb"}}, {}}};
    environment.known_to_conform = [known](const std::string& hash) { return known.contains(hash); };
    environment.on_conforms = [this](const std::string& hash) { conforming.push_back(hash); };
  }

  std::size_t processes_of(std::string_view benchmark) const {
    return static_cast<std::size_t>(
        std::count_if(result.processes.begin(), result.processes.end(),
                      [&](const results::Process& process) { return process.benchmark == benchmark; }));
  }

  SessionSpec spec;
  StoppingRule rule;
  SessionEnvironment environment;
  results::Result result;
  double now = 0, conformance_seconds = 0;
  std::string careless;                  ///< the variant that does not conform
  std::size_t samples = 1;               ///< of each process
  std::size_t stopped_after = SIZE_MAX;  ///< lines of the journal
  Names journal, failures, checked, conforming;
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

TEST(RunSession, that_is_stopped_is_out_of_time_only_if_that_is_the_end_of_its_budget_and_it_measured) {
  const auto state = [](bool until_stopped, std::size_t after) {
    Fixture fixture;
    fixture.spec.until_stopped = until_stopped;
    fixture.stopped_after = after;
    EXPECT_TRUE(fixture.go());
    return fixture.result.session.state;
  };
  EXPECT_EQ(state(false, 2), "interrupted");
  EXPECT_EQ(state(true, 2), "out of time");
  EXPECT_EQ(state(true, 0), "interrupted");
  EXPECT_EQ(state(true, SIZE_MAX), "complete");
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

TEST(RunSession, checks_the_conformance_only_of_executables_that_did_not_conform_before) {
  Fixture fixture;
  fixture.add_hashes({"aa"});
  ASSERT_TRUE(fixture.go());
  EXPECT_EQ(fixture.checked, Names{"quick"});
  EXPECT_EQ(fixture.conforming, Names{"bb"});
  EXPECT_EQ(fixture.processes_of("fake/plain/store"), 4U);
  EXPECT_EQ(fixture.processes_of("fake/quick/store"), 4U);
}

TEST(RunSession, does_not_remember_an_executable_that_fails_its_conformance) {
  Fixture fixture;
  fixture.add_hashes({});
  fixture.careless = "quick";
  ASSERT_TRUE(fixture.go());
  EXPECT_EQ(fixture.checked, (Names{"plain", "quick"}));
  EXPECT_EQ(fixture.conforming, Names{"aa"});
  EXPECT_EQ(fixture.failures, Names{"keeps: lost 1"});
}

TEST(RunSession, reports_conformance_checks_that_took_more_than_a_tenth_of_the_budget_and_checks_all) {
  Fixture fixture;
  fixture.spec.length.set_budget(100);
  fixture.conformance_seconds = 6;
  ASSERT_TRUE(fixture.go());
  EXPECT_EQ(fixture.checked, (Names{"plain", "quick"}));
  EXPECT_EQ(
      fixture.result.session.unusual,
      Names{"conformance of 2 executables took 12 s, more than a tenth of the budget: the next session checks only "
            "those that have changed"});
}

TEST(RunSession, lets_the_last_turn_wait_if_the_others_would_lose_their_intervals) {
  Fixture fixture;
  fixture.spec.length = default_length();
  fixture.spec.length.set_budget(9);
  fixture.spec.turns = {{"fake/plain/store"}, {"fake/quick/store"}};
  ASSERT_TRUE(fixture.go());
  EXPECT_GE(fixture.processes_of("fake/plain/store"), 6U);
  EXPECT_EQ(fixture.processes_of("fake/quick/store"), 0U);
  ASSERT_EQ(fixture.result.session.waiting.size(), 1U);
  EXPECT_EQ(fixture.result.session.waiting[0].benchmark, "fake/quick/store");
  EXPECT_NEAR(fixture.result.session.waiting[0].process_seconds.value_or(0), 1, 0.5);
  EXPECT_EQ(fixture.result.session.state, "complete");
  EXPECT_LE(fixture.now, 9 * kTolerance);
}

TEST(RunSession, of_the_only_turn_lets_the_last_variants_wait) {
  Fixture fixture;
  fixture.spec.length = default_length();
  fixture.spec.length.set_budget(9);
  fixture.spec.turns = {{"fake/plain/store", "fake/quick/store"}};
  ASSERT_TRUE(fixture.go());
  EXPECT_GE(fixture.processes_of("fake/plain/store"), 6U);
  EXPECT_EQ(fixture.result.session.waiting.size(), 1U);
}

TEST(RunSession, keeps_its_result_below_its_size_and_ends_before_it_would_exceed_it) {
  Fixture fixture;
  fixture.samples = 1000;
  fixture.spec.length = processes_length(100'000);
  fixture.spec.most_bytes = std::size_t{4} << 20;
  const auto journal_bytes = [&] {
    std::size_t bytes = 0;
    for (const std::string& line : fixture.journal) bytes += line.size();
    return bytes;
  };
  ASSERT_TRUE(fixture.go());
  EXPECT_LE(journal_bytes(), std::size_t{2} << 20) << "2 MiB are left for the rest of a result";
  EXPECT_GE(journal_bytes(), std::size_t{19} << 16);
  EXPECT_EQ(fixture.result.session.unusual,
            Names{"the session ended early: its result has reached 4 MiB; measure fewer benchmarks or processes"});
}

}  // namespace lab::measure
