#include "harness/judge/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/judge/claim.h"
#include "harness/judge/exact.h"
#include "harness/judge/summary.h"
#include "harness/results/result_fixture.h"

namespace lab::judge {

namespace {

using results::Result;

constexpr const char* kPlain = "shelf/plain/store";
constexpr const char* kQuick = "shelf/quick/store";

/// A session of 12 blocks of one commit. `name` is its id and time.
Result session(const std::string& name, double factor = 1) {
  Result result = results::fixture_result(12);
  result.session.id = name;
  result.session.started = name;
  result.arms = {
      {"head", result.build, {}, result.source, {{"shelf/plain", "aa"}, {"shelf/quick", "bb"}}, {{"shelf/store", 2}}}};
  for (results::Process& process : result.processes) {
    process.real_time *= factor;
    for (auto& [phase, samples] : process.samples)
      for (double& sample : samples) sample *= factor;
  }
  return result;
}

/// The same, with a control that is 1.5 times slower: unfit.
Result unfit_session(const std::string& name) {
  Result result = session(name);
  result.arms.push_back(result.arms[0]);
  result.arms.back().name = "control";
  for (int block = 0; block < 12; ++block) {
    result.processes.push_back(results::fixture_process(kPlain, block, 150 + block));
    result.processes.back().arm = "control";
  }
  return result;
}

Result of_commit(Result result, const std::string& commit) {
  result.source = {commit, false, "clean"};
  return result;
}

/// Renames the workload of all benchmarks.
Result with_workload(Result result, const std::string& workload) {
  for (results::Process& process : result.processes)
    process.benchmark = process.benchmark.substr(0, process.benchmark.rfind('/') + 1) + workload;
  result.workloads[0].name = workload;
  result.arms[0].versions = {{"shelf/" + workload, 2}};
  return result;
}

std::set<std::size_t> counts_of_sessions(const Result& result, const char* benchmark) {
  std::set<std::size_t> sessions;
  for (const stats::Datum& value : metric_values(result, benchmark))
    sessions.insert(static_cast<std::size_t>(value.session));
  return sessions;
}

}  // namespace

TEST(Picture, of_one_session_is_that_session) {
  const Result alone = unfit_session("1");
  const Picture picture = put_together({alone});
  EXPECT_EQ(results::serialize(picture.result), results::serialize(alone));
  EXPECT_FALSE(picture.several());
  EXPECT_FALSE(picture.fitness.fit);
  const std::vector<SummaryRow> rows = summarize(picture.result), as_today = summarize(alone);
  ASSERT_EQ(rows.size(), as_today.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].value.median, as_today[i].value.median);
    EXPECT_EQ(rows[i].value.interval, as_today[i].value.interval);
  }
}

TEST(Picture, compares_within_the_blocks_of_each_session) {
  const Picture picture = put_together({session("2", 3), session("1")});
  const std::optional<MeasuredRatio> ratio = measured_ratio("shelf", "plain", "quick", "", "store", picture.result);
  const std::optional<MeasuredRatio> own = measured_ratio("shelf", "plain", "quick", "", "store", session("1"));
  ASSERT_TRUE(ratio && own);
  EXPECT_EQ(ratio->sessions, 2u);
  EXPECT_NEAR(ratio->median, own->median, 1e-9) << "a session three times slower has the same ratio";
  EXPECT_GT(estimate(metric_values(picture.result, kPlain)).interval->high, 3 * 120)
      << "its time differs, so the interval of the time is wide";
}

TEST(Picture, has_different_blocks_and_numbers_for_each_session) {
  const Picture picture = put_together({session("3"), session("2"), session("1")});
  std::set<std::pair<std::string, int>> blocks;
  for (const results::Process& process : picture.result.processes)
    EXPECT_TRUE(blocks.emplace(process.benchmark, process.block).second);
  EXPECT_EQ(blocks.size(), 72u);
  EXPECT_EQ(counts_of_sessions(picture.result, kPlain), (std::set<std::size_t>{0, 1, 2}));
}

TEST(Picture, adds_a_workload_that_waits_in_the_latest_session) {
  Result latest = session("2");
  latest.session.waiting = {{"shelf/plain/drop", {}}, {"shelf/plain/sort", {}}};
  const Picture picture = put_together({latest, with_workload(session("1"), "drop")});
  EXPECT_EQ(metric_values(picture.result, "shelf/plain/drop").size(), 12u);
  EXPECT_EQ(metric_values(picture.result, kPlain).size(), 12u);
  ASSERT_EQ(picture.result.session.waiting.size(), 1u);
  EXPECT_EQ(picture.result.session.waiting[0].benchmark, "shelf/plain/sort");
  ASSERT_EQ(picture.result.workloads.size(), 2u);
  EXPECT_EQ(picture.result.workloads[0].name, "drop");
  EXPECT_EQ(picture.sessions[0].alone, std::vector<std::string>{"shelf/store"});
  EXPECT_EQ(picture.sessions[1].alone, std::vector<std::string>{"shelf/drop"});
  // No ratio between arms of two sessions.
  EXPECT_FALSE(measured_ratio("shelf", "plain/drop", "quick/store", "", "store", picture.result));
  EXPECT_FALSE(measured_ratio("shelf", "plain/drop", "quick/store", "metadata_bytes", "store", picture.result));
}

TEST(Picture, takes_only_figures_without_noise_from_an_unfit_session) {
  const Picture picture = put_together({session("2"), with_workload(unfit_session("1"), "drop")});
  EXPECT_TRUE(picture.fitness.fit);
  EXPECT_TRUE(metric_values(picture.result, "shelf/plain/drop").empty());
  EXPECT_TRUE(process_times(picture.result, "shelf/plain/drop", "put").empty());
  EXPECT_EQ(exact_value(picture.result, "shelf/plain/drop", "metadata_bytes"), 128);
  EXPECT_FALSE(picture.sessions[1].fit);
  EXPECT_EQ(picture.sessions[1].benchmarks, 0u);
  EXPECT_EQ(picture.sessions[1].exact, 2u);
}

TEST(Picture, takes_a_familys_times_from_a_session_whose_control_saw_it) {
  // The newest is blind in one of two families.
  Result blind = session("2");
  blind.arms.push_back(blind.arms[0]);
  blind.arms.back().name = "control";
  for (int block = 0; block < 12; ++block)
    for (const bool is_control : {false, true}) {
      blind.processes.push_back(results::fixture_process("cellar/plain/store", block, 100 + block % 3));
      if (is_control) blind.processes.back().arm = "control";
    }
  for (int block = 0; block < 12; ++block) {
    blind.processes.push_back(results::fixture_process(kPlain, block, block % 2 == 0 ? 30 : 400));
    blind.processes.back().arm = "control";
  }
  ASSERT_EQ(judge_fitness(blind).control.blind, (std::set<std::string, std::less<>>{"shelf"}));
  const Picture alone = put_together({blind, blind});
  EXPECT_FALSE(alone.fitness.of("shelf").fit);
  EXPECT_EQ(metric_values(alone.result, kPlain).size(), 24u);

  const Picture picture = put_together({blind, session("1")});
  EXPECT_EQ(picture.main, 0u);
  EXPECT_TRUE(picture.fitness.of("shelf").fit);
  EXPECT_EQ(counts_of_sessions(picture.result, kPlain), std::set<std::size_t>{1});
  EXPECT_EQ(counts_of_sessions(picture.result, "cellar/plain/store"), std::set<std::size_t>{0});
  EXPECT_EQ(picture.sessions[0].blind, std::vector<std::string>{"shelf"});
  EXPECT_TRUE(picture.sessions[1].blind.empty());
}

TEST(Picture, begins_with_the_newest_fit_session) {
  const Picture picture = put_together({unfit_session("3"), session("2"), session("1")});
  EXPECT_EQ(picture.main, 1u);
  EXPECT_EQ(picture.result.session.id, "2");
  EXPECT_TRUE(picture.fitness.fit);
  EXPECT_EQ(metric_values(picture.result, kPlain).size(), 24u);
  EXPECT_EQ(exact_value(picture.result, kPlain, "metadata_bytes"), 128);
}

TEST(Picture, without_a_fit_session_shows_the_latest_unfit) {
  const Picture picture = put_together({unfit_session("2"), unfit_session("1")});
  EXPECT_EQ(picture.main, 0u);
  EXPECT_FALSE(picture.fitness.fit);
  EXPECT_EQ(metric_values(picture.result, kQuick).size(), 12u);
}

TEST(Picture, takes_the_same_executables_of_another_commit) {
  Result other = of_commit(session("1"), "ffff");
  other.arms[0].executables["shelf/quick"] = "cc";
  const Picture picture = put_together({session("2"), other});
  EXPECT_EQ(picture.sessions[1].kinship, Kinship::kExecutable);
  EXPECT_EQ(metric_values(picture.result, kPlain).size(), 24u);
  EXPECT_EQ(metric_values(picture.result, kQuick).size(), 12u) << "another executable";
  EXPECT_EQ(picture.sessions[1].unlike, std::vector<std::string>{"another executable"});
}

TEST(Picture, knows_who_belongs_to_it) {
  const Result latest = session("2");
  const Result other = of_commit(session("1"), "ffff");
  EXPECT_EQ(kinship_of(latest, session("1")), Kinship::kCommit);
  EXPECT_EQ(kinship_of(latest, other), Kinship::kExecutable);
  Result changed = other;
  changed.facts.kernel = "6.2.0";
  EXPECT_EQ(kinship_of(latest, changed), Kinship::kNone);
  changed = other;
  changed.facts.libc_build = "ab";
  EXPECT_EQ(kinship_of(latest, changed), Kinship::kNone);
  changed = other;
  changed.session.seed = 8;
  EXPECT_EQ(kinship_of(latest, changed), Kinship::kNone);
  changed = other;
  changed.arms[0].executables = {{"shelf/plain", "xx"}};
  EXPECT_EQ(kinship_of(latest, changed), Kinship::kNone);
  changed = session("1");
  changed.machine.id = "another";
  EXPECT_EQ(kinship_of(latest, changed), Kinship::kNone);
  // Sources with changes: the commit says nothing.
  Result dirty = session("1");
  dirty.source.state = "dirty";
  EXPECT_EQ(kinship_of(latest, dirty), Kinship::kExecutable);
  EXPECT_EQ(kinship_of(dirty, dirty), Kinship::kExecutable);
  dirty.arms[0].executables = {{"shelf/plain", "yy"}, {"shelf/quick", "zz"}};
  EXPECT_EQ(kinship_of(latest, dirty), Kinship::kNone);
}

TEST(Picture, takes_nothing_with_another_seed_version_or_executable) {
  Result seed = session("1");
  seed.session.seed = 8;
  EXPECT_EQ(put_together({session("2"), seed}).sessions[1].unlike, std::vector<std::string>{"another seed"});
  Result version = session("1");
  version.arms[0].versions["shelf/store"] = 3;
  EXPECT_EQ(put_together({session("2"), version}).sessions[1].unlike,
            std::vector<std::string>{"another version of the workload"});
  Result build = session("1");
  build.build.march = "x86-64-v3";
  build.arms.clear();
  const Picture picture = put_together({session("2"), build});
  EXPECT_EQ(picture.sessions[1].unlike, std::vector<std::string>{"another build"});
  EXPECT_FALSE(picture.sessions[1].gives());
  EXPECT_EQ(metric_values(picture.result, kPlain).size(), 12u);
}

TEST(Picture, chooses_all_sessions_of_the_commit_and_a_few_others) {
  std::vector<Result> heads;
  for (int i = 0; i < 3; ++i) heads.push_back(session("a"));
  for (int i = 0; i < 10; ++i) heads.push_back(of_commit(session("b"), "ffff"));
  Result unlike = of_commit(session("c"), "eeee");
  unlike.session.seed = 8;
  heads.insert(heads.begin() + 1, unlike);
  heads.push_back(session("a"));
  EXPECT_EQ(chosen_sessions(heads), (std::vector<std::size_t>{0, 2, 3, 4, 5, 6, 7, 14}));
}

TEST(Picture, leaves_out_times_that_are_no_level_if_another_session_has_one) {
  const auto disturb = [](Result result) {
    for (int block = 0; block < 12; ++block) result.session.disturbances.push_back({block, 10, 8, 0});
    return result;
  };
  const Picture picture = put_together({disturb(session("2", 3)), session("1")});
  EXPECT_EQ(picture.sessions[0].disturbed, std::vector<std::string>{"shelf/store"});
  EXPECT_EQ(metric_values(picture.result, kPlain).size(), 12u);
  EXPECT_TRUE(summarize(picture.result)[0].level);
  EXPECT_NEAR(summarize(picture.result)[0].value.median, 105.5, 1e-9);
  const Picture both = put_together({disturb(session("2")), disturb(session("1"))});
  EXPECT_EQ(metric_values(both.result, kPlain).size(), 24u);
  EXPECT_FALSE(summarize(both.result)[0].level);
}

TEST(Picture, sets_aside_the_disturbed_blocks_of_each_session) {
  Result disturbed = session("1");
  for (int block = 0; block < 12; ++block)
    disturbed.session.disturbances.push_back({block, 10, block < 4 ? 8.0 : 0.0, 0});
  EXPECT_EQ(metric_values(put_together({session("2"), disturbed}).result, kPlain).size(), 20u);
  EXPECT_EQ(metric_values(put_together({disturbed, session("2")}).result, kPlain).size(), 20u);
}

TEST(Picture, has_no_numbers_of_a_benchmark_with_a_wrong_answer) {
  Result wrong = session("1");
  std::erase_if(wrong.processes, [](const results::Process& one) { return one.benchmark == kQuick; });
  wrong.failures = {{kQuick, 0, 0, std::string(results::kWrongAnswer), "answer differs", ""}};
  const Picture picture = put_together({session("2"), wrong});
  EXPECT_TRUE(metric_values(picture.result, kQuick).empty());
  ASSERT_EQ(picture.result.failures.size(), 1u);
  EXPECT_EQ(metric_values(picture.result, kPlain).size(), 24u);
}

TEST(Picture, takes_the_exhibits_of_a_workload_from_one_session) {
  const auto exhibit = [](const char* benchmark, results::ExhibitKind kind, const std::string& file) {
    results::Exhibit one;
    one.benchmark = benchmark;
    one.info.name = "calls";
    one.info.kind = kind;
    one.file = file;
    return one;
  };
  Result newest = session("3"), older = session("2"), unfit = unfit_session("4");
  newest.exhibits = {exhibit(kPlain, results::ExhibitKind::kLatency, "3p")};
  older.exhibits = {exhibit(kPlain, results::ExhibitKind::kLatency, "2p"),
                    exhibit(kQuick, results::ExhibitKind::kLatency, "2q")};
  unfit.exhibits = older.exhibits;
  const Picture picture = put_together({unfit, newest, older});
  ASSERT_EQ(picture.result.exhibits.size(), 2u);
  EXPECT_EQ(picture.result.exhibits[0].file, "2p");
  EXPECT_EQ(picture.result.exhibits[0].session, "2");
  EXPECT_EQ(picture.sessions[2].exhibits, 2u);
}

TEST(Picture, does_not_pool_processes_in_a_claim_of_a_number) {
  const Picture picture = put_together({session("2", 1.2), session("1")});
  const std::vector<Share> all = shares({.benchmarks = kPlain, .metric = "time"}, kPlain, picture.result);
  ASSERT_EQ(all.size(), 24u);
  EXPECT_EQ(std::ranges::count(all, 1, &Share::session), 12);
}

}  // namespace lab::judge
