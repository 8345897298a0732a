#include "harness/app/live.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <optional>
#include <thread>

#include "harness/app/farm_check.h"
#include "harness/app/farm_fixture.h"
#include "harness/app/history.h"
#include "harness/app/report_parts.h"
#include "harness/base/files.h"
#include "harness/report/html.h"
#include "harness/report/markdown.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

class LivePages : public FarmFolder {
 protected:
  LiveFarm& farm(int days_later = 0) {
    if (!farm_) farm_.emplace(request(days_later));
    return *farm_;
  }
  LiveChange refresh() {
    const Expected<LiveChange> change = farm().refresh();
    EXPECT_TRUE(change) << (change ? "" : change.error().what);
    return change ? *change : LiveChange{};
  }
  /// The page as a reader without scripts sees it.
  std::string text(std::string_view view, const LiveFarm::Query& query = {}) {
    const Expected<report::Document> page = farm().page(view, query);
    return page ? report::to_markdown(*page)
                : fmt::format("{}: {}", static_cast<int>(page.error().status), page.error().what);
  }
  std::string html(std::string_view view, const LiveFarm::Query& query = {}) {
    const Expected<report::Document> page = farm().page(view, query);
    return page ? report::to_live_html(*page) : page.error().what;
  }
  json::object data(std::string_view name, const LiveFarm::Query& query = {}) {
    const Expected<json::value> value = farm().data(name, query);
    EXPECT_TRUE(value) << name;
    return value ? value->as_object() : json::object();
  }
  std::string regressed() {
    add(0, 40, 1);
    EXPECT_TRUE(check_farm(request()));
    add(40, 46, 1.2);
    return check_farm(request())->raised.front();
  }

 private:
  std::optional<LiveFarm> farm_;
};

TEST_F(LivePages, before_the_first_refresh_a_page_says_that_it_is_coming) {
  EXPECT_EQ(farm().state(), nullptr);
  EXPECT_EQ(text(""), "1: the results are being read for the first time");
}

TEST_F(LivePages, an_empty_folder_says_what_to_run) {
  EXPECT_TRUE(refresh().changed);
  EXPECT_THAT(text(""), AllOf(HasSubstr("No results yet."), HasSubstr("python3 make.py run")));
  EXPECT_EQ(data("grid").at("benchmarks").as_array().size(), 0);
  EXPECT_EQ(data("sparks").at("rows").as_array().size(), 0);
  EXPECT_FALSE(refresh().changed);
}

TEST_F(LivePages, a_missing_folder_is_an_error_and_the_last_state_stays_until_it_is_back) {
  add(0, 3, 1);
  refresh();
  const fs::path away = folder_.path().native() + "-away";
  fs::rename(folder_.path(), away);
  const Expected<LiveChange> gone = farm().refresh();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().status, ExitStatus::kUsage);
  EXPECT_THAT(text(""), HasSubstr("3 machines: 3 fine"));
  EXPECT_THAT(text("series", {{"m", "farm-1"}, {"b", "shelf/v000/store"}}), HasSubstr("farm-1"))
      << "what is open can still be read";
  fs::rename(away, folder_.path());
  EXPECT_FALSE(refresh().changed);
}

TEST_F(LivePages, a_broken_atlas_of_one_machine_is_named_and_leaves_the_others) {
  folder_.write("farm-1/atlas/x/column.json", "{}");
  const Expected<ReportAtlas> atlas = farm_atlas(folder_.path(), folder_.path());
  ASSERT_TRUE(atlas) << atlas.error().what;
  ASSERT_EQ(atlas->omitted.size(), 1);
  EXPECT_EQ(atlas->omitted.begin()->first, "farm-1");
  EXPECT_THAT(atlas->omitted.begin()->second, HasSubstr("column.json"));
}

TEST_F(LivePages, one_machine_reads_well) {
  machines_ = {"desk"};
  add(0, 3, 1);
  refresh();
  EXPECT_THAT(text(""), AllOf(HasSubstr("No alarm waits. 1 machine: fine, no doubtful night in the last 14."),
                              HasSubstr("No change of the code slows anything down")));
  EXPECT_THAT(text("machine", {{"id", "desk"}}), HasSubstr("3 sessions of 2 series"));
}

TEST_F(LivePages, the_front_page_says_what_broke_since_when_where_and_what_it_was_before) {
  const std::string id = regressed();
  refresh();
  const std::string front = text("");
  EXPECT_THAT(front, HasSubstr("1 alarm waits. 3 machines: 3 fine"));
  EXPECT_THAT(front, HasSubstr(fmt::format("| **waits** | {} | +", id)));
  EXPECT_THAT(front, HasSubstr("on all 3 machines"));
  EXPECT_THAT(front, HasSubstr(fmt::format("before {}", id)));
  EXPECT_THAT(html(""), HasSubstr(fmt::format("href=\"./alarm?id={}\"", id)));

  ASSERT_TRUE(say_of_alarm(folder_.path(), id, results::AlarmStep::kAcknowledged, "known <b>"));
  const LiveChange change = refresh();
  EXPECT_TRUE(change.changed);
  EXPECT_EQ(change.version, 2);
  EXPECT_THAT(change.series, IsEmpty()) << "a note changes no series";
  EXPECT_THAT(text(""), HasSubstr("No alarm waits, 1 is acknowledged."));
  EXPECT_THAT(html(""), AllOf(HasSubstr("known &lt;b&gt;"), Not(HasSubstr("known <b>"))));
}

TEST_F(LivePages, an_alarm_has_its_benchmarks_machines_commits_charts_and_what_was_said) {
  const std::string id = regressed();
  refresh();
  const Expected<report::Document> page = farm().page("alarm", {{"id", id}});
  ASSERT_TRUE(page);
  EXPECT_THAT(page->lead, StartsWith(fmt::format("Waits since {}: 1 benchmark +", id)));
  EXPECT_EQ(report::charts_of(*page).size(), 3) << "one for each machine, under names of their own";
  const std::string shown = text("alarm", {{"id", id}});
  EXPECT_THAT(shown, HasSubstr("| **yes** | farm-1 |"));
  EXPECT_THAT(shown, HasSubstr("| detector | raised |"));
  EXPECT_THAT(html("alarm", {{"id", id}}), HasSubstr("href=\"./commit?sha=" + judge::fixture_commit(40)));
}

TEST_F(LivePages, a_series_shows_the_range_that_is_asked_for_and_its_version) {
  regressed();
  refresh();
  const LiveFarm::Query query{{"m", "farm-2"}, {"b", "shelf/v000/store"}};
  const auto points = [&](LiveFarm::Query with) {
    with.insert(query.begin(), query.end());
    const Expected<report::Document> page = farm().page("series", with);
    return page && !report::charts_of(*page).empty() ? report::charts_of(*page)[0]->data.at("rows").as_array().size()
                                                     : 0;
  };
  EXPECT_EQ(points({}), 46);
  const std::string from = judge::fixture_started(10).substr(0, 10), to = judge::fixture_started(19).substr(0, 10);
  EXPECT_EQ(points({{"from", from}}), 36);
  EXPECT_EQ(points({{"from", from}, {"to", to}}), 10);
  EXPECT_EQ(points({{"from", to}, {"to", from}}), 0);
  EXPECT_EQ(points({{"from", "<script>"}}), 0);
  EXPECT_THAT(text("series", {{"m", "farm-2"}, {"b", "shelf/v000/store"}, {"from", "<script>"}}),
              HasSubstr("No session of this series began from"));
  EXPECT_THAT(text("series", query), HasSubstr("**Regressed +"));
  EXPECT_EQ(data("series", query).at("series").at("points").as_array().size(), 46);
  LiveFarm::Query other = query;
  other["v"] = "77";
  EXPECT_THAT(text("series", other), StartsWith("2: expected a series of this farm"));
}

TEST_F(LivePages, a_commit_has_what_changed_with_it_its_neighbours_and_its_sessions) {
  regressed();
  refresh();
  const std::string page = text("commit", {{"sha", judge::fixture_commit(40).substr(0, 8)}});
  EXPECT_THAT(page, HasSubstr("3 series may have changed with it, 3 of them for the worse by the code; 3 sessions"));
  EXPECT_THAT(text("commit", {{"sha", judge::fixture_commit(20)}}), HasSubstr("No series changed with it; 3 sessions"));
  EXPECT_THAT(text("commit", {{"sha", "ffffffff"}}), StartsWith("2: expected a commit"));
  EXPECT_THAT(text("commit", {{"sha", "0000"}}), StartsWith("2: expected a commit")) << "it could be any of them";
}

TEST_F(LivePages, commits_are_compared_on_the_same_machine_and_machines_on_the_same_nights) {
  regressed();
  refresh();
  const std::string before = judge::fixture_commit(30), after = judge::fixture_commit(45);
  const std::string commits = text("compare", {{"a", before}, {"b", after}});
  EXPECT_THAT(commits, HasSubstr("6 series of both"));
  EXPECT_LT(commits.find("shelf/v000/store"), commits.find("shelf/v001/store")) << "the largest difference first";
  EXPECT_THAT(text("compare", {{"a", "farm-1"}, {"b", "farm-3"}}), HasSubstr("2 benchmarks of both"));
  EXPECT_THAT(text("compare", {}),
              AllOf(HasSubstr("Choose the first of two machines or two commits."), HasSubstr("farm-1")));
  EXPECT_THAT(text("compare", {{"a", "farm-1"}}), HasSubstr("Choose what is compared with farm-1."));
  EXPECT_THAT(text("compare", {{"a", "nobody"}}), StartsWith("2: expected two machines or two commits"));
  EXPECT_THAT(text("compare", {{"a", "farm-1"}, {"b", after}}), StartsWith("2: expected two machines or two commits"));
  fs::remove_all(folder_.path() / "farm-3");
  add("farm-3", 60, 1);
  refresh();
  EXPECT_THAT(text("compare", {{"a", "farm-1"}, {"b", "farm-3"}}),
              HasSubstr("farm-1 and farm-3 measured no benchmark on the same day: nothing can be compared."));
  EXPECT_THAT(text("compare", {{"a", before}, {"b", judge::fixture_commit(60)}}),
              HasSubstr("nothing can be compared."));
}

TEST_F(LivePages, a_refresh_says_which_machines_and_series_changed) {
  add(0, 20, 1);
  const LiveChange first = refresh();
  EXPECT_TRUE(first.changed);
  EXPECT_EQ(first.version, 1);
  EXPECT_FALSE(refresh().changed);
  add("farm-2", 20, 1);
  const LiveChange second = refresh();
  EXPECT_EQ(second.version, 2);
  EXPECT_THAT(second.machines, ElementsAre("farm-2"));
  EXPECT_THAT(second.series, ElementsAre(Pair("farm-2", "shelf/v000/store"), Pair("farm-2", "shelf/v001/store")));
  const std::shared_ptr<const LiveState> kept = farm().state();
  fs::remove_all(folder_.path() / "farm-3");
  EXPECT_THAT(refresh().machines, ElementsAre("farm-3"));
  EXPECT_EQ(kept->farm.machines.size(), 3) << "who has a state keeps it as it was";
}

TEST_F(LivePages, a_doubtful_night_is_listed_with_its_reason_and_marked_in_the_grid) {
  add(0, 20, 1);
  add("farm-2", 18, 1, [](results::Result& result) { result.source.dirty = true; });
  add("farm-3", 19, 1, [](results::Result& result) { result.session.started = "1970-07-02T00:01:00Z"; });
  refresh();
  EXPECT_THAT(text(""), AllOf(HasSubstr("2 doubtful nights in the last 14"), HasSubstr("| farm-2 | dirty source |"),
                              HasSubstr("| 1970-07-02 by its clock | farm-3 | the clock of farm-3 was wrong")));
  EXPECT_THAT(html(""), HasSubstr("href=\"./night/farm-2/000018.json/index.html\""));
  const json::array machines = data("grid").at("machines").as_array();
  EXPECT_EQ(machines[0].at("doubtful"), json::array());
  EXPECT_EQ(machines[1].at("doubtful"), json::array({28}));
}

TEST_F(LivePages, the_grid_marks_what_changed_and_puts_it_first) {
  add(0, 40, 1);
  // Only what is slower moves up: by name, v000 is first anyway.
  for (int night = 40; night < 48; ++night)
    for (const std::string& machine : machines_)
      add(machine, night, 1, [](results::Result& result) {
        for (results::Process& process : result.processes)
          if (process.benchmark == "shelf/v001/store") process.real_time *= 1.3;
      });
  refresh();
  const json::object grid = data("grid");
  EXPECT_EQ(grid.at("benchmarks"), json::array({"shelf/v001/store", "shelf/v000/store"}));
  EXPECT_EQ(grid.at("cells"), json::array({"rrr", "ooo"}));
  EXPECT_EQ(grid.at("nights").as_array().size(), 30);
  EXPECT_EQ(grid.at("nights").as_array().back().as_string(), judge::fixture_started(47).substr(0, 10));
  const json::object sparks = data("sparks", {{"from", "0"}, {"to", "1"}});
  const json::array rows = sparks.at("rows").as_array();
  ASSERT_EQ(rows.size(), 1);
  const json::array line = rows[0].at("cells").at(0).as_array();
  EXPECT_EQ(line.size(), 30);
  EXPECT_NEAR(line.back().as_double(), 1.3, 0.05);
  EXPECT_EQ(rows[0].at("changes").as_array().size(), 3);
  EXPECT_EQ(rows[0].at("changes").at(0).at(2), "r");
  EXPECT_EQ(data("sparks", {{"from", "1"}, {"to", "9999"}, {"nights", "7"}})
                .at("rows")
                .at(0)
                .at("cells")
                .at(0)
                .as_array()
                .size(),
            7);
  EXPECT_EQ(data("sparks", {{"from", "-1"}, {"to", "x"}}).at("rows").as_array().size(), 2)
      << "no numbers: the first rows";
  EXPECT_EQ(data("sparks", {{"from", "7"}, {"to", "3"}}).at("rows").as_array().size(), 0);
}

TEST_F(LivePages, hostile_names_are_text_everywhere) {
  const std::string markup = "<script>alert(1)</script>\"'&", turned = "a\u202e\x1b[31mb", long_name(10'000, 'x');
  for (const std::string& name : {markup, turned, long_name}) {
    std::size_t number = 0;
    for (int night = 0; night < 3; ++night)
      folder_.write(fmt::format("folder-{}/{}", name.size(), judge::fixture_file(night)), [&] {
        results::Result result = judge::fixture_night({night, 1, 1, {100, 50}});
        result.machine.id = result.machine.name = name;
        result.context.host_name = result.machine.cpu_model = name;
        for (results::Process& process : result.processes)
          process.benchmark = fmt::format("{}/{}/{}", name, ++number % 2, name);
        return results::serialize(result);
      }());
  }
  folder_.write(results::kFarmAlarmsName,
                json::serialize(json::object{{"at", "2026-08-02T00:00:00Z"},
                                             {"who", markup},
                                             {"id", markup},
                                             {"step", "raised"},
                                             {"note", turned},
                                             {"commits", {{"from", nullptr}, {"to", nullptr}}},
                                             {"benchmarks", json::array{markup, long_name}}}) +
                    "\n");
  refresh();
  const auto is_safe = AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("\u202e")), Not(HasSubstr("\x1b")));
  EXPECT_THAT(html(""), is_safe);
  ASSERT_FALSE(farm().state()->farm.machines.empty());
  EXPECT_THAT(html("alarm", {{"id", farm().state()->input.alarms.at(0).id}}), is_safe);
  std::size_t shown = 0;
  for (const judge::FarmSeries& one : farm().state()->input.series) {
    EXPECT_THAT(html("series", {{"m", one.key.machine}, {"b", one.key.benchmark}}), is_safe);
    EXPECT_THAT(html("machine", {{"id", one.key.machine}}), is_safe);
    ++shown;
  }
  EXPECT_GE(shown, 2);
  EXPECT_THAT(html("alarm", {{"id", "<script>alert(2)</script>"}}), Not(HasSubstr("\x1b")));
}

TEST_F(LivePages, only_paths_of_the_index_are_nights) {
  add(0, 3, 1);
  folder_.write("secret.json", "{}");
  refresh();
  const Expected<std::map<std::string, std::string>> night = farm().night("farm-1/000002.json");
  ASSERT_TRUE(night) << night.error().what;
  EXPECT_THAT(*night, AllOf(Contains(Key("index.html")), Contains(Key("report.css")), Contains(Key("session.html"))));
  EXPECT_THAT(night->at("index.html"), HasSubstr("Some CPU"));
  for (const char* path : {"secret.json", "farm-1/../secret.json", "/etc/passwd", "", "farm-1"}) {
    const Expected<std::map<std::string, std::string>> none = farm().night(path);
    ASSERT_FALSE(none) << path;
    EXPECT_EQ(none.error().status, ExitStatus::kUsage);
  }
  EXPECT_EQ(*farm().path_of("000002"), "farm-1/000002.json");
  EXPECT_FALSE(farm().path_of("nothing"));
  fs::remove(folder_.path() / "farm-1/000002.json");
  EXPECT_FALSE(farm().night("farm-1/000002.json")) << "an error, no crash";
}

TEST_F(LivePages, an_index_that_another_process_replaces_or_damages_is_read_again) {
  add(0, 20, 1);
  refresh();
  const LiveFarm::Query query{{"m", "farm-1"}, {"b", "shelf/v000/store"}};
  EXPECT_THAT(text("series", query), HasSubstr("farm-1"));
  const fs::path index = folder_.path() / results::kIndexName;
  fs::remove(index);
  EXPECT_THAT(text("series", query), HasSubstr("farm-1")) << "removed: what is open";
  add(20, 21, 1);
  HistoryRequest other;
  other.results = folder_.path();
  ASSERT_TRUE(history(other)) << "another process makes a new one";
  EXPECT_EQ(data("series", query).at("series").at("points").as_array().size(), 21);
  folder_.write(results::kIndexName, std::string(100'000, 'x'));
  EXPECT_THAT(text("series", query), Not(HasSubstr("2: ")));
  EXPECT_TRUE(refresh().changed) << "it is rebuilt, with the new night";
  EXPECT_EQ(data("series", query).at("series").at("points").as_array().size(), 21);
}

TEST_F(LivePages, an_unreadable_result_is_a_remark) {
  add(0, 3, 1);
  folder_.write("farm-1/broken.json", "{");
  refresh();
  EXPECT_THAT(text(""), HasSubstr("broken.json"));
}

TEST_F(LivePages, pages_are_made_while_a_refresh_reads) {
  add(0, 20, 1);
  refresh();
  std::atomic<bool> done = false;
  std::size_t pages = 0, failed = 0;
  std::thread reader([&] {
    do {
      const Expected<report::Document> page = farm().page("series", {{"m", "farm-1"}, {"b", "shelf/v000/store"}});
      failed += !page || report::charts_of(*page).empty();
      ++pages;
    } while (!done);
  });
  for (int night = 20; night < 26; ++night) {
    add(night, 1);
    EXPECT_TRUE(farm().refresh());
  }
  done = true;
  reader.join();
  EXPECT_GE(pages, 1);
  EXPECT_EQ(failed, 0);
}

TEST_F(LivePages, status_and_farm_are_told_as_data) {
  const std::string id = regressed();
  refresh();
  const json::object status = data("status");
  EXPECT_EQ(status.at("machines"), 3);
  EXPECT_EQ(status.at("alarms"), 1);
  EXPECT_EQ(status.at("running").as_array().size(), 0);
  const json::object told = data("farm");
  EXPECT_EQ(told.at("version"), 1);
  EXPECT_EQ(told.at("alarms").at(0).at("id").as_string(), id);
  EXPECT_FALSE(farm().data("nothing", {}));
  EXPECT_FALSE(farm().page("nothing", {}));
}

}  // namespace

}  // namespace lab::app
