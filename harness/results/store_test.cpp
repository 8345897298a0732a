#include "harness/results/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::results {

namespace {

using Texts = std::vector<std::string>;

/// Condenses a result to its first process; the findings of a series are its medians.
StoreRules rules(int version, Texts* found) {
  const auto condense = [](const Result& result) {
    const Process& first = result.processes.front();
    CondensedRow row{first.benchmark, 2, {}, "", {}};
    row.time.median = first.real_time;
    return Condensed{result.machine.id, result.session.id, result.session.started, {}, {}, "", {row}};
  };
  const auto machine = [found](std::span<const std::vector<double>> medians) {
    const auto find = [found](std::span<const Point> points) {
      std::string text;
      for (const Point& point : points) text += fmt::format("{} ", point.median);
      found->push_back(text);
      return text;
    };
    return MachineRules{fmt::format("{} series", medians.size()), find};
  };
  return {version, condense, machine};
}

class Folder {
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

  Texts found;  ///< by the last open

 private:
  ScratchFolder folder_;
};

}  // namespace

TEST(Store, keeps_the_findings_of_its_rules_as_they_are_and_asks_for_them_once) {
  Folder folder;
  folder.add(2, "shelf/a/store", 50);
  folder.add(1, "shelf/a/store", 40);
  Store store = folder.open();
  ASSERT_EQ(store.series()->size(), 1U);
  EXPECT_EQ(*store.findings(store.series()->front()), "40 50 ");
  EXPECT_EQ(*store.findings({"farm", "shelf/unknown/store", 2}), "");
  EXPECT_EQ(folder.found, Texts{"40 50 "});
  EXPECT_EQ(*folder.open().findings(store.series()->front()), "40 50 ");
  EXPECT_EQ(folder.found, Texts{});
}

TEST(Store, asks_again_for_a_series_that_has_a_new_point_and_for_all_of_a_machine_that_is_watched_otherwise) {
  Folder folder;
  folder.add(1, "shelf/a/store", 40);
  folder.add(2, "shelf/b/store", 70);
  folder.open();
  folder.add(3, "shelf/a/store", 50);
  folder.open();
  EXPECT_EQ(folder.found, Texts{"40 50 "});
  folder.add(4, "shelf/c/store", 90);
  folder.open();
  EXPECT_EQ(folder.found, (Texts{"40 50 ", "70 ", "90 "}));
}

TEST(Store, reads_all_results_again_for_rules_of_another_version) {
  Folder folder;
  folder.add(1, "shelf/a/store", 40);
  EXPECT_EQ(folder.open(1).reading().all, 1U);
  EXPECT_EQ(folder.open(1).reading().all, 0U);
  EXPECT_EQ(folder.open(2).reading().all, 1U);
}

}  // namespace lab::results
