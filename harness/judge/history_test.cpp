#include "harness/judge/history.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/utc.h"
#include "harness/judge/night_fixture.h"
#include "harness/results/database.h"

namespace lab::judge {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

results::Result night(int number, std::vector<double> times = {100, 50}) {
  return fixture_night({number, 3, 2, std::move(times)});
}

std::string text(int number) {
  return results::serialize(night(number));
}

/// A folder of results and its index.
class Nights {
 public:
  void write(const std::string& name, std::string_view content) const { folder_.write(name, content); }
  void add(int number) const { write("farm/" + fixture_file(number), text(number)); }
  const fs::path& path() const { return folder_.path(); }

  Expected<results::Store> open() const {
    return results::Store::open(path(), store_rules(), [](const results::StoreProgress&) {});
  }

 private:
  ScratchFolder folder_;
};

/// All that an index holds, or its error.
std::string dump(Expected<results::Store> store) {
  if (!store) return store.error().what;
  std::string all = fmt::format("{} results\n", *store->results());
  for (const std::string& sentence : *store->remarks()) all += sentence + "\n";
  for (const auto& [reason, count] : *store->skipped()) all += fmt::format("{} {}\n", count, reason);
  for (const results::SeriesKey& series : *store->series()) {
    const SeriesFindings findings = parse_findings(*store->findings(series));
    all += fmt::format("{} {} {}: {} from {} to {}, {:g};", series.machine, series.benchmark, series.version,
                       findings.sessions, findings.first, findings.last, findings.median);
    for (const LevelChange& change : findings.changes)
      all += fmt::format(" {:+.1f} at {}", 100 * (change.ratio - 1), change.index);
    for (const MetricChange& change : findings.metric_changes)
      all += fmt::format(" {} at {}", change.metric, change.index);
    all += "\n ";
    for (const results::SeriesPoint& point : *store->points(series))
      all += fmt::format(" {}:{:g}", point.session, point.median);
    all += "\n";
  }
  return all;
}

/// What an index has found, series by series.
Words found_in(Expected<results::Store> store) {
  Words found;
  for (const auto& [series, findings] : *store->all_findings())
    found.push_back(fmt::format("{} {} {}: {}", series.machine, series.benchmark, series.version, findings));
  return found;
}

}  // namespace

TEST(History, has_one_point_per_benchmark_and_session_in_order_of_time) {
  const Nights nights;
  nights.add(2);
  nights.add(0);
  nights.write("published/claims.json", "{}");
  nights.write("farm/notes.txt", "no result");
  EXPECT_EQ(dump(nights.open()),
            "2 results\n"
            "0123456789ab shelf/v000/store 2: 2 from 2026-08-01T23:00:00Z to 2026-08-03T23:00:00Z, 100;\n"
            "  000000:100 000002:100\n"
            "0123456789ab shelf/v001/store 2: 2 from 2026-08-01T23:00:00Z to 2026-08-03T23:00:00Z, 50;\n"
            "  000000:50 000002:50\n");
}

TEST(History, keeps_the_facts_of_each_point) {
  const Nights nights;
  results::Result result = fixture_night({0, 7, 1, {100}});
  for (int i = 0; i < 7; ++i) result.processes[static_cast<std::size_t>(i)].real_time = 100 + i;
  result.processes[3].counters["metadata_bytes"] = 256;
  for (results::Process& process : result.processes) process.counters["leaf_bytes"] = 64;
  result.arms = {{"head", result.build, {}, result.source, {{"shelf/v000", "abcd"}}, {{"shelf/store", 2}}}};
  nights.write("farm/a.json", results::serialize(result));
  Expected<results::Store> store = nights.open();
  ASSERT_TRUE(store);
  const std::vector<results::SeriesPoint> points = *store->points(store->series()->front());
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].median, 103);
  EXPECT_EQ(points[0].processes, 7U);
  const auto expected = stats::median_interval(std::vector<double>{100, 101, 102, 103, 104, 105, 106});
  EXPECT_EQ(points[0].interval, expected);
  EXPECT_EQ(points[0].commit, fixture_commit(0));
  EXPECT_EQ(points[0].executable, "abcd");
  EXPECT_EQ(*points[0].exact, (results::ExactCounters{{"leaf_bytes", 64}, {"metadata_bytes", std::nullopt}}));
  EXPECT_EQ(points[0].environment->at("kernel"), "6.1.0");
  EXPECT_EQ(points[0].environment->at("pin fmt"), "cd34");
}

TEST(History, never_mixes_machines_nor_workload_versions) {
  const Nights nights;
  results::Result result = night(0, {100});
  nights.write("a/0.json", results::serialize(result));
  result.machine.id = "other";
  nights.write("b/0.json", results::serialize(result));
  result.session.id = "again";
  result.workloads[0].version = 3;
  nights.write("b/1.json", results::serialize(result));
  EXPECT_EQ(dump(nights.open()),
            "3 results\n"
            "0123456789ab shelf/v000/store 2: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 100;\n  000000:100\n"
            "other shelf/v000/store 2: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 100;\n  000000:100\n"
            "other shelf/v000/store 3: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 100;\n  again:100\n");
}

TEST(History, counts_a_result_under_two_names_once) {
  for (const char* again : {"farm/000000.json", "farm/again.json", "copy/000000.json"}) {
    const Nights nights;
    nights.add(0);
    nights.open();
    nights.write(again, text(0));
    Expected<results::Store> store = nights.open();
    ASSERT_TRUE(store);
    EXPECT_EQ(store->points(store->series()->front())->size(), 1U) << again;
  }
}

TEST(History, finds_the_same_whatever_the_order_in_which_nights_arrive) {
  const Nights in_order, late;
  const auto content = [](int number) {
    return results::serialize(night(number, {number < 30 ? 100.0 + number % 3 : 120.0 + number % 3, 50}));
  };
  for (int number = 0; number <= 41; ++number) {
    in_order.write("farm/" + fixture_file(number), content(number));
    if (number != 20) late.write("farm/" + fixture_file(number), content(number));
    // Each night is judged as it comes.
    if (number > 35) late.open();
  }
  late.write("farm/" + fixture_file(20), content(20));
  const Words all = found_in(in_order.open());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(dump(in_order.open()).find("at 30"), std::string::npos);
  EXPECT_EQ(found_in(late.open()), all);
}

TEST(History, goes_on_from_last_night_and_finds_what_an_index_made_anew_finds) {
  constexpr int kNights = 64, kLate = 30, kGone = 33;
  constexpr std::size_t kSeries = 12;  // enough that they share their noise
  const auto content = [](int number) {
    std::mt19937 random(static_cast<unsigned>(number));
    std::vector<double> times;
    for (std::size_t i = 0; i < kSeries; ++i)
      times.push_back((number < 25 + static_cast<int>(i) ? 100 : 110) + static_cast<double>(random() % 1000) / 500);
    return results::serialize(fixture_night({number, 1, 1, times}));
  };
  const Nights nights;
  const auto add = [&](int number, const std::string& folder = "farm/") {
    nights.write(folder + fixture_file(number), content(number));
  };
  const auto anew = [&] {
    const ScratchFolder copy;
    for (const char* machine : {"farm", "copy"})
      if (fs::exists(nights.path() / machine))
        fs::copy(nights.path() / machine, copy.path() / machine, fs::copy_options::recursive);
    return found_in(results::Store::open(copy.path(), store_rules(), [](const results::StoreProgress&) {}));
  };
  // Opens the index, and kills its process at one of the series. How many of them are found with a memory?
  const auto open = [&](std::size_t fatal) {
    const auto judged = std::make_shared<std::atomic<std::size_t>>(0);
    const auto remembering = std::make_shared<std::atomic<std::size_t>>(0);
    results::StoreRules rules = store_rules();
    rules.machine = [=, made = rules.machine](std::span<const results::TimedSeries> series, std::string& of_machine) {
      results::MachineRules machine = made(series, of_machine);
      machine.find = [=, find = machine.find](std::span<const results::SeriesPoint> points, std::string& memory) {
        if (++*judged == fatal) ::kill(::getpid(), SIGKILL);
        *remembering += memory.size() > 20;
        return find(points, memory);
      };
      return machine;
    };
    const Words found = found_in(results::Store::open(nights.path(), rules, [](const results::StoreProgress&) {}));
    return std::pair(remembering->load(), found);
  };
  std::size_t remembering = 0;
  for (int number = 0; number < kNights; ++number) {
    if (number != kLate) add(number);
    if (number == 40) add(kLate);
    if (number == 45) fs::remove(nights.path() / "farm" / fixture_file(kGone));
    if (number == 50) add(47, "copy/");
    if (number == 55) {
      const pid_t child = ::fork();
      if (child == 0) {
        open(kSeries / 2);
        ::_exit(0);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status));
    }
    const auto [with_memory, found] = open(0);
    remembering += with_memory;
    if (number == 20 || number == 39 || number == 40 || number >= 45) {
      ASSERT_EQ(found, anew()) << number;
    }
  }
  EXPECT_GE(remembering, 40 * kSeries);
  EXPECT_NE(dump(nights.open()).find("+9."), std::string::npos);
}

TEST(History, killed_while_it_judges_loses_one_piece_of_300_series_at_most) {
  constexpr std::size_t kSeries = 1000, kPiece = 300;
  const Nights nights;
  for (int number = 0; number < 3; ++number)
    nights.write("farm/" + fixture_file(number),
                 results::serialize(fixture_night({number, 1, 1, std::vector<double>(kSeries, 100 + number)})));
  // Counts the series that are judged, and kills its process at one of them.
  const auto open = [&](std::size_t fatal) {
    const auto judged = std::make_shared<std::atomic<std::size_t>>(0);
    results::StoreRules rules = store_rules();
    rules.machine = [=, made = rules.machine](std::span<const results::TimedSeries> series, std::string& of_machine) {
      results::MachineRules machine = made(series, of_machine);
      machine.find = [=, find = machine.find](std::span<const results::SeriesPoint> points, std::string& memory) {
        if (++*judged == fatal) ::kill(::getpid(), SIGKILL);
        return find(points, memory);
      };
      return machine;
    };
    Expected<results::Store> store = results::Store::open(nights.path(), rules, [](const results::StoreProgress&) {});
    EXPECT_TRUE(store);
    return std::pair(judged->load(), found_in(std::move(store)));
  };
  const auto [all, undisturbed] = open(0);
  EXPECT_EQ(all, kSeries);
  for (const std::size_t fatal : {std::size_t{1}, kPiece - 1, kPiece + 1, 2 * kPiece + 50, kSeries - 1}) {
    fs::remove(nights.path() / results::kIndexName);
    const pid_t child = ::fork();
    if (child == 0) {
      open(fatal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto [again, findings] = open(0);
    EXPECT_EQ(again, kSeries - (fatal - 1) / kPiece * kPiece) << fatal;
    EXPECT_EQ(findings, undisturbed) << fatal;
  }
}

TEST(History, has_neither_of_two_contents_under_one_session) {
  const Nights nights;
  nights.add(0);
  nights.add(1);
  const std::string before = dump(nights.open());
  results::Result other = night(1, {101, 50});
  nights.write("copy/x.json", results::serialize(other));
  EXPECT_EQ(dump(nights.open()),
            "3 results\n"
            "ignored: session 000001 has several contents, 'copy/x.json' and 'farm/000001.json': none is in a series\n"
            "0123456789ab shelf/v000/store 2: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 100;\n  000000:100\n"
            "0123456789ab shelf/v001/store 2: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 50;\n  000000:50\n");
  other.session.state = "interrupted";  // in no series anyway
  nights.write("copy/x.json", results::serialize(other));
  EXPECT_NE(dump(nights.open()).find("1 interrupted session\n"), std::string::npos);
  fs::remove(nights.path() / "copy/x.json");
  EXPECT_EQ(dump(nights.open()), before);
  for (const char* both : {"farm/000000.json", "farm/000001.json"}) fs::remove(nights.path() / both);
  nights.write("copy/x.json", text(0));
  nights.write("copy/y.json", results::serialize(night(0, {99, 50})));
  EXPECT_EQ(dump(nights.open()),
            "2 results\n"
            "ignored: session 000000 has several contents, 'copy/x.json' and 'copy/y.json': none is in a series\n");
}

TEST(History, reports_each_unreadable_result_in_one_line_and_continues) {
  const Nights nights;
  nights.add(0);
  nights.write("farm/a.json", "");
  nights.write("farm/b.json", text(1).substr(0, 300));
  nights.write("farm/c.json", "{\"context\": {}, \"benchmarks\": []}");
  nights.write("farm/d.json", "{\"schema\": 9}");
  results::Result zero = night(2);
  zero.processes[0].real_time = 0;
  nights.write("farm/e.json", results::serialize(zero));
  zero.processes[0].real_time = std::nan("");
  nights.write("farm/f.json", results::serialize(zero));
  const std::string first = dump(nights.open());
  EXPECT_EQ(first,
            "1 results\n"
            "ignored: farm/a.json: empty\n"
            "ignored: farm/b.json: truncated: the JSON does not end within 300 bytes\n"
            "ignored: farm/c.json: a Google Benchmark file, expected a result of run\n"
            "ignored: farm/d.json: schema 9, this build reads 1 to 2\n"
            "ignored: farm/e.json: shelf/v000/store, process 0: real_time is 0, expected more than 0\n"
            "ignored: farm/f.json: benchmarks[0].real_time: expected a finite number, found null\n"
            "0123456789ab shelf/v000/store 2: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 100;\n  000000:100\n"
            "0123456789ab shelf/v001/store 2: 1 from 2026-08-01T23:00:00Z to 2026-08-01T23:00:00Z, 50;\n  000000:50\n");
  EXPECT_EQ(dump(nights.open()), first);
}

TEST(History, omits_and_counts_results_without_verdicts) {
  const Nights nights;
  const auto write = [&](const char* name, auto&& spoil) {
    results::Result result = night(0);
    spoil(result);
    nights.write(fmt::format("farm/{}.json", name), results::serialize(result));
  };
  write("a", [](auto& r) { r.source.dirty = true; });
  write("b", [](auto& r) { r.session.state = "interrupted"; });
  write("c", [](auto& r) { r.build.config = "asan"; });
  write("d", [](auto& r) {
    r.source.dirty = true;
    r.session.id = "another";
  });
  write("e", [](auto& r) { r.source.dirty = true; });  // a copy of a
  EXPECT_EQ(dump(nights.open()), "4 results\n2 dirty source\n1 interrupted session\n1 no release build\n");
}

TEST(History, has_no_session_whose_clock_was_wrong) {
  const Nights nights;
  nights.add(0);
  const auto write = [&](const char* name, std::string started) {
    results::Result result = night(0);
    result.session.id = name;
    result.session.started = std::move(started);
    nights.write(fmt::format("farm/{}.json", name), results::serialize(result));
  };
  write("a", utc(std::time(nullptr) + 2 * 24 * 60 * 60));
  write("b", "2099-01-01T00:00:00Z");
  // As of a copy that keeps times.
  fs::last_write_time(nights.path() / "farm/b.json", fs::file_time_type::clock::now() + std::chrono::hours(700'000));
  write("c", "1970-01-01T00:01:00Z");
  write("d", "2026-02-30T00:00:00Z");
  write("e", utc(std::time(nullptr) + 60 * 60));  // of another machine whose clock is an hour ahead
  const std::string all = dump(nights.open());
  EXPECT_TRUE(
      all.starts_with("6 results\n"
                      "1 the clock of 0123456789ab was wrong: a session before 2010\n"
                      "2 the clock of 0123456789ab was wrong: a session dated after its file came\n"
                      "1 the clock of 0123456789ab was wrong: a session on no day at all\n"
                      "0123456789ab shelf/v000/store 2: 2 from 2026-08-01T23:00:00Z to "))
      << all;
  EXPECT_EQ(dump(nights.open()), all);
}

TEST(History, has_the_level_of_undisturbed_blocks_and_none_of_a_session_without_any) {
  const Nights nights;
  nights.add(0);
  const auto add = [&](int number, int busy) {
    results::Result result = fixture_night({number, 12, 2, {100, 50}});
    for (int block = 0; block < 12; ++block)
      result.session.disturbances.push_back({block, 10, block < busy ? 15.0 : 0.0, 0});
    for (results::Process& process : result.processes)
      if (process.block < busy) process.real_time *= 3;
    nights.write("farm/" + fixture_file(number), results::serialize(result));
  };
  add(1, 6);
  add(2, 12);
  EXPECT_EQ(dump(nights.open()),
            "3 results\n"
            "1 unfit session\n"
            "0123456789ab shelf/v000/store 2: 2 from 2026-08-01T23:00:00Z to 2026-08-02T23:00:00Z, 100;\n"
            "  000000:100 000001:100\n"
            "0123456789ab shelf/v001/store 2: 2 from 2026-08-01T23:00:00Z to 2026-08-02T23:00:00Z, 50;\n"
            "  000000:50 000001:50\n");
}

TEST(History, updated_equals_rebuilt) {
  std::mt19937 random(20260802);
  for (int round = 0; round < 3; ++round) {
    const Nights nights;
    for (int step = 0; step < 8; ++step) {
      for (int change = 0; change < 5; ++change) {
        const int number = static_cast<int>(random() % 30);
        const fs::path file = nights.path() / (random() % 4 == 0 ? "other" : "farm") / fixture_file(number);
        const unsigned what = random() % 4;
        if (what == 0) {
          fs::remove(file);
          continue;
        }
        const double time = 90 + static_cast<double>(random() % 20);
        const std::string content = results::serialize(night(number, {time, 50}));
        ASSERT_TRUE(write_file(file, what == 1 ? content.substr(0, 99) : content));
      }
      const std::string kept = dump(nights.open());
      fs::remove(nights.path() / results::kIndexName);
      ASSERT_EQ(kept, dump(nights.open())) << "round " << round << ", step " << step;
    }
  }
}

TEST(History, reads_nothing_twice) {
  const Nights nights;
  nights.add(0);
  nights.add(1);
  EXPECT_EQ(nights.open()->reading().all, 2U);
  EXPECT_EQ(nights.open()->reading().all, 0U);
  nights.add(2);
  EXPECT_EQ(nights.open()->reading().all, 1U);
}

TEST(History, is_rebuilt_if_it_is_damaged_foreign_or_of_another_version) {
  const Nights nights;
  for (int i = 0; i < 40; ++i) nights.add(i);
  const std::string whole = dump(nights.open());
  const std::string good = *read_file(nights.path() / results::kIndexName);
  const auto with = [&](std::size_t at, std::size_t count, char byte) {
    std::string spoilt = good;
    spoilt.replace(at, count, count, byte);
    return spoilt;
  };
  const std::vector<std::pair<std::string, std::string>> spoilt{
      {"empty", ""},
      {"no database", "what is this?"},
      {"cut off", good.substr(0, good.size() / 2)},
      {"a page of zeros", with(4096, 4096, '\0')},
      {"all but the first page is noise", with(4096, good.size() - 4096, 'x')},
      {"another version", with(63, 1, 'v')},
      {"another application", with(70, 2, 'v')},
  };
  for (const auto& [name, content] : spoilt) {
    nights.write(results::kIndexName, content);
    EXPECT_EQ(dump(nights.open()), whole) << name;
  }
}

TEST(History, is_kept_in_memory_with_a_remark_that_names_why_it_cannot_be_locked) {
  const Nights nights;
  nights.add(0);
  const std::string whole = dump(nights.open());
  fs::remove(nights.path() / "index.lock");
  fs::create_directory(nights.path() / "index.lock");
  EXPECT_EQ(nights.open()->reading().all, 0U);  // what is stored there serves
  fs::remove(nights.path() / results::kIndexName);
  Expected<results::Store> store = nights.open();
  ASSERT_TRUE(store);
  EXPECT_EQ(
      *store->remarks(),
      Words{fmt::format("the index is kept in memory for this call: '{}': locking '{}': Is a directory",
                        (nights.path() / results::kIndexName).string(), (nights.path() / "index.lock").string())});
  EXPECT_FALSE(fs::exists(nights.path() / results::kIndexName));
  fs::remove(nights.path() / "index.lock");
  EXPECT_EQ(dump(nights.open()), whole);
}

TEST(History, serves_several_processes_at_once) {
  const Nights nights;
  for (int i = 0; i < 30; ++i) nights.add(i);
  Words dumps(4);
  std::vector<std::thread> threads;
  for (std::string& one : dumps) threads.emplace_back([&] { one = dump(nights.open()); });
  for (std::thread& thread : threads) thread.join();
  const std::string alone = dump(nights.open());
  EXPECT_EQ(dumps, Words(4, alone));
}

TEST(History, of_a_folder_without_results_writes_nothing_there) {
  const ScratchFolder folder;
  Expected<results::Store> store =
      results::Store::open(folder.path(), store_rules(), [](const results::StoreProgress&) {});
  ASSERT_TRUE(store);
  EXPECT_EQ(*store->results(), 0U);
  EXPECT_TRUE(store->remarks()->empty());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(History, of_no_folder_is_an_error) {
  const Expected<results::Store> store =
      results::Store::open("/no/where", store_rules(), [](const results::StoreProgress&) {});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().what, "expected a folder of results at '/no/where', found nothing");
  EXPECT_EQ(store.error().status, ExitStatus::kUsage);
}

}  // namespace lab::judge
