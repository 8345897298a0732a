#include "harness/measure/exhibits.h"

#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/temporary_folder.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace {

/// A session of the variants that show something, whose numbers are there.
struct ShowSession {
  explicit ShowSession(const std::vector<std::string>& variants) : build(variants) {
    const Catalog catalog = load_catalog(build.path(), run_child_here).value();
    spec.selection = select(catalog, {"fake/*/draw"}).value();
    for (const Benchmark& benchmark : spec.selection.benchmarks) {
      result.processes.emplace_back();
      result.processes.back().benchmark = benchmark.name;
    }
  }

  static ChildOutcome run_child_here(const ChildSpec& child) { return run_child(child, -1); }

  /// Runs the exhibits; every process takes a virtual second.
  void collect(double seconds) {
    double now = 0;
    const SessionEnvironment environment{[&] { return now; },
                                         [&](const ChildSpec& child) {
                                           ++now;
                                           return run_child_here(child);
                                         },
                                         [] { return false; },
                                         [] { return std::string("now"); },
                                         [](std::string_view) { return Expected<void>{}; },
                                         {}};
    const TemporaryFolder scratch = std::move(TemporaryFolder::create().value());
    spec.scratch = scratch.path();
    SessionEvents ignored;
    const Expected<void> collected =
        collect_exhibits(spec, environment, {build.path() / "s.exhibits", seconds}, ignored, result);
    ASSERT_TRUE(collected) << collected.error().what;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const results::Exhibit& exhibit : result.exhibits) files.push_back(exhibit.file);
    return files;
  }

  FakeBuild build;
  SessionSpec spec;
  results::Result result;
};

using Names = std::vector<std::string>;

}  // namespace

TEST(Exhibits, become_files_beside_the_result) {
  ShowSession session({"show"});
  session.collect(100);
  EXPECT_EQ(session.files(),
            (Names{"s.exhibits/fake.show.draw.stroke.json", "s.exhibits/fake.show.draw.ink.json",
                   "s.exhibits/fake.show.draw.picture.png", "s.exhibits/fake.show.draw.strokes.trace.json"}));
  for (const std::string& file : session.files()) EXPECT_TRUE(read_file(session.build.path() / file)) << file;
  const results::Exhibit& stroke = session.result.exhibits.front();
  EXPECT_EQ(stroke.processes, 6);
  EXPECT_EQ(stroke.summary, (std::map<std::string, double>{
                                {"p50", 500}, {"p99", 990}, {"p99.9", 999}, {"worst", 1000}, {"raw worst", 1000}}));
  EXPECT_TRUE(
      read_file(session.build.path() / stroke.file)->starts_with(R"({"unit":"ns","operations":1000,"replays":6,)"));
  EXPECT_TRUE(session.result.session.unusual.empty());
}

TEST(Exhibits, of_all_benchmarks_have_a_turn_before_any_is_replayed) {
  ShowSession session({"show", "show_near"});
  session.collect(3);
  EXPECT_EQ(session.files(),
            (Names{"s.exhibits/fake.show.draw.ink.json", "s.exhibits/fake.show.draw.picture.png",
                   "s.exhibits/fake.show.draw.strokes.trace.json", "s.exhibits/fake.show_near.draw.ink.json",
                   "s.exhibits/fake.show_near.draw.picture.png", "s.exhibits/fake.show_near.draw.strokes.trace.json"}));
  EXPECT_EQ(session.result.session.unusual,
            Names{"no time for 2 exhibits: fake/show/draw stroke, fake/show_near/draw stroke"});
}

TEST(Exhibits, of_latency_need_three_replays_and_say_how_many_they_had) {
  const std::map<double, std::vector<int>> expected{{4, {}}, {5, {3}}, {6, {3, 3}}, {11, {6, 5}}, {12, {6, 6}}};
  for (const auto& [processes, replays] : expected) {
    ShowSession session({"show", "show_near"});
    session.collect(processes);  // each takes a second
    std::vector<int> found;
    for (const results::Exhibit& one : session.result.exhibits)
      if (one.info.kind == bench::ExhibitKind::kLatency) found.push_back(one.processes);
    EXPECT_EQ(found, replays) << processes;
    EXPECT_EQ(session.result.session.unusual.empty(), replays.size() == 2) << processes;
  }
}

TEST(Exhibits, that_fail_are_a_failure_of_their_benchmark_whose_numbers_stay) {
  ShowSession session({"show", "show_torn"});
  session.collect(100);
  EXPECT_EQ(session.files().size(), 4u);
  ASSERT_EQ(session.result.failures.size(), 1u);
  EXPECT_EQ(session.result.failures[0].benchmark, "fake/show_torn/draw");
  EXPECT_EQ(session.result.failures[0].kind, "exhibit");
  EXPECT_NE(session.result.failures[0].output_tail.find("exhibit 'stroke' was declared and not written"),
            std::string::npos);
  EXPECT_EQ(session.result.processes.size(), 2u);
}

TEST(Exhibits, of_a_benchmark_without_numbers_are_not_made) {
  ShowSession session({"show"});
  session.result.processes.clear();
  session.collect(100);
  EXPECT_EQ(session.files(), Names{});
}

}  // namespace lab::measure
