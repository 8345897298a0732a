// Every use case as a page or a farm would call it: no arguments of a command line, and standard output closed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

#include "harness/app/bisect.h"
#include "harness/app/compare.h"
#include "harness/app/history.h"
#include "harness/app/report.h"
#include "harness/app/run.h"
#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/night_fixture.h"
#include "harness/measure/fake_build.h"
#include "harness/results/result_fixture.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// While it lives, standard output is closed, and standard error is a file.
class Silence {
 public:
  explicit Silence(const fs::path& errors) {
    std::fflush(stdout);
    std::fflush(stderr);
    output_ = ::dup(STDOUT_FILENO);
    errors_ = ::dup(STDERR_FILENO);
    const int file = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
    ::close(STDOUT_FILENO);
  }
  ~Silence() {
    std::fflush(stderr);
    ::dup2(output_, STDOUT_FILENO);
    ::dup2(errors_, STDERR_FILENO);
    ::close(output_);
    ::close(errors_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int output_ = -1, errors_ = -1;
};

class UseCases : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LAB_ROOT", root().c_str(), 1);
    ::setenv("LAB_MACHINE", "here", 1);
  }
  void TearDown() override {
    ::unsetenv("LAB_ROOT");
    ::unsetenv("LAB_MACHINE");
    const Expected<std::string> said = read_file(errors_.path() / "said");
    EXPECT_EQ(said ? *said : said.error().what, "");
  }

  /// What `use` returns while nobody listens.
  template <typename Use>
  auto silently(const Use& use) const {
    const Silence silence(errors_.path() / "said");
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

  ScratchFolder root_;
  ScratchFolder errors_;
};

}  // namespace

TEST_F(UseCases, compare_returns_its_verdicts) {
  const std::vector<std::string> names{write("base.json", results::fixture_result(8)),
                                       write("head.json", results::fixture_result(8))};
  const auto comparison = silently([&] { return compare({names, {}, root()}); });
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

TEST_F(UseCases, report_names_the_files_it_wrote) {
  write("results/here/a.json", results::fixture_result(8));
  fs::create_directories(root() / "results");
  fs::copy(fs::path(LAB_SOURCE_DIR) / "results/published", root() / "results/published");
  std::vector<fs::path> pages;
  const auto reported = silently([&] {
    return report({.results = {(root() / "results/here/a.json").string()}, .root = root()},
                  [&](const report::ReportFiles& files) { pages.push_back(files.index); });
  });
  ASSERT_TRUE(reported) << reported.error().what;
  EXPECT_EQ(pages, std::vector<fs::path>{root() / "reports/a/index.html"});
  EXPECT_TRUE(fs::exists(pages.front()));
}

TEST_F(UseCases, run_returns_what_it_measured_and_tells_its_result_before_and_after_every_block) {
  const measure::FakeBuild build({"plain"});
  std::vector<std::string> told;
  RunObserver observer;
  observer.on_start = [&](const measure::SessionSpec&, const results::Result&) { told.push_back("start"); };
  observer.on_result = [&](const results::Result& result, std::optional<int> planned) {
    told.push_back(fmt::format("{} processes, {}", result.processes.size(),
                               planned ? fmt::format("{} blocks", *planned) : "over"));
  };
  observer.on_measured = [&](const std::vector<std::string>&) { told.push_back("measured"); };
  const RunRequest request{
      .filters = {"*/store"}, .pace = measure::processes_pace(2), .root = root(), .build_dir = build.path()};
  const auto outcome = silently([&] { return run(request, observer); });
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(told, (std::vector<std::string>{"start", "0 processes, 0 blocks", "2 processes, 2 blocks",
                                            "4 processes, 2 blocks", "measured", "4 processes, over"}));
  EXPECT_EQ(exit_status(*outcome), ExitStatus::kOk);
  const Expected<results::Result> kept = results::load_result(outcome->path);
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_EQ(kept->session.id, outcome->result.session.id);
  EXPECT_EQ(kept->processes.size(), 4u);
}

TEST_F(UseCases, run_measures_without_anybody_who_listens) {
  const measure::FakeBuild build({"plain"});
  const auto outcome = silently([&] {
    return run({.filters = {"*/store"}, .pace = measure::processes_pace(1), .root = root(), .build_dir = build.path()});
  });
  ASSERT_TRUE(outcome) << outcome.error().what;
}

TEST_F(UseCases, run_stops_once_its_stop_file_is_readable) {
  const measure::FakeBuild build({"plain"});
  const auto stopped = silently([&] {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    auto outcome = run({.root = root(), .build_dir = build.path(), .stop_file = ends[0]});
    for (const int end : ends) ::close(end);
    return outcome;
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().status, ExitStatus::kInterrupted);
}

TEST_F(UseCases, forecast_names_the_smallest_change_once_there_is_a_pilot) {
  const measure::FakeBuild build({"plain"});
  RunRequest request{
      .filters = {"*/store"}, .pace = measure::processes_pace(6), .root = root(), .build_dir = build.path()};
  const auto before = silently([&] { return forecast_run(request); });
  ASSERT_TRUE(before) << before.error().what;
  EXPECT_FALSE(before->pilot);
  const auto outcome = silently([&] { return run(request); });
  ASSERT_TRUE(outcome) << outcome.error().what;
  const auto after = silently([&] { return forecast_run(request); });
  ASSERT_TRUE(after) << after.error().what;
  EXPECT_EQ(after->pilot, outcome->result.session.id);
  EXPECT_TRUE(after->rows.front().noise);
}

TEST_F(UseCases, bisect_returns_the_culprit_and_goes_on_from_its_record) {
  const std::string script =
      "cd \"$1\" && git init -q -b main repo && cd repo && "
      "for i in 1 2 3 4 5 6; do echo $((i < 4 ? 100 : 200)) > level && git add . && "
      "git -c user.name=a -c user.email=a@b commit --allow-empty -qm $i || exit 1; done";
  ChildSpec make;
  make.command = {"sh", "-c", script, "sh", root().string()};
  ASSERT_EQ(run_child(make).code, 0);
  const BisectRequest request{
      .good = "HEAD~5", .bad = "HEAD", .command = "cat level", .repository = root() / "repo", .root = root()};
  std::size_t steps = 0, found = 0;
  BisectObserver observer;
  observer.on_open = [&](const results::BisectRecord& record) { found = record.found(); };
  observer.search.on_step = [&](const Step&) { ++steps; };
  const auto answer = silently([&] { return bisect(request, observer); });
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->verdict.answer, judge::BisectVerdict::Answer::kCulprit);
  EXPECT_EQ(answer->verdict.suspects.front().commit, answer->question.commits[3].sha);
  EXPECT_EQ(found, 0u);
  const auto again = silently([&] { return bisect(request, observer); });
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(found, steps);
  EXPECT_EQ(again->verdict.measurements, answer->verdict.measurements);
}

}  // namespace lab::app
