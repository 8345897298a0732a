#include "harness/report/farm_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "harness/base/utc.h"
#include "harness/report/farm_grid.h"
#include "harness/report/html.h"
#include "harness/report/markdown.h"

namespace lab::report {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// Two machines of one class and one of another. benchmark "a/b/c" became slower on the first two.
struct SampleFarm {
  judge::Farm farm;
  std::vector<results::FarmAlarm> alarms;
  std::vector<results::FarmAlarmRecord> said;
  std::vector<results::SessionRecord> sessions;
  std::vector<judge::FarmSeries> series;
  std::vector<std::string> commits{"aaaa1111", "bbbb2222", "cccc3333"}, remarks;

  SampleFarm() {
    for (const char* id : {"m1", "m2", "m3"}) {
      judge::FarmMachine& machine = farm.machines.emplace_back();
      machine.id = id;
      machine.class_name = std::string(id) == "m3" ? "arm" : "epyc";
      machine.first = "2026-06-01T03:00:00Z";
      machine.last = "2026-07-31T03:00:00Z";
      results::SessionRecord& session = sessions.emplace_back();
      session.machine = session.reported = id;
      session.path = std::string(id) + "/s.json";
      session.session = "s";
      session.started = machine.last;
      session.commit = commits.back();
      session.environment = std::make_shared<results::MeasurementEnvironment>(
          results::MeasurementEnvironment{{"kernel", machine.class_name == "arm" ? "5.10" : "6.1"}, {"pin gcc", "12"}});
      judge::FarmSeries& one = series.emplace_back();
      one.key = {id, "a/b/c", 1};
      one.findings.sessions = 60;
      one.findings.first = machine.first;
      one.findings.last = machine.last;
      one.findings.median = 55;
      if (machine.class_name == "arm") continue;
      judge::LevelChange& change = one.findings.changes.emplace_back();
      change.started = "2026-07-25T03:00:00Z";
      change.before = 50;
      change.after = 55;
      change.ratio = 1.1;
      change.cause = judge::kCodeCause;
      change.commits = {commits[0], commits[2]};
    }
    judge::FarmChange& change = farm.changes.emplace_back();
    change.regressed = change.is_confirmed = true;
    change.cause = judge::kCodeCause;
    change.started = "2026-07-25T03:00:00Z";
    change.commits = {commits[0], commits[2]};
    change.ratio = change.low = change.high = 1.1;
    change.benchmarks = {"a/b/c"};
    change.machines = {"m1", "m2"};
    change.others = {"m3"};
    change.reason = "class epyc";
    change.with_reason = 2;
  }
  void raise() {
    farm.changes[0].alarm = "2026-07-25";
    said = {{"2026-07-26T00:00:00Z",
             "detector",
             "2026-07-25",
             results::AlarmStep::kRaised,
             "",
             farm.changes[0].commits,
             {"a/b/c"}}};
    alarms = results::alarms_of(said);
  }
  FarmView view() const {
    return {farm, alarms, said, sessions, series, commits, remarks, *seconds_of("2026-08-01T00:00:00Z")};
  }
};

TEST(FarmPages, addresses_hold_any_text) {
  EXPECT_EQ(series_address({"m&b=1", "a/b/c:x#", 2}), "./series?m=m%26b%3D1&b=a%2Fb%2Fc%3Ax%23&v=2");
  EXPECT_EQ(night_address("m 1/20260802T231500Z-x.json"), "./night/m%201/20260802T231500Z-x.json/index.html");
  EXPECT_EQ(alarm_address("\"><b>"), "./alarm?id=%22%3E%3Cb%3E");
}

TEST(FarmPages, a_shown_name_has_no_control_characters_and_an_end) {
  EXPECT_EQ(shown_name("a\nb\x1b[31m"), "a b?[31m");
  const std::string cut = shown_name(std::string(10'000, 'x'));
  EXPECT_THAT(cut, EndsWith("x\u2026"));
  EXPECT_LT(cut.size(), 200);
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "\u00e9";
  EXPECT_THAT(shown_name(wide), EndsWith("\u00e9\u2026")) << "not cut inside a character";
}

TEST(FarmPages, a_regression_that_no_check_has_raised_is_told_as_such) {
  const SampleFarm farm;
  const Document page = front_page(farm.view(), {});
  EXPECT_THAT(page.lead, HasSubstr("1 regression is new: no check has raised it yet."));
  EXPECT_THAT(to_markdown(page),
              AllOf(HasSubstr("| **not raised** | 2026-07-25 | +10.0 % | a/b/c | on 2 of 2 machines "
                              "with class epyc, on 0 of 1 without | aaaa1111..cccc3333 | a/b/c: 50.0 ns "
                              "on m1 before 2026-07-25 |"),
                    HasSubstr("python3 make.py farm check --results DIR raises it")));
}

TEST(FarmPages, an_alarm_lists_who_shows_it_who_does_not_and_what_differs) {
  SampleFarm farm;
  farm.raise();
  const std::string page = to_markdown(alarm_page(farm.view(), farm.alarms[0], {}));
  EXPECT_THAT(page, HasSubstr("| Shows it | Machine | Class | kernel |"));
  EXPECT_THAT(page, HasSubstr("| **yes** | m1 | epyc | 6.1 |"));
  EXPECT_THAT(page, HasSubstr("| **no** | m3 | arm | 5.10 |"));
  EXPECT_THAT(page, Not(HasSubstr("pin gcc"))) << "all share it";
  EXPECT_THAT(page, HasSubstr("It came with 2 commits, the latest first:"));
}

TEST(FarmPages, an_alarm_that_the_detectors_no_longer_see_shows_its_series_as_they_are) {
  SampleFarm farm;
  farm.raise();
  farm.farm.changes.clear();
  const Document page = alarm_page(farm.view(), farm.alarms[0], {});
  EXPECT_THAT(page.lead, HasSubstr("no longer shows it"));
  EXPECT_THAT(to_markdown(page), HasSubstr("| a/b/c | m1 | +10.00 % on 2026-07-25 |"));
}

TEST(FarmPages, a_commit_inside_a_range_may_have_brought_the_change_and_the_first_one_has_not) {
  const SampleFarm farm;
  EXPECT_THAT(commit_page(farm.view(), "bbbb2222").lead, HasSubstr("2 series may have changed with it"));
  EXPECT_THAT(commit_page(farm.view(), "cccc3333").lead, HasSubstr("3 sessions measured it"));
  EXPECT_THAT(commit_page(farm.view(), "aaaa1111").lead,
              HasSubstr("No series changed with it; no session measured it."));
}

TEST(FarmPages, compared_sides_are_shown_with_the_intervals_that_they_have) {
  ComparedFarm compared{"aaaa1111", "bbbb2222"};
  compared.series.push_back(
      {{"m1", "a/b/c", 1}, false, true, {{10}, stats::Interval{9.9, 10.1}}, {{12}, stats::Interval{11.8, 12.2}}, 1.2});
  compared.series.push_back({{"m1", "a/b/d", 1}, false, true, {{10, 11}, {}}, {{5}, stats::Interval{4, 6}}, 0.5});
  const std::string page = to_markdown(compare_page(compared));
  EXPECT_THAT(page, HasSubstr("| a/b/c | m1 | 1.20 | 10.0 ns (9.90 to 10.1) | 12.0 ns (11.8 to 12.2) | apart |"));
  EXPECT_THAT(page, HasSubstr("| a/b/d | m1 | 0.500 | 10.5 ns, 2 sessions | 5.00 ns (4.00 to 6.00) |  |"));
  EXPECT_LT(page.find("a/b/d"), page.find("a/b/c")) << "the largest difference first";
}

TEST(FarmPages, what_is_compared_is_chosen_among_machines_and_measured_commits) {
  const SampleFarm farm;
  const std::string both = to_markdown(compare_choice_page(farm.view(), "", false));
  EXPECT_THAT(both, AllOf(HasSubstr("| m1 | epyc |"), HasSubstr("| cccc3333 |"), Not(HasSubstr("| aaaa1111 |"))))
      << "no session measured the first commit";
  const Document machines = compare_choice_page(farm.view(), "m1", true);
  EXPECT_THAT(to_markdown(machines), AllOf(HasSubstr("| m2 |"), Not(HasSubstr("| m1 |")), Not(HasSubstr("cccc3333"))));
  const auto& table = std::get<Table>(machines.pages.front().sections.front().elements.front());
  EXPECT_EQ(table.rows.front().front().link, "./compare?a=m1&b=m2");
}

TEST(FarmPages, a_series_leads_to_the_alarms_that_it_is_in) {
  SampleFarm farm;
  const judge::SeriesHistory history{farm.series.front().key, farm.series.front().findings, {}};
  const auto links_of = [&] {
    std::vector<std::string> links;
    const Document page = series_page(farm.view(), history, "", "");
    for (const Element& one : page.pages.front().sections.front().elements)
      if (const auto* text = std::get_if<Paragraph>(&one))
        for (const Link& link : text->links) links.push_back(link.to);
    return links;
  };
  EXPECT_THAT(links_of(), ElementsAre("./machine?id=m1"));
  farm.raise();
  EXPECT_THAT(links_of(), ElementsAre("./alarm?id=2026-07-25", "./machine?id=m1"));
}

TEST(FarmGrid, machines_are_grouped_by_class_and_a_cell_says_what_happened_in_the_nights_shown) {
  SampleFarm farm;
  farm.farm.machines[1].hosts = {"h1", "h2"};
  const GridRows rows = grid_rows(farm.view(), 10);
  EXPECT_THAT(rows.machines, ElementsAre("m3", "m1", "m2"));
  EXPECT_EQ(rows.nights.front(), "2026-07-22");
  EXPECT_EQ(rows.nights.back(), "2026-07-31");
  EXPECT_EQ(farm_grid(farm.view(), rows).at("cells"), boost::json::array({"ore"})) << "no verdict of two hosts' name";
  EXPECT_EQ(farm_grid(farm.view(), grid_rows(farm.view(), 3)).at("cells"), boost::json::array({"ooo"}))
      << "before these nights";
  farm.series[2].findings.last = "2026-06-20T03:00:00Z";
  EXPECT_EQ(farm_grid(farm.view(), grid_rows(farm.view(), 10)).at("cells"), boost::json::array({".re"}));
}

}  // namespace

}  // namespace lab::report
