#include "harness/app/keep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/app/farm.h"
#include "harness/app/kept_files.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/utc.h"
#include "harness/judge/night_fixture.h"
#include "harness/report/farm_text.h"
#include "harness/report/history_text.h"
#include "harness/results/alarm.h"
#include "harness/results/exhibit_archive.h"
#include "harness/results/farm_alarms.h"
#include "harness/results/journal.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr int kNights = 90;

/// A folder with made-up years: two machines, whose series have steps, outliers and wandering levels.
class KeptFolder {
 public:
  explicit KeptFolder(unsigned seed, int nights = kNights) : random_(seed), nights_(nights) {
    std::normal_distribution<double> noise(0, 0.004);
    std::uniform_real_distribution<double> share(0, 1);
    for (const char* machine : {"farm-1", "farm-2"}) {
      std::vector<double> levels{100, 50, 2000};
      for (int night = 0; night < nights; ++night) {
        std::vector<double> times;
        for (double& level : levels) {
          if (share(random_) < 0.015) level *= share(random_) < 0.5 ? 1.1 : 0.9;
          times.push_back(level * std::exp(noise(random_)) * (share(random_) < 0.02 ? 1.5 : 1));
        }
        results::Result result = judge::fixture_night({night, 2, 40, times});
        for (results::Process& process : result.processes)
          process.counters["metadata_bytes"] = night < nights / 3 ? 128 : 136;
        result.machine.id = result.machine.name = result.context.host_name = machine;
        const std::string base = fmt::format("{}/{:06}", machine, night);
        result.exhibits.push_back({"shelf/v000/store",
                                   {"map", "Map", results::ExhibitKind::kImage},
                                   fmt::format("{:06}.exhibits/map.png", night),
                                   1,
                                   {}});
        folder_.write(base + ".json", results::serialize(result));
        folder_.write(base + ".exhibits/map.png", fmt::format("picture {} of {}", night, machine));
      }
    }
  }

  const fs::path& path() const { return folder_.path(); }
  void write(const std::string& name, std::string_view text) const { folder_.write(name, text); }
  std::time_t after(int days) const {
    return *seconds_of(judge::fixture_started(nights_)) + days * std::time_t{86'400};
  }

  /// All that a history tells: as JSON and CSV, of each machine and of the farm.
  std::string told() const {
    std::string text;
    const Expected<void> done =
        for_each_machine({path(), {}, true, true, SIZE_MAX}, {}, [&](const std::vector<judge::SeriesHistory>& machine) {
          for (const judge::SeriesHistory& one : machine) text += report::to_json(one) + report::to_csv(one);
        });
    EXPECT_TRUE(done);
    const Expected<judge::Farm> seen = farm({path(), path(), after(100)});
    EXPECT_TRUE(seen);
    return seen ? text + report::to_json(*seen) : text;
  }
  void forget_index() const { fs::remove(path() / results::kIndexName); }

  Keeping keep_all(bool remove) const { return *keep({path(), "", 30, 30, remove, after(0)}); }

 private:
  ScratchFolder folder_;
  std::mt19937 random_;
  int nights_;
};

/// Every file below `folder` with its content.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.path().native().ends_with("lock") &&
        entry.path().filename() != results::kIndexName)
      all[entry.path().lexically_relative(folder)] = *read_file(entry.path());
  return all;
}

results::Result load(const KeptFolder& folder, const std::string& base) {
  return *results::load_result((folder.path() / base).string() + ".json.zst");
}

}  // namespace

TEST(Pack, changes_no_finding_and_is_undone_byte_for_byte) {
  const KeptFolder folder(1, 40);
  const auto before = contents(folder.path());
  const std::string told = folder.told();
  const Packing packed = *pack({folder.path(), "", 0});
  EXPECT_THAT(packed.problems, IsEmpty());
  EXPECT_EQ(packed.results, 80u);
  EXPECT_LT(packed.after * 4, packed.before);
  EXPECT_THAT(contents(folder.path()), SizeIs(2 * 2 * 40));  // a result and an archive
  // What is condensed is the same, so nothing is judged again; nor is anything of an index that is made again.
  EXPECT_EQ(folder.told(), told);
  folder.forget_index();
  EXPECT_EQ(folder.told(), told);
  EXPECT_EQ(pack({folder.path(), "", 0})->results, 0u);
  ASSERT_TRUE(pack({folder.path(), "", 0, true}));
  EXPECT_EQ(contents(folder.path()), before);
  EXPECT_EQ(folder.told(), told);
}

TEST(Pack, leaves_the_newest_and_a_running_session_for_other_tools) {
  const KeptFolder folder(2, 6);
  folder.write("farm-1/000001.journal", "");
  EXPECT_EQ(pack({folder.path(), "farm-1", 2})->results, 3u);
  std::vector<std::string> names;
  for (const fs::path& path : results::results_in(folder.path() / "farm-1")) names.push_back(path.filename());
  EXPECT_THAT(names, ElementsAre("000000.json.zst", "000001.json", "000002.json.zst", "000003.json.zst", "000004.json",
                                 "000005.json"));
  EXPECT_EQ(results::results_in(folder.path() / "farm-2").front().filename(), "000000.json");
}

TEST(Pack, goes_on_from_whatever_a_kill_left) {
  const KeptFolder folder(3, 4);
  const std::string told = folder.told();
  const fs::path base = folder.path() / "farm-1/000001";
  const std::string text = *read_file(base.native() + ".json"),
                    picture = *read_file(base.native() + ".exhibits/map.png");
  ASSERT_TRUE(pack_result(base));
  // Both names of the result, and only a part of the folder of exhibits is removed.
  folder.write("farm-1/000001.json", text);
  folder.write("farm-1/000001.exhibits/map.png", picture);
  folder.write("farm-1/000001.json.zst.99.part", "half");
  EXPECT_EQ(folder.told(), told);
  folder.forget_index();
  EXPECT_EQ(folder.told(), told) << "a session that is there twice counts once";
  EXPECT_EQ(results::results_in(base.parent_path())[1].filename(), "000001.json");
  ASSERT_TRUE(pack_result(base));
  EXPECT_FALSE(fs::exists(base.native() + ".json"));
  EXPECT_FALSE(fs::exists(base.native() + ".exhibits"));
  EXPECT_EQ(*results::read_result_text(base.native() + ".json.zst"), text);

  // A damaged packed file is replaced, one that contradicts is not.
  folder.write("farm-1/000001.json", text);
  folder.write("farm-1/000001.json.zst", read_file(base.native() + ".json.zst")->substr(0, 300));
  ASSERT_TRUE(pack_result(base));
  EXPECT_EQ(*results::read_result_text(base.native() + ".json.zst"), text);
  folder.write("farm-1/000001.json", *read_file(folder.path() / "farm-1/000002.json"));
  const Expected<void> refused = pack_result(base);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("contradict each other: both are kept"));
  EXPECT_EQ(*results::read_result_text(base.native() + ".json.zst"), text);
}

TEST(Pack, names_what_is_no_result_and_goes_on) {
  const KeptFolder folder(4, 3);
  folder.write("farm-1/000000.json", "{");
  const Packing packed = *pack({folder.path(), "", 0});
  EXPECT_THAT(packed.problems, ElementsAre(HasSubstr("farm-1/000000.json")));
  EXPECT_EQ(packed.results, 5u);
  EXPECT_EQ(*read_file(folder.path() / "farm-1/000000.json"), "{");
  EXPECT_FALSE(pack({folder.path() / "nothing"}));
}

TEST(Keep, changes_no_finding_of_made_up_years) {
  for (const unsigned seed : {11u, 12u, 13u}) {
    const KeptFolder folder(seed);
    const std::string told = folder.told();
    const auto before = contents(folder.path());
    const Keeping planned = folder.keep_all(false);
    EXPECT_EQ(contents(folder.path()), before);
    EXPECT_THAT(planned.removed, Not(IsEmpty()));
    EXPECT_GT(planned.kept, 0u);

    ASSERT_TRUE(pack({folder.path(), "", 0}));
    const Keeping done = folder.keep_all(true);
    EXPECT_THAT(done.problems, IsEmpty());
    ASSERT_EQ(done.removed.size(), planned.removed.size());
    for (std::size_t i = 0; i < done.removed.size(); ++i) {
      EXPECT_EQ(done.removed[i].base, planned.removed[i].base);
      EXPECT_EQ(done.removed[i].after, planned.removed[i].after);
    }
    EXPECT_EQ(folder.told(), told) << seed;
    folder.forget_index();
    EXPECT_EQ(folder.told(), told) << seed;
    EXPECT_THAT(folder.keep_all(true).removed, IsEmpty()) << "once is enough";

    std::map<std::string, std::size_t> left;
    std::set<std::string> removed;
    for (const Removal& one : done.removed) removed.insert(one.base.lexically_relative(folder.path()));
    for (int night = 0; night < kNights; ++night)
      for (const char* machine : {"farm-1", "farm-2"}) {
        const std::string base = fmt::format("{}/{:06}", machine, night);
        const results::Result result = load(folder, base);
        EXPECT_EQ(result.session.medians_only, removed.contains(base));
        EXPECT_EQ(result.processes.front().samples.at("add").size(), removed.contains(base) ? 1u : 40u);
        EXPECT_EQ(fs::exists(folder.path() / (base + ".exhibits.tar.zst")), !removed.contains(base));
      }
  }
}

TEST(Keep, leaves_both_ends_of_each_level_and_what_the_next_nights_need) {
  const KeptFolder folder(21);
  std::set<std::string> whole;
  std::size_t changes = 0;
  ASSERT_TRUE(for_each_machine({folder.path(), {}, true}, {}, [&](const std::vector<judge::SeriesHistory>& machine) {
    for (const judge::SeriesHistory& one : machine)
      for (const judge::LevelChange& change : one.findings.changes) {
        ++changes;
        for (const std::size_t i : {change.index - 1, change.index, change.detected_at})
          whole.insert(one.series.machine + "/" + one.points[i].session);
      }
  }));
  ASSERT_GT(changes, 2u);
  for (const char* machine : {"farm-1", "farm-2"}) {
    whole.insert(fmt::format("{}/{:06}", machine, 0));
    whole.insert(fmt::format("{}/{:06}", machine, kNights / 3));  // where the counter changed
    for (std::size_t i = 1; i <= kYoung; ++i) whole.insert(fmt::format("{}/{:06}", machine, kNights - i));
  }
  for (const Removal& one : folder.keep_all(false).removed)
    EXPECT_THAT(whole, Not(Contains(one.base.lexically_relative(folder.path()).string())));
}

TEST(Keep, leaves_the_sessions_of_alarms) {
  const KeptFolder folder(22);
  const Keeping planned = folder.keep_all(false);
  ASSERT_GT(planned.removed.size(), 3u);
  const fs::path first = planned.removed[0].base, second = planned.removed[1].base;
  results::Alarm alarm;
  alarm.machine = first.parent_path().filename();
  alarm.session = first.filename();
  folder.write(fmt::format("nightly/{}/state.json", alarm.machine), results::serialize({alarm}));
  ASSERT_TRUE(
      results::add_farm_records(folder.path(), {{"2026-09-01T00:00:00Z",
                                                 "detector",
                                                 "id",
                                                 results::AlarmStep::kRaised,
                                                 "",
                                                 {judge::fixture_commit(std::stoi(second.filename())), std::nullopt},
                                                 {}}}));
  for (const Removal& one : folder.keep_all(false).removed) {
    EXPECT_NE(one.base, first);
    EXPECT_NE(one.base.filename(), second.filename()) << "on no machine";
  }
}

TEST(Keep, loses_nothing_wherever_it_is_killed) {
  for (const std::size_t moment : {1u, 7u, 30u, 60u}) {
    const KeptFolder folder(31);
    const std::string told = folder.told();
    const std::size_t last = folder.keep_all(false).removed.size();
    ASSERT_GT(last, moment);
    const auto packed = [&] {
      std::size_t count = 0;
      for (const char* machine : {"farm-1", "farm-2"})
        for (const auto& entry : fs::directory_iterator(folder.path() / machine))
          count += results::is_packed_name(entry.path().native());
      return count;
    };
    const pid_t child = ::fork();
    if (child == 0) ::_exit(keep({folder.path(), "", 30, 30, true, folder.after(0)}) ? 0 : 1);
    while (packed() < moment && ::waitpid(child, nullptr, WNOHANG) == 0) {
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(folder.told(), told) << moment;
    folder.forget_index();
    EXPECT_EQ(folder.told(), told) << moment;
    ASSERT_TRUE(pack({folder.path(), "", 0}));
    EXPECT_THAT(folder.keep_all(true).problems, IsEmpty());
    EXPECT_EQ(folder.told(), told) << moment;
    std::size_t less = 0;
    for (int night = 0; night < kNights; ++night)
      for (const char* machine : {"farm-1", "farm-2"})
        less += load(folder, fmt::format("{}/{:06}", machine, night)).session.medians_only;
    EXPECT_EQ(less, last);
  }
}

TEST(Keep, gives_way_to_another_process) {
  const KeptFolder folder(41, 3);
  const Expected<File> held = lock_kept(folder.path());
  ASSERT_TRUE(held);
  const Expected<Keeping> kept = keep({folder.path(), "", 30, 30, true, folder.after(0)});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().status, ExitStatus::kFailed);
  EXPECT_FALSE(pack({folder.path(), "", 0}));
}

TEST(ParseDays, reads_ages_and_refuses_others) {
  EXPECT_EQ(*parse_days("--samples", "90d"), 90);
  EXPECT_EQ(*parse_days("--samples", "2w"), 14);
  EXPECT_EQ(*parse_days("--samples", "1y"), 365);
  for (const char* text : {"", "90", "d", "-1d", "90 d", "1m", "99999999999d"}) {
    const Expected<double> days = parse_days("--samples", text);
    ASSERT_FALSE(days) << text;
    EXPECT_EQ(days.error().status, ExitStatus::kUsage);
    EXPECT_EQ(days.error().what, fmt::format("--samples: expected an age such as 90d, 12w or 1y, found '{}'", text));
  }
}

}  // namespace lab::app
