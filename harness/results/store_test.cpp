#include "harness/results/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::results {

namespace {

/// Condenses a result to its first process; the findings of a series are its medians.
StoreRules rules(int version, std::vector<std::string>* found) {
  const auto condense = [](const Result& result) {
    const Process& first = result.processes.front();
    CondensedRow row{first.benchmark, 2, {}, {}, "", {}};
    row.value.median = first.real_time;
    return CondensedResult{result.machine.id, result.session.id, result.session.started, {}, {}, "", {row}};
  };
  const auto machine = [found](std::span<const TimedSeries> series) {
    const auto find = [found](std::span<const SeriesPoint> points) {
      std::string text;
      for (const SeriesPoint& point : points) text += fmt::format("{} ", point.median);
      found->push_back(text);
      return text;
    };
    return MachineRules{fmt::format("{} series", series.size()), find};
  };
  return {version, condense, machine};
}

class StoreFolder {
 public:
  void add(int number, const std::string& benchmark, double time) {
    Result result = fixture_result();
    result.processes = {fixture_process(benchmark, 0, time)};
    result.session.id = fmt::format("{}", number);
    result.session.started = fmt::format("2026-08-{:02}T23:00:00Z", number);
    folder_.write(fmt::format("farm/{}.json", number), serialize(result));
  }

  Store open(int version = 1) {
    found.clear();
    return *Store::open(folder_.path(), rules(version, &found), [](const StoreProgress&) {});
  }

  std::vector<std::string> found;  ///< by the last open

 private:
  ScratchFolder folder_;
};

}  // namespace

TEST(Store, stores_the_findings_of_its_rules_and_computes_them_once) {
  StoreFolder folder;
  folder.add(2, "shelf/a/store", 50);
  folder.add(1, "shelf/a/store", 40);
  Store store = folder.open();
  ASSERT_EQ(store.series()->size(), 1U);
  EXPECT_EQ(*store.findings(store.series()->front()), "40 50 ");
  EXPECT_EQ(*store.findings({"farm", "shelf/unknown/store", 2}), "");
  EXPECT_EQ(folder.found, std::vector<std::string>{"40 50 "});
  EXPECT_EQ(*folder.open().findings(store.series()->front()), "40 50 ");
  EXPECT_EQ(folder.found, std::vector<std::string>{});
}

TEST(Store, computes_findings_again_for_a_new_point_or_a_change_of_the_machine) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40);
  folder.add(2, "shelf/b/store", 70);
  folder.open();
  folder.add(3, "shelf/a/store", 50);
  folder.open();
  EXPECT_EQ(folder.found, std::vector<std::string>{"40 50 "});
  folder.add(4, "shelf/c/store", 90);
  folder.open();
  EXPECT_EQ(folder.found, (std::vector<std::string>{"40 50 ", "70 ", "90 "}));
}

TEST(Store, reads_all_results_again_for_another_version_of_the_rules) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40);
  EXPECT_EQ(folder.open(1).reading().all, 1U);
  EXPECT_EQ(folder.open(1).reading().all, 0U);
  EXPECT_EQ(folder.open(2).reading().all, 1U);
}

}  // namespace lab::results
