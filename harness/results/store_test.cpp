#include "harness/results/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <set>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/metrics.h"
#include "harness/results/result_fixture.h"

namespace lab::results {

namespace {

/// Condenses a result to its first process; the findings of a series are its medians, and how many series there are.
StoreRules rules(int version, std::multiset<std::string>* found) {
  const auto condense = [](const Result& result) {
    const Process& first = result.processes.front();
    CondensedRow row{first.benchmark, 2, {}, {}, "", {}};
    row.value.median = first.real_time;
    return CondensedResult{
        result.machine.id, result.session.id, result.session.started, {}, {}, result.session.medians_only, "", {row}};
  };
  const auto machine = [found](std::span<const TimedSeries> series, std::string&) {
    const auto find = [found](std::span<const SeriesPoint> points, std::string&) {
      static std::mutex mutex;
      std::string text;
      for (const SeriesPoint& point : points) text += fmt::format("{} ", point.median);
      const std::lock_guard held(mutex);
      found->insert(text);
      return text;
    };
    const auto together = [](std::vector<JudgedSeries> all) {
      std::vector<std::string> told;
      for (const JudgedSeries& one : all) told.push_back(fmt::format("{}of {}", one.findings, all.size()));
      return told;
    };
    return MachineRules{fmt::format("{} series", series.size()), find, together};
  };
  return {version, condense, machine};
}

class StoreFolder {
 public:
  void add(int number, const std::string& benchmark, double time, const std::string& machine = "farm") {
    Result result = fixture_result();
    result.machine.id = machine;
    result.processes = {fixture_process(benchmark, 0, time)};
    result.session.id = fmt::format("{}", number);
    result.session.started = fmt::format("2026-08-{:02}T23:00:00Z", number);
    folder_.write(fmt::format("{}/{}.json", machine, number), serialize(result));
  }
  /// As `results pack` does it, at once.
  void pack(int number, double time_of_it = 0) {
    const std::filesystem::path plain = folder_.path() / fmt::format("farm/{}.json", number);
    Result result = *load_result(plain);
    if (time_of_it != 0) result.processes.front().real_time = time_of_it;
    EXPECT_TRUE(write_result_text(plain.native() + ".zst", serialize(without_samples(result))));
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  void remove(int number) { std::filesystem::remove(folder_.path() / fmt::format("farm/{}.json", number)); }
  void write_machines(std::string_view text) { folder_.write(kMachinesName, text); }

  Expected<Store> try_open(int version = 1) {
    found.clear();
    return Store::open(folder_.path(), rules(version, &found), [](const StoreProgress&) {});
  }
  Store open(int version = 1) { return *try_open(version); }

  std::multiset<std::string> found;  ///< by the last open

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
  EXPECT_EQ(*store.findings(store.series()->front()), "40 50 of 1");
  EXPECT_EQ(*store.findings({"farm", "shelf/unknown/store", 2}), "");
  EXPECT_EQ(folder.found, std::multiset<std::string>{"40 50 "});
  EXPECT_EQ(*folder.open().findings(store.series()->front()), "40 50 of 1");
  EXPECT_EQ(folder.found, std::multiset<std::string>{});
}

TEST(Store, computes_findings_again_for_a_new_point_or_a_change_of_the_machine) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40);
  folder.add(2, "shelf/b/store", 70);
  folder.open();
  folder.add(3, "shelf/a/store", 50);
  folder.open();
  EXPECT_EQ(folder.found, std::multiset<std::string>{"40 50 "});
  folder.add(4, "shelf/c/store", 90);
  folder.open();
  EXPECT_EQ(folder.found, (std::multiset<std::string>{"40 50 ", "70 ", "90 "}));
}

TEST(Store, gives_its_rules_the_memory_that_they_left) {
  StoreFolder folder;
  StoreRules remembering = rules(1, &folder.found);
  remembering.machine = [](std::span<const TimedSeries> series, std::string& of_machine) {
    of_machine += fmt::format("{} ", series.front().medians.size());
    const auto find = [=](std::span<const SeriesPoint> points, std::string& memory) {
      memory += fmt::format("{} ", points.back().median);
      return fmt::format("{}| {}", of_machine, memory);
    };
    const auto together = [](std::vector<JudgedSeries> all) { return std::vector{all.front().findings}; };
    return MachineRules{"", find, together};
  };
  const auto told = [&] {
    Store store = *Store::open(folder.path(), remembering, [](const StoreProgress&) {});
    return *store.findings(store.series()->front());
  };
  folder.add(1, "shelf/a/store", 40);
  EXPECT_EQ(told(), "1 | 40 ");
  EXPECT_EQ(told(), "1 | 40 ") << "nothing is judged";
  folder.add(2, "shelf/a/store", 50);
  EXPECT_EQ(told(), "1 2 | 40 50 ");
  ++remembering.version;
  EXPECT_EQ(told(), "2 | 50 ");
}

TEST(Store, lets_series_share_in_the_order_in_which_they_began_whatever_came_first) {
  for (const auto& order : {std::array{1, 2, 3}, std::array{3, 2, 1}}) {
    StoreFolder folder;
    for (const int number : order) {
      folder.add(number, number == 1 ? "shelf/z/store" : number == 2 ? "shelf/a/store" : "shelf/c/store", number);
      folder.open();
    }
    Store store = folder.open();
    std::vector<double> medians;
    for (const TimedSeries& one : *store.timed("farm")) medians.push_back(one.medians.front());
    EXPECT_EQ(medians, (std::vector<double>{1, 2, 3}));
  }
}

TEST(Store, a_packed_result_is_the_same_and_one_that_is_there_twice_counts_once) {
  StoreFolder folder;
  for (int number : {1, 2, 3}) folder.add(number, "shelf/a/store", 40 + number);
  const std::int64_t arrived = folder.open().sessions()->at(2).arrived;
  folder.pack(2);
  folder.open();
  folder.remove(2);
  {
    Store store = folder.open();
    EXPECT_EQ(*store.findings(store.series()->front()), "41 42 43 of 1");
    ASSERT_EQ(store.sessions()->size(), 3U);
    EXPECT_EQ(store.sessions()->at(1).path, "farm/2.json.zst");
    EXPECT_TRUE(store.sessions()->at(1).medians_only);
  }
  // In one step it takes the row of the plain file, and when that came.
  folder.pack(3);
  folder.remove(3);
  Store store = folder.open();
  EXPECT_EQ(folder.found, std::multiset<std::string>{}) << "nothing is judged again";
  EXPECT_EQ(store.reading().all, 1U);
  EXPECT_EQ(store.sessions()->at(2).path, "farm/3.json.zst");
  EXPECT_EQ(store.sessions()->at(2).arrived, arrived);
  folder.pack(1);
  Store both = folder.open();
  EXPECT_EQ(both.sessions()->size(), 3U);
  EXPECT_EQ(*both.results(), 3U);
  EXPECT_EQ(both.timed("farm")->front().medians, (std::vector<double>{41, 42, 43}));
  folder.pack(1, 99);
  EXPECT_EQ(folder.open().sessions()->front().contradicted, true);
}

TEST(Store, reads_all_results_again_for_another_version_of_the_rules) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40);
  EXPECT_EQ(folder.open(1).reading().all, 1U);
  EXPECT_EQ(folder.open(1).reading().all, 0U);
  EXPECT_EQ(folder.open(2).reading().all, 1U);
}

TEST(Store, tells_all_series_of_a_machine_together_if_one_of_them_has_changed) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40);
  Store first = folder.open();
  EXPECT_EQ(*first.findings({"farm", "shelf/a/store", 2}), "40 of 1");
  folder.add(2, "shelf/b/store", 70);
  Store second = folder.open();
  EXPECT_EQ(*second.findings({"farm", "shelf/a/store", 2}), "40 of 2");
  EXPECT_EQ(second.all_findings()->size(), 2U);
}

TEST(Store, has_the_sessions_of_a_machines_earlier_names_in_its_series) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40, "old");
  folder.add(2, "shelf/a/store", 50, "new");
  EXPECT_EQ(folder.open().series()->size(), 2U);
  for (int round = 0; round < 2; ++round) {  // a name that is given or taken back later counts at once
    folder.write_machines(R"({"new": {"was": ["old"]}})");
    Store one = folder.open();
    ASSERT_EQ(one.series()->size(), 1U);
    EXPECT_EQ(*one.findings({"new", "shelf/a/store", 2}), "40 50 of 1");
    ASSERT_EQ(one.sessions()->size(), 2U);
    EXPECT_EQ(one.sessions()->front().machine, "new");
    EXPECT_EQ(one.sessions()->front().reported, "old");
    EXPECT_GT(one.sessions()->front().arrived, 0);
    folder.write_machines("{}");
    Store two = folder.open();
    EXPECT_EQ(two.series()->size(), 2U);
    EXPECT_EQ(*two.findings({"old", "shelf/a/store", 2}), "40 of 1");
  }
}

TEST(KnownMachines, are_refused_with_a_sentence_that_says_where_and_what) {
  StoreFolder folder;
  folder.add(1, "shelf/a/store", 40);
  for (const auto& [text, what] : {
           std::pair{R"({"a": {"was": ["b"]}, "b": {}})", "a.was: expected a name that is not in use, found 'b'"},
           {R"({"a": {"was": ["c"]}, "b": {"was": ["c"]}})", "b.was: expected a name of this machine alone, found 'c'"},
           {R"({"a": {"retired": "2026-02-30"}})", "a.retired: expected a day such as 2026-11-01, found '2026-02-30'"},
           {R"({"a": {"every_hours": 0}})", "a.every_hours: expected a number above 0, found 0"},
           {R"({"a": {"was": "b"}})", "was: expected an array, found a string"},
           {R"(["a"])", "expected an object with the names of machines"},
           {R"({"a": )", "machines.json"},
       }) {
    folder.write_machines(text);
    const Expected<Store> store = folder.try_open();
    ASSERT_FALSE(store) << text;
    EXPECT_NE(store.error().what.find(what), std::string::npos) << store.error().what;
    EXPECT_NE(store.error().what.find("machines.json"), std::string::npos) << store.error().what;
    EXPECT_EQ(store.error().status, ExitStatus::kUsage);
  }
}

TEST(Store, a_reader_beside_a_writer_sees_what_is_stored_and_never_updates) {
  StoreFolder folder;
  std::multiset<std::string> found;
  EXPECT_FALSE(Store::open_stored(folder.path(), rules(1, &found))) << "there is no index";
  folder.add(1, "shelf/plain/store", 10);
  folder.open();
  Store reader = *Store::open_stored(folder.path(), rules(1, &found));
  const SeriesKey key{"farm", "shelf/plain/store", 2};
  EXPECT_EQ(reader.points(key)->size(), 1);
  folder.add(2, "shelf/plain/store", 11);
  EXPECT_EQ(reader.points(key)->size(), 1) << "nobody has read the new one";
  folder.open();
  EXPECT_EQ(reader.points(key)->size(), 2);
  EXPECT_EQ(*reader.findings(key), "10 11 of 1");
  EXPECT_TRUE(found.empty());
  const Expected<Store> other = Store::open_stored(folder.path(), rules(2, &found));
  ASSERT_FALSE(other) << "of another version";
  EXPECT_NE(other.error().what.find("an index of this version"), std::string::npos);
  EXPECT_EQ(reader.points(key)->size(), 2);
}

TEST(Store, levels_and_points_of_some_sessions_have_no_copies_and_no_contradictions) {
  StoreFolder folder;
  for (int night = 1; night <= 5; ++night) {
    folder.add(night, "shelf/plain/store", 10 + night);
    folder.add(night, "shelf/plain/store", 20 + night, "other");
  }
  // The third session again: a copy. The fourth with other contents.
  std::filesystem::copy_file(folder.path() / "farm/3.json", folder.path() / "farm/3-again.json");
  std::filesystem::copy_file(folder.path() / "farm/4.json", folder.path() / "farm/4-before.json");
  folder.add(4, "shelf/plain/store", 99);
  folder.open();
  std::multiset<std::string> found;
  Store reader = *Store::open_stored(folder.path(), rules(1, &found));
  const SeriesKey farm{"farm", "shelf/plain/store", 2}, other{"other", "shelf/plain/store", 2}, none{"x", "y", 1};
  const std::array keys{farm, none, other};
  const std::vector<TimedSeries> levels = *reader.levels(keys, "2026-08-03");
  ASSERT_EQ(levels.size(), 3);
  EXPECT_EQ(levels[0].medians, (std::vector<double>{13, 15}));
  EXPECT_EQ(levels[0].started, (std::vector<std::string>{"2026-08-03T23:00:00Z", "2026-08-05T23:00:00Z"}));
  EXPECT_TRUE(levels[1].medians.empty());
  EXPECT_EQ(levels[2].medians, (std::vector<double>{23, 24, 25}));

  const std::array<std::string, 3> starts{"2026-08-02T23:00:00Z", "2026-08-04T23:00:00Z", "2026-08-09T23:00:00Z"};
  const auto points = *reader.points_at("farm", starts);
  ASSERT_EQ(points.size(), 1);
  EXPECT_EQ(points[0].first.benchmark, "shelf/plain/store");
  ASSERT_EQ(points[0].second.size(), 1) << "the contradicted session is in no series";
  EXPECT_EQ(points[0].second[0].median, 12);
}

}  // namespace lab::results
