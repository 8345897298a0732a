#include "harness/judge/compared_arm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kHead;
using results::Process;
using results::Result;

using Names = std::set<std::string>;

TEST(ComparedArm, has_the_values_of_its_own_processes) {
  Result session = SessionMaker().session(2, 3, {kBase, kHead});
  for (Process& process : session.processes) process.seed = process.arm == kHead ? 8 : 7;
  const ComparedArm head(session, kHead, {});
  EXPECT_EQ(head.benchmarks(), (Names{"shelf/v0/store", "shelf/v1/store"}));
  EXPECT_EQ(head.values("shelf/v0/store").size(), 3u);
  EXPECT_EQ(head.seeds("shelf/v0/store"), (std::set<std::uint64_t>{8}));
  EXPECT_TRUE(head.values("shelf/v9/store").empty());
  EXPECT_FALSE(head.has("shelf/v9/store"));
  EXPECT_EQ(ComparedArm(session, kHead, {.metrics = {"put"}}).benchmarks().size(), 4u);
}

TEST(ComparedArm, leaves_out_a_benchmark) {
  const Result session = SessionMaker().session(2, 3, {kHead});
  ComparedArm head(session, kHead, {});
  head.leave_out("shelf/v0/store");
  EXPECT_EQ(head.benchmarks(), (Names{"shelf/v1/store"}));
}

TEST(ComparedArm, is_warming_up_if_more_than_half_of_the_processes_are) {
  Result session = SessionMaker().session(1, 4, {kHead});
  const auto warm = [&](int from) {
    for (Process& process : session.processes) process.warmup = results::Warmup{5, 0.1, process.block >= from};
    return !ComparedArm(session, kHead, {}).is_warming_up("shelf/v0/store");
  };
  EXPECT_TRUE(warm(2));
  EXPECT_FALSE(warm(3));
}

TEST(ComparedArm, prefers_what_the_arm_knows_of_itself) {
  Result session = SessionMaker().session(1, 1, {kHead});
  EXPECT_EQ(ComparedArm(session, kHead, {}).versions(), (std::map<std::string, int>{{"shelf/store", 2}}));
  EXPECT_EQ(ComparedArm(session, kHead, {}).executable("shelf/v0/store"), "");
  results::Arm& arm = session.arms[0];
  arm.versions = {{"shelf/store", 5}};
  arm.executables = {{"shelf/v0", "abc"}};
  arm.source.commit = "1234";
  const ComparedArm head(session, kHead, {});
  EXPECT_EQ(head.versions(), arm.versions);
  EXPECT_EQ(head.executable("shelf/v0/store"), "abc");
  EXPECT_EQ(head.side().commit, "1234");
  EXPECT_EQ(ComparedArm(session, kBase, {}).side().commit, session.source.commit);
}

TEST(Comparability, does_not_judge_identical_executables_and_invents_no_time) {
  Result session = SessionMaker().session(2, 8, {kHead, kBase});
  session.processes.erase(
      std::remove_if(session.processes.begin(), session.processes.end(),
                     [](const Process& p) { return p.arm == kBase && p.benchmark == "shelf/v0/store"; }),
      session.processes.end());
  for (results::Arm& arm : session.arms) arm.executables = {{"shelf/v0", "abc"}, {"shelf/v1", arm.name}};
  const Comparison comparison = *compare_arms(session, {});
  const ComparisonRow& row = *find_row(comparison, "shelf/v0/store");
  EXPECT_EQ(row.verdict, Verdict::kUnknown);
  EXPECT_EQ(row.reason, Reason::kIdentical);
  EXPECT_FALSE(is_measured(row));
  EXPECT_FALSE(row.interval);
  EXPECT_FALSE(row.p);
  EXPECT_EQ(comparison.tested, 1u);
}

TEST(Comparability, tests_an_identical_executable_if_the_kernel_or_c_library_differs_or_is_unknown) {
  const auto change = [](const char* what, const auto& apply) {
    auto [base, head] = of_one_build(3, 2);
    apply(base, head);
    const Comparison comparison = *compare_sessions(base, head, {});
    EXPECT_EQ(count(comparison, Verdict::kRegressed), 3u) << what;
    EXPECT_EQ(comparison.tested, 3u) << what;
    EXPECT_NEAR(comparison.rows[0].ratio, 2, 0.05) << what;
    EXPECT_EQ(comparison.shift_source.kind, ShiftSource::kAssumed) << what;
  };
  change("kernel", [](Result&, Result& head) { head.facts.kernel = "6.2.0"; });
  change("C library", [](Result&, Result& head) { head.facts.libc = "glibc 2.41"; });
  change("C library, patched", [](Result& base, Result& head) {
    base.facts.libc_build = "aa";
    head.facts.libc_build = "bb";
  });
  change("unknown kernel", [](Result& base, Result& head) { base.facts.kernel = head.facts.kernel = "unknown"; });
  change("no C library", [](Result& base, Result& head) { base.facts.libc = head.facts.libc = ""; });
}

TEST(Comparability, rejects_different_seeds_and_judges_nothing_if_they_are_allowed) {
  SessionMaker maker;
  const auto slower = [](int, std::string_view) { return 1.5; };
  const Result base = maker.session(3, 10, {kHead});
  Result head = maker.session(3, 10, {kHead}, slower);
  head.session.seed = 8;
  for (Process& process : head.processes) {
    process.seed = 8;
    process.counters["metadata_bytes"] = 256;
    process.checksum = "00000000000000bb";
  }
  const auto refused = compare_sessions(base, head, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "expected one seed of the workloads, found 7 and 8");
  EXPECT_EQ(refused.error().hint, "--allow seeds shows them, not judged");
  EXPECT_EQ(refused.error().status, ExitStatus::kUsage);
  CompareSettings seeds;
  seeds.allow_seeds = true;
  const Comparison comparison = *compare_sessions(base, head, seeds);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict, Verdict::kUnknown);
    EXPECT_EQ(row.reason, Reason::kSeeds);
    EXPECT_NEAR(row.ratio, 1.5, 0.03);
    EXPECT_FALSE(row.p || row.interval);
  }
  EXPECT_TRUE(comparison.exact.empty());
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  ASSERT_EQ(comparison.warnings.size(), 1u);
  EXPECT_EQ(warnings_of<AllowedRefusal>(comparison).at(0).refusal, refused.error().what);
}

TEST(Comparability, rejects_a_different_seed_of_some_processes) {
  CompareSettings seeds;
  seeds.allow_seeds = true;
  // Within a session, in one arm; and in one of two sessions.
  Result session =
      SessionMaker().session(5, 10, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.5 : 1; });
  for (Process& process : session.processes)
    if (process.arm == kHead && process.benchmark != "shelf/v4/store" && process.block % 2 == 1) {
      process.seed = 9;
      process.counters["metadata_bytes"] = 256;
    }
  EXPECT_EQ(
      compare_arms(session, {}).error().what,
      "expected one seed of the workloads, found 7 and 9 in shelf/v0/store, shelf/v1/store, shelf/v2/store, 1 more");
  const Comparison comparison = *compare_arms(session, seeds);
  EXPECT_EQ(comparison.tested, 1u);
  EXPECT_EQ(verdict_of(comparison, 4), Verdict::kRegressed);
  EXPECT_EQ(find_row(comparison, "shelf/v0/store")->reason, Reason::kSeeds);
  EXPECT_TRUE(comparison.exact.empty());
  SessionMaker maker;
  const Result base = maker.session(2, 10, {kHead});
  Result head = maker.session(2, 10, {kHead});
  for (Process& process : head.processes)
    if (process.benchmark == "shelf/v1/store") process.seed = 9;
  EXPECT_EQ(compare_sessions(base, head, {}).error().what,
            "expected one seed of the workloads, found 7 and 9 in shelf/v1/store");
  EXPECT_EQ(find_row(*compare_sessions(base, head, seeds), "shelf/v1/store")->reason, Reason::kSeeds);
}

TEST(Comparability, shows_two_machines_without_a_verdict) {
  auto [base, head] = of_one_build(3, 2);
  head.machine.id = "another";
  for (Process& process : head.processes) process.counters["metadata_bytes"] = 256;
  CompareSettings machines;
  machines.allow_machines = true;
  const Comparison comparison = *compare_sessions(base, head, machines);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict, Verdict::kUnknown);
    EXPECT_EQ(row.reason, Reason::kMachine);
    EXPECT_FALSE(row.identical || row.p || row.interval);
    EXPECT_NEAR(row.ratio, 2, 0.05);
  }
  EXPECT_TRUE(comparison.exact.empty());
  EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  // An answer is right or wrong on every machine.
  for (Process& process : head.processes) process.checksum = "00000000000000bb";
  EXPECT_EQ(exit_status(*compare_sessions(base, head, machines)), ExitStatus::kRegression);
}

TEST(Comparability, rejects_sides_that_cannot_be_compared_until_allowed) {
  SessionMaker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result machine = maker.session(3, 8, {kHead}), version = maker.session(3, 8, {kHead}), other = machine;
  machine.machine.id = "another";
  version.workloads[0].version = 3;
  for (Process& process : other.processes) process.benchmark = "else/" + process.benchmark;
  const auto complaint = [&](const Result& head, CompareSettings settings = {}) {
    const auto comparison = compare_sessions(base, head, settings);
    EXPECT_TRUE(comparison || comparison.error().status == ExitStatus::kUsage);
    return comparison ? "" : comparison.error().what;
  };
  EXPECT_EQ(complaint(machine), "expected sessions of one machine, found '0123456789ab' and 'another'");
  EXPECT_EQ(complaint(version), "expected one version of each workload, found two of shelf/store (2 and 3)");
  EXPECT_EQ(complaint(other), "no benchmark in common: base has 3, head has 3");
  CompareSettings machines, versions;
  machines.allow_machines = versions.allow_versions = true;
  EXPECT_EQ(complaint(machine, machines), "");
  EXPECT_EQ(complaint(version, versions), "");
  EXPECT_EQ(warnings_of<AllowedRefusal>(*compare_sessions(base, machine, machines)).at(0).refusal, complaint(machine));
  EXPECT_EQ(compare_arms(base, {}).error().what,
            "expected a session with the arms head and base, found only head in 'session 1'");
}

TEST(Comparability, says_that_a_debug_build_is_compared_with_a_release_one) {
  Result session = changed_session();
  EXPECT_TRUE(warnings_of<ChangedFact>(*compare_arms(session, {})).empty());
  ASSERT_EQ(session.arms.at(0).name, results::kBase);
  session.arms[0].build.config = "debug";
  session.arms[1].build.config = "release";
  session.arms[1].build.march = "x86-64-v3";
  std::vector<std::string> said;
  for (const ChangedFact& one : warnings_of<ChangedFact>(*compare_arms(session, {})))
    said.push_back(fmt::format("{} '{}' '{}'", one.fact, one.before, one.now));
  EXPECT_EQ(said, (std::vector<std::string>{"config 'debug' 'release'", "march '' 'x86-64-v3'"}));
}

TEST(Comparability, lists_the_machine_facts_that_changed) {
  SessionMaker maker;
  const Result base = maker.session(3, 8, {kHead});
  Result head = maker.session(3, 8, {kHead});
  head.facts.kernel = "6.2.0";
  const ChangedFact kernel = warnings_of<ChangedFact>(*compare_sessions(base, head, {})).at(0);
  EXPECT_EQ(kernel.fact + " " + kernel.before + " " + kernel.now, "kernel 6.1.0 6.2.0");
  head.facts.libc_build = "bb";  // base does not say its own
  EXPECT_EQ(compare_sessions(base, head, {})->warnings.size(), 1u);
  Result patched = base;
  patched.session.id = "patched";
  patched.facts.libc_build = "aa";
  head.facts.kernel = base.facts.kernel;
  const Comparison comparison = *compare_sessions(patched, head, {});
  ASSERT_EQ(comparison.warnings.size(), 1u);
  const PatchedLibrary library = warnings_of<PatchedLibrary>(comparison).at(0);
  EXPECT_EQ(library.library + " " + library.before + " " + library.now, "glibc 2.36 aa bb");
}

TEST(Comparability, does_not_judge_a_session_against_itself_or_a_part_of_itself) {
  const Result session = SessionMaker().session(3, 20, {kHead});
  Result part = session, other = session;
  std::erase_if(part.processes, [](const Process& process) { return process.block >= 12; });
  for (const Result* const base : std::initializer_list<const Result*>{&session, &part}) {
    const Comparison comparison = *compare_sessions(*base, session, {});
    EXPECT_EQ(comparison.tested, 0u);
    for (const ComparisonRow& row : comparison.rows) EXPECT_EQ(row.reason, Reason::kIdentical);
    EXPECT_EQ(comparison.warnings.size(), 1u);
    EXPECT_EQ(warnings_of<SameSession>(comparison).size(), 1u);
    EXPECT_EQ(exit_status(comparison), ExitStatus::kOk);
  }
  // The name alone does not make it the same.
  for (Process& process : other.processes) process.real_time *= 1.5;
  EXPECT_EQ(count(*compare_sessions(session, other, {}), Verdict::kRegressed), 3u);
}

}  // namespace lab::judge
