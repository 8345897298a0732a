// Calls every use case without a command line, with standard output closed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

#include "harness/app/bisect.h"
#include "harness/app/change_points.h"
#include "harness/app/compare.h"
#include "harness/app/history.h"
#include "harness/app/night.h"
#include "harness/app/report.h"
#include "harness/app/run.h"
#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/needs_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/fitness.h"
#include "harness/judge/night_fixture.h"
#include "harness/measure/fake_build.h"
#include "harness/measure/plan.h"
#include "harness/report/forecast_text.h"
#include "harness/results/result_fixture.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// While it lives, standard output is closed, and standard error is a file.
class ClosedOutput {
 public:
  explicit ClosedOutput(const fs::path& errors) {
    std::fflush(stdout);
    std::fflush(stderr);
    output_ = ::dup(STDOUT_FILENO);
    errors_ = ::dup(STDERR_FILENO);
    const int file = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
    ::close(STDOUT_FILENO);
  }
  ~ClosedOutput() {
    std::fflush(stderr);
    ::dup2(output_, STDOUT_FILENO);
    ::dup2(errors_, STDERR_FILENO);
    ::close(output_);
    ::close(errors_);
  }
  ClosedOutput(const ClosedOutput&) = delete;
  ClosedOutput& operator=(const ClosedOutput&) = delete;

 private:
  int output_ = -1, errors_ = -1;
};

class UseCases : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LAB_ROOT", root().c_str(), 1);
    ::setenv("LAB_MACHINE", "here", 1);
    ::setenv("LAB_FAKE_SECONDS", fmt::format("{}", measure::kLeastSeconds).c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"LAB_ROOT", "LAB_MACHINE", "LAB_FAKE_SECONDS"}) ::unsetenv(name);
    if (IsSkipped()) return;  // nothing was called
    const Expected<std::string> printed = read_file(errors_.path() / "stderr");
    EXPECT_EQ(printed ? *printed : printed.error().what, "");
  }

  /// Calls `use` with standard output closed.
  template <typename Use>
  auto silently(const Use& use) const {
    const ClosedOutput closed(errors_.path() / "stderr");
    auto outcome = use();
    // A use case that had written would have left it in the buffer, or failed.
    EXPECT_EQ(std::fflush(stdout), 0);
    EXPECT_EQ(std::ferror(stdout), 0);
    return outcome;
  }

  const fs::path& root() const { return root_.path(); }
  std::string write(const std::string& name, const results::Result& result) const {
    root_.write(name, results::serialize(result));
    return (root() / name).string();
  }

  measure::SessionEvents ignored_;
  ScratchFolder root_;
  ScratchFolder errors_;
};

/// Gives every session the same result, and writes no report.
class FixtureEnvironment : public NightEnvironment {
 public:
  explicit FixtureEnvironment(std::string session) : session_(std::move(session)) {}

  std::vector<std::string> calls;

  std::time_t now() override { return 1'785'625'200; }
  double clock() override { return 0; }
  Expected<std::string> machine() override { return std::string("here"); }
  Expected<std::vector<std::string>> commits(const std::vector<std::string>&) override {
    return std::vector<std::string>();
  }
  Expected<VerbOutcome> run_verb(const std::string& verb, const std::vector<std::string>&) override {
    calls.push_back(verb);
    return VerbOutcome{0, session_};
  }
  HistoryText history_text() override { return {}; }
  void print_line(std::string_view line) override { ADD_FAILURE() << line; }
  bool interrupted() override { return false; }

 private:
  std::string session_;
};

}  // namespace

TEST_F(UseCases, compare_returns_its_verdicts) {
  const std::vector<std::string> names{write("base.json", results::fixture_result(8)),
                                       write("head.json", results::fixture_result(8))};
  const auto comparison = silently([&] { return compare({names, {}, false, root()}); });
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->rows.size(), 2u);
}

TEST_F(UseCases, history_returns_its_series_and_a_night_its_verdict) {
  for (int night = 0; night < 6; ++night)
    write("results/here/" + judge::fixture_file(night), judge::fixture_night({night, 1, 1, {100, 50}}));
  int read = 0;
  const HistoryObserver observer{{}, [&] { ++read; }, [](const std::string& sentence) { ADD_FAILURE() << sentence; }};
  const auto followed = silently(
      [&] { return history({.results = root() / "results", .benchmark = "*/v000/*", .with_points = true}, observer); });
  ASSERT_TRUE(followed) << followed.error().what;
  ASSERT_EQ(followed->size(), 1u);
  EXPECT_EQ(followed->front().points.size(), 6u);
  EXPECT_EQ(read, 1);
  const auto night = silently(
      [&] { return judge_night(root() / "results", root() / "results/here" / judge::fixture_file(5), observer); });
  ASSERT_TRUE(night) << night.error().what;
  EXPECT_TRUE(night->fit);
}

TEST_F(UseCases, night_returns_its_verdict_and_passes_its_summary_on) {
  const std::string session =
      write("results/here/" + judge::fixture_file(0), judge::fixture_night({0, 1, 1, {100, 50}}));
  FixtureEnvironment environment(session);
  std::vector<std::string> lines;
  const auto verdict = silently([&] {
    return run_night({.results = root() / "results"}, environment,
                     [&](const NightSummary& summary) { lines.push_back(summary.line); });
  });
  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(*verdict, ExitStatus::kOk);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find("nightly: fine: 2 too young to tell (19 more nights)"), 0u) << lines[0];
  EXPECT_EQ(environment.calls, (std::vector<std::string>{"run", "report"}));
  EXPECT_TRUE(fs::exists(root() / "results/nightly/here/20260801T230000Z/junit.xml"));
}

TEST_F(UseCases, changepoints_returns_the_changes_of_each_series) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += i < 20 ? "100 " : "200 ";
  const auto series = silently([&] { return find_change_points(text + "\n1, 2\n", "numbers", false); });
  ASSERT_TRUE(series) << series.error().what;
  ASSERT_EQ(series->size(), 2u);
  ASSERT_EQ(series->front().change_points.size(), 1u);
  EXPECT_EQ(series->front().change_points.front().index, 20u);
  EXPECT_TRUE(series->back().change_points.empty());
}

TEST_F(UseCases, report_names_the_files_it_wrote) {
  write("results/here/a.json", results::fixture_result(8));
  std::vector<fs::path> pages;
  const auto reported = silently([&] {
    return report({.results = {(root() / "results/here/a.json").string()}, .root = root()},
                  [&](const report::ReportFiles& files) { pages.push_back(files.index); });
  });
  ASSERT_TRUE(reported) << reported.error().what;
  EXPECT_EQ(pages, std::vector<fs::path>{root() / "reports/a/index.html"});
  EXPECT_TRUE(fs::exists(pages.front()));
  EXPECT_EQ(*reported, ExitStatus::kOk);
}

TEST_F(UseCases, report_of_an_unfit_session_is_written_and_has_status_4) {
  results::Result unfit = results::fixture_result(8);
  const std::vector<results::Process> heads = unfit.processes;
  for (results::Process process : heads) {  // a biased control
    process.arm = results::kControl;
    process.real_time *= 2;
    unfit.processes.push_back(process);
  }
  write("results/here/unfit.json", unfit);
  write("results/here/fit.json", results::fixture_result(8));
  const auto status_of = [&](const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back((root() / "results/here" / name).string());
    std::size_t pages = 0;
    const auto reported = silently([&] {
      return report({.results = paths, .root = root()},
                    [&](const report::ReportFiles& files) { pages += fs::exists(files.index); });
    });
    EXPECT_EQ(pages, names.size());
    return reported ? *reported : ExitStatus::kFailed;
  };
  EXPECT_EQ(status_of({"unfit.json"}), ExitStatus::kUnfit);
  EXPECT_EQ(status_of({"unfit.json", "fit.json"}), ExitStatus::kUnfit);
  EXPECT_EQ(status_of({"fit.json"}), ExitStatus::kOk);
}

TEST_F(UseCases, run_returns_its_result_and_reports_it_before_and_after_each_block) {
  struct Listener : measure::SessionEvents {
    void on_start(const measure::SessionSpec&, const results::Result&) override { events.push_back("start"); }
    void on_process(const measure::SessionProgress& progress) override { blocks = progress.blocks; }
    void on_block(const results::Result& result) override {
      events.push_back(fmt::format("{} processes, {} blocks", result.processes.size(), blocks));
    }
    void on_measured(const std::vector<std::string>&) override { events.push_back("measured"); }
    int blocks = 0;
    std::vector<std::string> events;
  } listener;
  const measure::FakeBuild build({"plain"});
  const RunRequest request{
      .filters = {"*/store"}, .length = measure::processes_length(2), .root = root(), .build_dir = build.path()};
  const auto outcome = silently([&] { return run(request, listener); });
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(listener.events, (std::vector<std::string>{"start", "0 processes, 0 blocks", "2 processes, 2 blocks",
                                                       "4 processes, 2 blocks", "measured"}));
  EXPECT_EQ(exit_status(*outcome), judge::exit_status(outcome->result, judge::judge_fitness(outcome->result)));
  const Expected<results::Result> kept = results::load_result(outcome->path);
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_EQ(kept->session.id, outcome->result.session.id);
  EXPECT_EQ(kept->processes.size(), 4u);
}

TEST_F(UseCases, run_needs_nobody_who_listens) {
  const measure::FakeBuild build({"plain"});
  const auto outcome = silently([&] {
    return run(
        {.filters = {"*/store"}, .length = measure::processes_length(1), .root = root(), .build_dir = build.path()},
        ignored_);
  });
  ASSERT_TRUE(outcome) << outcome.error().what;
}

TEST_F(UseCases, run_stops_once_its_stop_file_is_readable) {
  const measure::FakeBuild build({"plain"});
  const auto stopped = silently([&] {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    auto outcome = run({.root = root(), .build_dir = build.path(), .stop_file = ends[0]}, ignored_);
    for (const int end : ends) ::close(end);
    return outcome;
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().status, ExitStatus::kInterrupted);
}

TEST_F(UseCases, forecast_names_the_smallest_change_once_there_is_a_pilot) {
  const measure::FakeBuild build({"plain"});
  RunRequest request{
      .filters = {"*/store"}, .length = measure::processes_length(6), .root = root(), .build_dir = build.path()};
  const auto before = silently([&] { return forecast_run(request, ignored_); });
  ASSERT_TRUE(before) << before.error().what;
  EXPECT_FALSE(before->pilot);
  const auto outcome = silently([&] { return run(request, ignored_); });
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto after = silently([&] { return forecast_run(request, ignored_); });
  ASSERT_TRUE(after) << after.error().what;
  EXPECT_EQ(after->pilot, outcome->result.session.id);
  EXPECT_TRUE(after->rows.front().noise);
}

TEST_F(UseCases, forecast_says_beforehand_that_too_few_processes_can_show_nothing) {
  const measure::FakeBuild build({"plain", "quick"});
  RunRequest request{
      .filters = {"*/store"}, .length = measure::processes_length(3), .root = root(), .build_dir = build.path()};
  const auto forecast = silently([&] { return forecast_run(request, ignored_); });
  ASSERT_TRUE(forecast) << forecast.error().what;
  EXPECT_EQ(forecast->blocks, 3);
  EXPECT_EQ(report::hopeless_sentence(forecast->blocks, forecast->rows.size(), forecast->fewest_blocks),
            fmt::format("3 processes of each arm cannot tell any change from chance in a table of {} rows; --processes "
                        "{} can",
                        forecast->rows.size(), forecast->fewest_blocks));
  EXPECT_EQ(report::hopeless_sentence(static_cast<int>(forecast->fewest_blocks), forecast->rows.size(),
                                      forecast->fewest_blocks),
            "");
}

TEST_F(UseCases, bisect_returns_the_culprit_and_resumes_from_its_record) {
  SKIP_WITHOUT_PROGRAM("git");
  const std::string script =
      "cd \"$1\" && git init -q -b main repo && cd repo && "
      "for i in 1 2 3 4 5 6; do echo $((i < 4 ? 100 : 200)) > level && git add . && "
      "git -c user.name=a -c user.email=a@b commit --allow-empty -qm $i || exit 1; done";
  ChildSpec make;
  make.command = {"sh", "-c", script, "sh", root().string()};
  ASSERT_EQ(run_child(make).code, 0);
  const BisectRequest request{
      .good = "HEAD~5", .bad = "HEAD", .command = "cat level", .repository = root() / "repo", .root = root()};
  struct Listener : BisectEvents {
    void on_open(const results::BisectRecord& record) override { found = record.found(); }
    void on_step(const BisectStep&) override { ++steps; }
    std::size_t steps = 0, found = 0;
  } listener;
  const auto answer = silently([&] { return bisect(request, listener); });
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->verdict.outcome, judge::BisectVerdict::Outcome::kCulprit);
  EXPECT_EQ(answer->verdict.suspects.front().commit, answer->question.commits[3].sha);
  EXPECT_EQ(listener.found, 0u);
  const auto again = silently([&] { return bisect(request, listener); });
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(listener.found, listener.steps);
  EXPECT_EQ(again->verdict.measurements, answer->verdict.measurements);
}

}  // namespace lab::app
