#include "harness/app/judged_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <set>

#include "harness/app/fake_session.h"
#include "harness/base/patience_test.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/measure/fake_build.h"
#include "harness/report/fitness_text.h"

namespace lab::app {

namespace {

using namespace measure;

ChildOutcome crash() {
  ChildOutcome outcome;
  outcome.end = ChildEnd::kSignalled;
  outcome.code = 11;
  outcome.error_tail = "about to \xff crash\n";
  return outcome;
}

ChildOutcome ended(ChildEnd end, int code = 0) {
  ChildOutcome outcome;
  outcome.end = end;
  outcome.code = code;
  return outcome;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(Session, runs_every_benchmark_once_in_every_block) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick", "other"}) fake.add(variant);
  fake.spec.length = processes_length(7);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "complete");
  EXPECT_EQ(fake.head.session.blocks, 7);
  EXPECT_EQ(fake.head.session.ended, "2026-08-02T23:17:00Z");
  EXPECT_EQ(fake.head.processes.size(), 21u);
  EXPECT_EQ(fake.journal.size(), 21u);
  EXPECT_EQ(fake.blocks_seen, (std::vector<std::size_t>{3, 6, 9, 12, 15, 18, 21}));
  std::set<Names> orders;
  for (std::size_t block = 0; block < 7; ++block) {
    Names order(fake.ran.begin() + static_cast<std::ptrdiff_t>(3 * block),
                fake.ran.begin() + static_cast<std::ptrdiff_t>(3 * block + 3));
    orders.insert(order);
    EXPECT_EQ(std::set<std::string>(order.begin(), order.end()).size(), 3u);
  }
  EXPECT_GT(orders.size(), 1u);
  for (std::size_t i = 0; i < fake.head.processes.size(); ++i) {
    const results::Process& process = fake.head.processes[i];
    EXPECT_EQ(process.block, static_cast<int>(i / 3));
    EXPECT_EQ(process.position, static_cast<int>(i % 3));
    EXPECT_EQ(process.process, process.block);
    EXPECT_EQ(process.arm, "head");
  }
  EXPECT_TRUE(judge::summarize(fake.head)[0].value.interval);
}

TEST(Session, records_the_other_load_in_each_block) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick"}) fake.add(variant);
  fake.spec.length = processes_length(4);
  // Our processes use a CPU all the time; beside them another is half busy from block 1 on.
  fake.environment.cpu_use = [&fake] {
    const double busy = fake.now - 1000, beside = 0.5 * std::max(0.0, busy - 1);
    return CpuUse{busy + beside, busy, 0.25 * busy};
  };
  ASSERT_TRUE(fake.go());
  const std::vector<results::Disturbance>& blocks = fake.head.session.disturbances;
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(fake.journal.size(), 8u + 4u);
  double at = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].block, static_cast<int>(i));
    EXPECT_GT(blocks[i].seconds, 0);
    const double end = at + blocks[i].seconds;
    EXPECT_NEAR(blocks[i].foreign, 0.5 * (std::max(0.0, end - 1) - std::max(0.0, at - 1)), 1e-9);
    EXPECT_NEAR(blocks[i].stolen, 0.25 * blocks[i].seconds, 1e-9);
    at = end;
  }
  // The journal and the result agree.
  results::Result kept;
  for (const std::string& line : fake.journal) ASSERT_TRUE(results::add_journal_line(line, kept)) << line;
  ASSERT_EQ(kept.session.disturbances.size(), 4u);
  EXPECT_EQ(kept.session.disturbances[3].foreign, blocks[3].foreign);
  // At its end the session says which blocks are judged.
  const std::string said = "other processes used ";
  EXPECT_EQ(std::count_if(fake.head.session.unusual.begin(), fake.head.session.unusual.end(),
                          [&](const std::string& sentence) { return sentence.starts_with(said); }),
            1);
}

namespace {

/// Two variants in ten blocks of 4.1 s. Other work uses a CPU in the first `busy` seconds; none of the time is ours.
FakeSessionEnvironment& beside(double busy, FakeSessionEnvironment& fake) {
  for (const char* variant : {"plain", "quick"}) fake.add(variant);
  fake.spec.length = quick_length();
  fake.spec.length.set_budget(180);
  fake.environment.cpu_use = [&fake, busy] { return CpuUse{std::min(fake.now - 1000, busy), 0, 0}; };
  return fake;
}

int undisturbed(const results::Result& result) {
  return static_cast<int>(std::ranges::count_if(result.session.disturbances,
                                                [](const auto& block) { return !judge::is_disturbed(block); }));
}

}  // namespace

TEST(Session, repeats_disturbed_blocks_within_its_budget) {
  FakeSessionEnvironment quiet, fake, busy;
  ASSERT_TRUE(beside(0, quiet).go());
  EXPECT_EQ(quiet.head.session.blocks, 10);
  EXPECT_NEAR(quiet.now, 1041, 1e-6);
  ASSERT_TRUE(beside(10, fake).go());
  EXPECT_EQ(fake.head.session.blocks, 13) << "three more than planned";
  EXPECT_EQ(undisturbed(fake.head), 10);
  EXPECT_EQ(judge::summarize(fake.head)[0].value.count, 10u);
  ASSERT_TRUE(beside(1000, busy).go());
  EXPECT_EQ(busy.head.session.blocks, 15) << "half as many again, if it does not help";
  EXPECT_EQ(busy.head.session.state, "complete");
  EXPECT_EQ(judge::summarize(busy.head)[0].value.count, 15u);
}

TEST(Session, waits_between_blocks_until_other_work_has_ended) {
  const auto let_wait = [](FakeSessionEnvironment& fake) -> FakeSessionEnvironment& {
    fake.environment.wait = [&fake](double seconds) { fake.now += seconds; };
    return fake;
  };
  FakeSessionEnvironment quiet, fake, busy, processes;
  ASSERT_TRUE(let_wait(beside(0, quiet)).go());
  EXPECT_NEAR(quiet.now, 1041, 1e-6) << "no look on a quiet machine";
  ASSERT_TRUE(let_wait(beside(6.2, fake)).go());
  // The first block ends at 4.1 s; the third look ends the wait.
  EXPECT_EQ(fake.head.session.blocks, 11);
  EXPECT_EQ(undisturbed(fake.head), 10);
  ASSERT_EQ(fake.waits.size(), 2u);
  EXPECT_EQ(fake.waits[1].look, 1);
  EXPECT_NEAR(fake.waits[1].busy, 1, 1e-6);
  EXPECT_NEAR(fake.waits[1].seconds, 2, 1e-6);
  EXPECT_EQ(fake.head.session.unusual.front(),
            "3 s of the budget were spent waiting for other work on this machine to end");
  ASSERT_TRUE(let_wait(beside(1000, busy)).go());
  EXPECT_NEAR(static_cast<double>(busy.waits.size()), 18, 1) << "a tenth of 180 s";
  EXPECT_EQ(busy.head.session.blocks, 15);
  // A user who chose the number of processes gets it, and at once.
  beside(1000, processes).spec.length = processes_length(4);
  ASSERT_TRUE(let_wait(processes).go());
  EXPECT_EQ(processes.head.session.blocks, 4);
  EXPECT_TRUE(processes.waits.empty());
}

TEST(Session, interrupted_while_it_waits_ends) {
  FakeSessionEnvironment fake;
  beside(1000, fake).environment.wait = [&fake](double seconds) {
    fake.now += seconds;
    fake.interrupted_after = 0;
  };
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "interrupted");
  EXPECT_EQ(fake.head.session.blocks, 1);
  EXPECT_EQ(fake.waits.size(), 1u);
}

TEST(Session, with_a_target_ends_by_its_undisturbed_blocks) {
  // Its intervals are within the target from the sixth block on, of which three were disturbed.
  FakeSessionEnvironment fake;
  beside(5, fake).spec.length = full_length();
  fake.spec.length.set_budget(400);
  fake.spec.length.exact_blocks = 0;
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(undisturbed(fake.head), fake.spec.length.least_blocks);
  EXPECT_EQ(fake.head.session.blocks, fake.spec.length.least_blocks + 3);
}

TEST(Session, interrupted_in_its_first_block_records_the_disturbance_so_far) {
  for (const int after : {0, 1}) {
    FakeSessionEnvironment fake;
    for (const char* variant : {"plain", "quick"}) fake.add(variant);
    fake.spec.length = processes_length(4);
    fake.environment.cpu_use = [&fake] { return CpuUse{fake.now, 0, 0}; };
    fake.interrupted_after = after;
    ASSERT_TRUE(fake.go());
    EXPECT_EQ(fake.head.session.state, "interrupted");
    EXPECT_EQ(fake.head.session.disturbances.size(), static_cast<std::size_t>(after));
  }
}

TEST(Session, collects_costly_counters_only_in_the_first_blocks) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.spec.length = processes_length(5);
  ASSERT_TRUE(fake.go());
  ASSERT_EQ(fake.specs.size(), 5u);
  for (std::size_t block = 0; block < 5; ++block)
    EXPECT_EQ(fake.specs[block].environment, block < 3 ? Names{"LAB_EXACT=1"} : Names{"LAB_EXACT"}) << block;
  FakeSessionEnvironment quick;
  quick.add("plain");
  quick.spec.length = quick_length();
  ASSERT_TRUE(quick.go());
  ASSERT_FALSE(quick.specs.empty());
  EXPECT_EQ(quick.specs[0].environment, Names{"LAB_EXACT"});
  EXPECT_LT(quick.specs[0].timeout_seconds, 60) << "only what is counted takes longer";
}

TEST(Session, is_reproducible_for_the_same_seed) {
  const auto order = [](std::uint64_t seed) {
    FakeSessionEnvironment fake;
    for (const char* variant : {"plain", "quick", "other", "more"}) fake.add(variant);
    fake.spec.length = processes_length(4);
    fake.spec.seed = seed;
    EXPECT_TRUE(fake.go());
    EXPECT_EQ(fake.specs[0].command[4], std::to_string(seed));
    return fake.ran;
  };
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
}

TEST(Session, pins_sequential_benchmarks_and_gives_threads_to_parallel_ones) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add("plain", "spread");
  fake.spec.length = processes_length(1);
  fake.spec.cpu = 3;
  fake.spec.threads = 8;
  ASSERT_TRUE(fake.go());
  for (std::size_t i = 0; i < 2; ++i) {
    const bool parallel = fake.specs[i].command[2] == "spread";
    EXPECT_EQ(fake.specs[i].cpu.has_value(), !parallel);
    EXPECT_EQ(fake.specs[i].command.size(), parallel ? 9u : 7u);
    EXPECT_EQ(fake.head.processes[i].cpu.has_value(), !parallel);
    EXPECT_EQ(fake.specs[i].timeout_seconds, 125) << "of a process that counts exact metrics";
  }
}

TEST(Session, keeps_its_budget_and_adapts_to_the_cost_of_processes) {
  FakeSessionEnvironment fake;
  for (int i = 0; i < 40; ++i) fake.add(i == 0 ? "plain" : fmt::format("v{}", i)).overhead = 0.55;
  fake.spec.length = quick_length();
  ASSERT_TRUE(fake.go());
  EXPECT_GT(fake.now - 1000, quick_length().budget_seconds) << "six blocks need a part of the reserve";
  EXPECT_LE(fake.now - 1000, quick_length().budget_seconds * 1.03 + quick_length().reserve_seconds);
  EXPECT_EQ(fake.head.session.blocks, 6);
  EXPECT_EQ(fake.head.session.state, "complete");
  for (const judge::SummaryRow& row : judge::summarize(fake.head)) EXPECT_TRUE(row.value.interval) << row.benchmark;
}

TEST(Session, stops_within_a_block_before_it_exceeds_the_budget) {
  FakeSessionEnvironment fake;
  for (int i = 0; i < 100; ++i) fake.add(i == 0 ? "plain" : fmt::format("v{}", i)).overhead = 1;
  fake.spec.length = quick_length();
  fake.spec.length.set_budget(30);
  ASSERT_TRUE(fake.go());
  EXPECT_LE(fake.now - 1000, 31);
  EXPECT_EQ(fake.head.session.blocks, 0);
  EXPECT_EQ(fake.head.session.state, "out of time");
  EXPECT_TRUE(fake.blocks_seen.empty());
  EXPECT_GT(fake.head.processes.size(), 10u);
}

TEST(Session, drops_a_crashed_benchmark_and_continues_with_the_others) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  FakeSessionEnvironment::Behaviour& quick = fake.add("quick");
  quick.fails_at = 2;
  quick.failing = crash();
  fake.spec.length = processes_length(6);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "complete");
  EXPECT_EQ(fake.count("fake/plain/store"), 6u);
  EXPECT_EQ(fake.count("fake/quick/store"), 3u);  // no second chance
  ASSERT_EQ(fake.head.failures.size(), 1u);
  const results::Failure& failure = fake.head.failures[0];
  EXPECT_EQ(failure.benchmark, "fake/quick/store");
  EXPECT_EQ(failure.process, 2);
  EXPECT_EQ(failure.block, 2);
  EXPECT_EQ(failure.kind, "crash");
  EXPECT_EQ(failure.detail, "signal 11 (Segmentation fault)");
  EXPECT_EQ(failure.output_tail, "about to ? crash\n");
  EXPECT_EQ(fake.failures_seen, Names{"fake/quick/store"});
  EXPECT_EQ(judge::summarize(fake.head)[1].value.count, 2u);  // what it measured before stays
}

TEST(Session, names_every_way_to_fail) {
  const struct {
    ChildOutcome outcome;
    const char* kind;
    const char* detail;
  } rows[]{
      {ended(ChildEnd::kTimedOut), "timeout", "no end within 125 s"},
      {ended(ChildEnd::kTooMuchOutput), "protocol", "more than 33554432 bytes of output"},
      {ended(ChildEnd::kExited, 1), "wrong answer", "exit status 1"},
      {ended(ChildEnd::kExited, 2), "refused", "exit status 2"},
      {ended(ChildEnd::kExited, 3), "crash", "exit status 3"},
      {ended(ChildEnd::kExited, 0), "protocol", "standard output: empty"},
      {ended(ChildEnd::kNotStarted, ENOEXEC), "crash", "'/b/fake/quick' could not be started: Exec format error"},
  };
  for (const auto& row : rows) {
    FakeSessionEnvironment fake;
    fake.add("plain");
    FakeSessionEnvironment::Behaviour& quick = fake.add("quick");
    quick.fails_at = 1;
    quick.failing = row.outcome;
    fake.spec.length = processes_length(3);
    ASSERT_TRUE(fake.go());
    ASSERT_EQ(fake.head.failures.size(), 1u);
    EXPECT_EQ(fake.head.failures[0].kind, row.kind);
    EXPECT_EQ(fake.head.failures[0].detail, row.detail);
    // One that finds out that it was wrong was perhaps wrong before.
    const bool wrong = std::string_view(row.kind) == "wrong answer";
    EXPECT_EQ(judge::summarize(fake.head).size(), wrong ? 1u : 2u);
  }
}

TEST(Session, reports_the_error_text_of_a_variant) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  FakeSessionEnvironment::Behaviour& quick = fake.add("quick");
  quick.fails_at = 1;
  quick.failing = ended(ChildEnd::kExited, 2);
  quick.failing.error_tail = "arena ready\nvariant: error: first\nvariant: error: no block of 8 bytes is left\nbye\n";
  fake.spec.length = processes_length(3);
  ASSERT_TRUE(fake.go());
  ASSERT_EQ(fake.head.failures.size(), 1u);
  EXPECT_EQ(fake.head.failures[0].kind, "refused");
  EXPECT_EQ(fake.head.failures[0].detail, "exit status 2: no block of 8 bytes is left");
}

TEST(Session, gives_no_number_to_a_wrong_answer) {
  FakeSessionEnvironment fake;
  fake.add("other");
  fake.add("plain");
  fake.add("quick").checksum = "00000000000000bb";
  fake.spec.length = processes_length(6);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.count("fake/quick/store"), 1u);
  EXPECT_TRUE(judge::process_times(fake.head, "fake/quick/store").empty());
  EXPECT_EQ(fake.head.failures.at(0).kind, "wrong answer");
  EXPECT_EQ(fake.head.processes.size(), 12u);
  EXPECT_EQ(fake.blocks_seen[0], 2u);
}

TEST(Session, runs_an_unselected_reference_only_for_its_answer) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add("quick").checksum = "00000000000000bb";
  fake.spec.selection.checks = {fake.spec.selection.benchmarks[0]};
  fake.spec.selection.benchmarks.erase(fake.spec.selection.benchmarks.begin());
  fake.spec.length = processes_length(6);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.ran[0], "fake/plain/store");
  EXPECT_EQ(fake.ran.size(), 2u);
  EXPECT_EQ(fake.head.answers.at(0).checksum, "00000000000000aa");
  EXPECT_EQ(fake.head.failures.at(0).benchmark, "fake/quick/store");
  EXPECT_TRUE(fake.head.processes.empty());
}

TEST(Session, continues_without_a_crashed_reference_and_reports_it) {
  FakeSessionEnvironment fake;
  FakeSessionEnvironment::Behaviour& plain = fake.add("plain");
  plain.fails_at = 0;
  plain.failing = crash();
  fake.add("quick");
  fake.add("other");
  fake.spec.length = processes_length(6);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(judge::summarize(fake.head).size(), 2u);
  EXPECT_EQ(fake.head.session.unusual,
            Names{"the reference gave no answer to fake/store: variants were compared with each other"});
}

TEST(Session, does_not_measure_a_nonconforming_variant) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add("quick").breach = "1 was put, 2 was there";
  fake.add("quick", "drop").breach = "1 was put, 2 was there";
  fake.add("other");
  fake.spec.length = processes_length(3);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.checked, (Names{"/b/fake/plain", "/b/fake/quick", "/b/fake/other"}));
  EXPECT_EQ(fake.announced, (Names{"fake/plain 0/3", "fake/quick 1/3", "fake/other 2/3"}));
  ASSERT_EQ(fake.head.failures.size(), 1u);
  const results::Failure& failure = fake.head.failures[0];
  EXPECT_EQ(failure.benchmark, "fake/quick");
  EXPECT_EQ(failure.kind, "conformance");
  EXPECT_EQ(failure.detail, "holds: 1 was put, 2 was there");
  EXPECT_EQ(failure.arm, "head");
  EXPECT_EQ(fake.failures_seen, Names{"fake/quick"});
  EXPECT_EQ(fake.journal.size(), 7u);
  EXPECT_EQ(fake.count("fake/quick/store") + fake.count("fake/quick/drop"), 0u);
  EXPECT_EQ(fake.head.processes.size(), 6u);
  EXPECT_EQ(fake.head.session.state, "complete");
}

TEST(Session, checks_the_conformance_of_each_executable_once) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add("plain", "drop");
  fake.add_arm("control", "plain");
  fake.add_arm("base", "plain");
  fake.head.arms = {{"head", {}, {}, {}, {{"fake/plain", "aa"}}, {}},
                    {"control", {}, {}, {}, {{"fake/plain", "aa"}}, {}},
                    {"base", {}, {}, {}, {{"fake/plain", "bb"}}, {}}};
  fake.spec.length = processes_length(1);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.checked, (Names{"/b/fake/plain", "/base/fake/plain"}));
}

TEST(Session, measures_only_head_if_base_does_not_conform_and_neither_if_head_does_not) {
  for (const bool head : {true, false}) {
    FakeSessionEnvironment fake;
    FakeSessionEnvironment::Behaviour& here = fake.add("plain");
    fake.add("quick");
    FakeSessionEnvironment::Behaviour& there = fake.add_arm("base", "plain");
    (head ? here : there).breach = "no";
    fake.spec.length = processes_length(2);
    ASSERT_TRUE(fake.go());
    ASSERT_EQ(fake.head.failures.size(), 1u);
    EXPECT_EQ(fake.head.failures[0].arm, head ? "head" : "base");
    EXPECT_EQ(fake.count("fake/plain/store"), head ? 0u : 2u);
    EXPECT_EQ(fake.count("base:fake/plain/store"), 0u);
    EXPECT_EQ(fake.count("fake/quick/store"), 2u);
  }
}

TEST(Session, ignores_the_answers_of_a_nonconforming_reference) {
  for (const bool selected : {true, false}) {
    FakeSessionEnvironment fake;
    FakeSessionEnvironment::Behaviour& plain = fake.add("plain");
    plain.breach = "no";
    plain.checksum = "00000000000000cc";
    fake.add("quick");
    fake.add("other");
    if (!selected) {
      fake.spec.selection.checks = {fake.spec.selection.benchmarks[0]};
      fake.spec.selection.benchmarks.erase(fake.spec.selection.benchmarks.begin());
    }
    fake.spec.length = processes_length(2);
    ASSERT_TRUE(fake.go());
    EXPECT_EQ(fake.count("fake/plain/store"), 0u);
    EXPECT_TRUE(fake.head.answers.empty());
    ASSERT_EQ(fake.head.failures.size(), 1u);
    EXPECT_EQ(fake.head.failures[0].benchmark, "fake/plain");
    EXPECT_EQ(fake.head.processes.size(), 4u);
    EXPECT_EQ(fake.head.session.unusual,
              Names{"the reference gave no answer to fake/store: variants were compared with each other"});
  }
}

TEST(Session, has_its_whole_budget_for_measuring) {
  const auto session = [](double conformance_seconds) {
    FakeSessionEnvironment fake;
    for (int i = 0; i < 40; ++i) fake.add(i == 0 ? "plain" : fmt::format("v{}", i));
    fake.conformance_seconds = conformance_seconds;
    fake.spec.length = quick_length();
    EXPECT_TRUE(fake.go());
    return fake.head;
  };
  const results::Result fast = session(0), slow = session(0.5);
  EXPECT_EQ(slow.processes.size(), fast.processes.size());
  EXPECT_NEAR(slow.session.wall_seconds, fast.session.wall_seconds + 40 * 0.5, 1e-6);
}

TEST(Session, keeps_its_data_when_interrupted) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick", "other"}) fake.add(variant);
  fake.spec.length = processes_length(10);
  fake.interrupted_after = 8;
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "interrupted");
  EXPECT_EQ(fake.head.session.blocks, 2);
  EXPECT_EQ(fake.head.processes.size(), 8u);
  EXPECT_TRUE(fake.head.failures.empty());
}

TEST(Session, is_interrupted_without_a_failure_if_its_process_is_stopped) {
  FakeSessionEnvironment fake;
  FakeSessionEnvironment::Behaviour& plain = fake.add("plain");
  plain.fails_at = 4;
  plain.failing = ended(ChildEnd::kStopped);
  fake.spec.length = processes_length(10);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "interrupted");
  EXPECT_EQ(fake.head.processes.size(), 4u);
  EXPECT_TRUE(fake.head.failures.empty());
}

TEST(Session, ends_if_its_journal_cannot_be_written) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick"}) fake.add(variant);
  fake.spec.length = processes_length(10);
  fake.disk_full_after = 5;
  const Expected<void> ended = fake.go();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().what, "appending to 'j': No space left on device");
  EXPECT_EQ(fake.head.session.state, "interrupted");
  EXPECT_EQ(fake.head.processes.size(), 5u);  // not the one that could not be kept
  EXPECT_EQ(fake.ran.size(), 6u);
}

TEST(Session, in_full_mode_continues_until_every_interval_is_narrow) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add("quick");
  fake.spec.length = full_length();
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "complete");
  EXPECT_EQ(fake.head.session.blocks, 6);
  EXPECT_TRUE(fake.head.session.unusual.empty());
}

TEST(Session, in_full_mode_reports_the_intervals_that_stayed_wide) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.spec.length = full_length();
  fake.spec.length.set_budget(3);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.head.session.state, "complete");
  FakeSessionEnvironment noisy;
  noisy.add("plain");
  int run = 0;
  const Runner calm = noisy.environment.run;
  noisy.environment.run = [&](const ChildSpec& spec) {
    noisy.behaviours["fake/plain/store"].nanoseconds = ++run % 2 == 0 ? 1000 : 1400;
    return calm(spec);
  };
  noisy.spec.length = full_length();
  noisy.spec.length.set_budget(20);
  ASSERT_TRUE(noisy.go());
  EXPECT_EQ(noisy.head.session.state, "out of time");
  ASSERT_EQ(noisy.head.session.unusual.size(), 1u);
  EXPECT_EQ(noisy.head.session.unusual[0].find(
                "the session ended before these intervals were within 1 %: fake/plain/store (+-"),
            0u);
}

TEST(Session, reports_its_progress) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick"}) fake.add(variant);
  fake.spec.length = quick_length();
  ASSERT_TRUE(fake.go());
  ASSERT_EQ(fake.progresses.size(), 20u);
  EXPECT_EQ(fake.progresses[0].blocks, 10);
  EXPECT_EQ(fake.progresses[3].block, 1);
  EXPECT_EQ(fake.progresses[3].position, 1u);
  for (std::size_t i = 1; i < fake.progresses.size(); ++i)
    EXPECT_LT(fake.progresses[i].seconds_left, fake.progresses[i - 1].seconds_left);
  EXPECT_LT(fake.progresses.back().seconds_left, 3);
}

TEST(Session, runs_the_arms_of_a_benchmark_next_to_each_other_and_each_pair_of_blocks_as_abba) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick", "other"}) fake.add(variant);
  fake.add_arm("base", "quick");
  fake.add_arm("control", "plain");
  fake.spec.length = processes_length(8);
  ASSERT_TRUE(fake.go());
  ASSERT_EQ(fake.head.processes.size(), 40u);
  for (const char* benchmark : {"fake/quick/store", "fake/plain/store"}) {
    std::string order;
    int position = -1;
    for (const results::Process& process : fake.head.processes) {
      if (process.benchmark != benchmark) continue;
      order += process.arm == "head" ? 'H' : 'O';
      if (order.size() % 2 == 1) position = process.position;
      EXPECT_EQ(process.position, position + (order.size() % 2 == 0));
      EXPECT_EQ(process.process, process.block);
    }
    const bool head_first = order.starts_with('H');
    EXPECT_EQ(order, head_first ? "HOOHOHHOHOOHOHHO" : "OHHOHOOHOHHOHOOH") << benchmark;
  }
}

TEST(Session, continues_head_if_base_fails_and_ends_both_if_head_fails) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick", "other"}) fake.add(variant);
  FakeSessionEnvironment::Behaviour& base = fake.add_arm("base", "quick");
  base.fails_at = 1;
  base.failing = crash();
  fake.add_arm("base", "other");
  fake.behaviours["fake/other/store"].fails_at = 2;
  fake.behaviours["fake/other/store"].failing = crash();
  fake.spec.length = processes_length(6);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.count("fake/quick/store"), 6u);
  EXPECT_EQ(fake.count("base:fake/quick/store"), 2u);
  EXPECT_EQ(fake.count("fake/other/store"), 3u);
  EXPECT_LE(fake.count("base:fake/other/store"), 3u);
  ASSERT_EQ(fake.head.failures.size(), 2u);
  EXPECT_EQ(results::subject(fake.head.failures[0].benchmark, fake.head.failures[0].arm), "fake/quick/store (base)");
  EXPECT_EQ(fake.head.failures[1].benchmark, "fake/other/store");
  EXPECT_EQ(fake.head.failures[1].arm, "head");
}

TEST(Session, drops_the_numbers_of_a_base_with_wrong_answers_and_keeps_those_of_head) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick"}) fake.add(variant);
  fake.add_arm("base", "quick").checksum = "00000000000000bb";
  fake.spec.length = processes_length(6);
  ASSERT_TRUE(fake.go());
  EXPECT_EQ(fake.count("base:fake/quick/store"), 1u);
  EXPECT_TRUE(judge::process_times(fake.head, "fake/quick/store", "", results::kBase).empty());
  EXPECT_EQ(judge::process_times(fake.head, "fake/quick/store").size(), 6u);
  EXPECT_EQ(fake.head.failures.at(0).arm, "base");
}

TEST(Session, against_a_base_continues_with_wide_intervals_and_the_control) {
  FakeSessionEnvironment fake;
  for (const char* variant : {"plain", "quick", "other", "more"}) fake.add(variant);
  fake.add_arm("base", "quick");
  fake.add_arm("base", "other");
  fake.add_arm("control", "plain");
  int run = 0;
  const Runner calm = fake.environment.run;
  fake.environment.run = [&](const ChildSpec& child) {
    // Only `other` differs from process to process.
    if (child.command[1] == "--run") fake.behaviours["fake/other/store"].nanoseconds = ++run % 3 == 0 ? 1000 : 1100;
    return calm(child);
  };
  fake.spec.length = against_length(quick_length(), 2, 0.005);
  fake.spec.length.set_budget(200);
  ASSERT_TRUE(fake.go());
  const std::size_t least = static_cast<std::size_t>(fake.spec.length.least_blocks);
  EXPECT_EQ(fake.count("fake/quick/store"), least);
  EXPECT_EQ(fake.count("base:fake/quick/store"), least);
  EXPECT_EQ(fake.count("fake/more/store"), least);
  EXPECT_GT(fake.count("fake/other/store"), least);
  EXPECT_EQ(fake.count("base:fake/other/store"), fake.count("fake/other/store"));
  EXPECT_EQ(fake.count("control:fake/plain/store"), fake.count("fake/other/store"));
  EXPECT_EQ(fake.head.session.state, "out of time");
  ASSERT_EQ(fake.head.session.unusual.size(), 1u);
  EXPECT_EQ(fake.head.session.unusual[0].find("the session ended before these intervals of ratios were within 0.5 %: "
                                              "fake/other/store (+-"),
            0u);
}

TEST(Session, is_unfit_only_if_its_control_is_biased) {
  for (const double bias : {1.0, 1.01}) {
    FakeSessionEnvironment fake;
    for (const char* variant : {"plain", "quick"}) fake.add(variant);
    fake.add_arm("control", "plain").nanoseconds = 1000 * bias;
    fake.spec.length = processes_length(12);
    ASSERT_TRUE(fake.go());
    const judge::Control control = judge::judge_control(fake.head);
    EXPECT_EQ(control.fit, bias == 1.0) << report::control_sentence(control);
    const auto& unusual = fake.head.session.unusual;
    EXPECT_EQ(unusual, control.fit ? Names{} : Names{report::control_sentence(control)});
    EXPECT_EQ(judge::summarize(fake.head)[0].value.count, 12u);  // the control's are no numbers of head
  }
}

TEST(Session, runs_every_layout_of_a_build_in_turn_and_records_it) {
  FakeSessionEnvironment fake;
  fake.add("plain");
  fake.add_arm("control", "plain");
  for (int i = 1; i <= 4; ++i) {
    fake.spec.selection.benchmarks[0].layouts.push_back({i, fmt::format("/{}/fake/plain", i)});
    fake.spec.other_arms[0].benchmark.layouts.push_back({i + 4, fmt::format("/{}/fake/plain", i + 4)});
  }
  // As run's sessions have it.
  for (const char* arm : {"head", "control"})
    fake.head.arms.push_back({arm, {}, {}, {}, {{"fake/plain", "the hash of all layouts"}}, {}});
  fake.spec.length = processes_length(8);
  fake.spec.length.exact_blocks = 0;
  ASSERT_TRUE(fake.go());
  std::map<std::pair<std::string, int>, int> counts;
  for (const results::Process& process : fake.head.processes) ++counts[{process.arm, process.layout}];
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ((counts[{"head", i}]), 2) << i;
    EXPECT_EQ((counts[{"control", i + 4}]), 2) << i;
    EXPECT_EQ(fake.count(fmt::format("{}:fake/plain/store", i)), 2u) << i;
  }
  EXPECT_EQ(fake.checked, Names{"/b/fake/plain"});  // one conformance for the code, however it is linked
}

TEST(Session, reports_how_much_of_its_time_was_timed) {
  FakeSessionEnvironment fake;
  fake.add("plain").nanoseconds = 2e8;  // in one repetition
  fake.spec.length = processes_length(4);
  fake.spec.started = fake.now - 3;
  ASSERT_TRUE(fake.go());
  EXPECT_NEAR(fake.head.session.timed_seconds, 4 * 0.2, 0.01);
  EXPECT_NEAR(fake.head.session.wall_seconds, 3 + 4 * 0.55, 1e-9);
}

TEST(Session, with_real_processes_measures_working_variants_and_reports_failing_ones) {
  const FakeBuild build({"plain", "quick", "wide", "crashing", "hanging", "garbage", "flood", "flaky", "wrong",
                         "unstable", "timeless", "careless", "fragile"});
  // Only what hangs is given up soon, so that a busy machine loses nothing else.
  const Runner runner = [](ChildSpec spec) {
    spec.timeout_seconds = spec.command.front().ends_with("/hanging") && spec.command[1] == "--run" ? 0.5 : kPatience;
    return run_child(spec);
  };
  const Catalog catalog = *load_catalog(build.path(), runner);
  FakeSessionEnvironment fake;
  fake.environment.run = runner;
  fake.environment.now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  fake.spec.selection = *select(catalog, {"*/store", "*/spread"});
  fake.spec.length = processes_length(3);
  fake.spec.length.most_seconds = 0.02;
  fake.spec.cpu = 0;
  fake.head.variants = fake.spec.selection.variants;
  ASSERT_TRUE(fake.go());
  std::map<std::string, std::string> kinds;
  for (const results::Failure& failure : fake.head.failures) kinds[failure.benchmark] += failure.kind;
  const std::map<std::string, std::string> expected{
      {"fake/crashing/store", "crash"},        {"fake/hanging/store", "timeout"},
      {"fake/garbage/store", "protocol"},      {"fake/flood/store", "protocol"},
      {"fake/flaky/store", "crash"},           {"fake/wrong/store", "wrong answer"},
      {"fake/unstable/store", "wrong answer"}, {"fake/timeless/store", "protocol"},
      {"fake/careless", "conformance"},        {"fake/fragile", "conformance"}};
  EXPECT_EQ(kinds, expected);
  std::map<std::string, std::size_t> counts;
  for (const judge::SummaryRow& row : judge::summarize(fake.head)) counts[row.benchmark] = row.value.count;
  EXPECT_EQ(counts,
            (std::map<std::string, std::size_t>{
                {"fake/flaky/store", 1}, {"fake/plain/store", 3}, {"fake/quick/store", 3}, {"fake/wide/spread", 3}}));
  EXPECT_EQ(fake.head.session.state, "complete");
}

}  // namespace lab::app
