#include <fmt/format.h>

#include <algorithm>

#include "harness/base/fit.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_parts.h"
#include "harness/report/farm_text.h"
#include "harness/report/format.h"
#include "harness/report/history.h"
#include "harness/report/history_text.h"

namespace lab::report {

namespace {

constexpr std::size_t kMostFacts = 60, kMostChanges = 200, kMostLinks = 12;

using Sessions = std::ranges::subrange<std::span<const results::SessionRecord>::iterator>;

/// Facts of the machine that are the same on all machines of a build are the build's.
Table facts_table(const results::MeasurementEnvironment& environment) {
  Table table{"facts", "What its last session ran on", {{"Fact", kName}, {"Value", kText}}};
  for (const auto& [name, value] : environment)
    if (!value.empty()) table.rows.push_back({shown_name(name), shown_name(value)});
  return table;
}

/// When a fact changed from one session to the next, the latest first.
Table fact_changes_table(const Sessions& sessions) {
  Table table{"fact-changes",
              "What changed on it between two sessions, the latest first",
              {{"Since", kName}, {"Fact", kName}, {"Before", kText}, {"After", kText}}};
  const results::SessionRecord* after = nullptr;
  for (auto at = sessions.end(); at != sessions.begin() && table.rows.size() < kMostFacts;) {
    const results::SessionRecord& before = *--at;
    if (before.wrong_clock) continue;
    if (after != nullptr && after->environment != before.environment)
      for (const auto& [name, value] : *after->environment) {
        const auto old = before.environment->find(name);
        const std::string was = old == before.environment->end() ? "" : old->second;
        if (was == value || name == judge::kSeed) continue;
        table.rows.push_back({night_cell(*after), shown_name(name), shown_name(was), shown_name(value)});
      }
    after = &before;
  }
  return table;
}

Table machine_sessions_table(const Sessions& sessions, const std::string& machine) {
  Table table{
      "sessions",
      fmt::format("Its last {} sessions", kShownSessions),
      {{"Night", kName}, {"Fit", kVerdict}, {"Why not", kText}, {"Commit", kName}, {"Reported name", kText, true}}};
  for (auto at = sessions.end(); at != sessions.begin() && table.rows.size() < kShownSessions;) {
    const results::SessionRecord& one = *--at;
    const std::string doubt = doubt_of(one);
    TableCell commit(short_name(one.commit));
    if (one.commit) commit.link = commit_address(*one.commit);
    table.rows.push_back(
        {night_cell(one),
         doubt.empty() ? TableCell("fit", Emphasis::kGood) : TableCell("in no series", Emphasis::kWeak), doubt,
         std::move(commit), one.reported == machine ? "" : shown_name(one.reported)});
  }
  return table;
}

}  // namespace

Document machine_page(const FarmView& view, const judge::FarmMachine& machine) {
  const std::string state = machine.retired ? "retired"
                            : machine.silent_days > 0
                                ? fmt::format("silent for {}", counted(machine.silent_days, "day"))
                                : "measures";
  Document document =
      live_document(fmt::format("Machine {}", shown_name(machine.id)),
                    fmt::format("{}, {}: {} of {} series{}.", capitalized(state), shown_name(machine.class_name),
                                counted(machine.sessions, "session"), whole(machine.series),
                                machine.last.empty() ? "" : ", the last on " + machine.last.substr(0, 10)));
  std::vector<Section>& sections = document.pages.front().sections;
  const auto found = std::ranges::equal_range(view.sessions, machine.id, {}, &results::SessionRecord::machine);
  const Sessions of_machine(found.begin(), found.end());

  Section notes{"notes", "What it needs"};
  notes.add(List{shown_names(machine_notes(machine))});
  if (!machine.was.empty())
    notes.add(Paragraph{fmt::format("Earlier names: {}.", enumerated(shown_names(machine.was)))});
  add(sections, std::move(notes));

  Section changes{"history", "Its changes"};
  std::vector<judge::SeriesHistory> changed;
  for (const judge::FarmSeries& one : view.series)
    if (one.key.machine == machine.id && !one.findings.changes.empty()) changed.push_back({one.key, one.findings, {}});
  Table table = changes_table(changed, {.link = series_address});
  if (table.rows.size() > kMostChanges) {
    table.caption += fmt::format(". The first {} of {} are here", kMostChanges, table.rows.size());
    table.rows.resize(kMostChanges);
  }
  if (table.rows.empty()) changes.add(Paragraph{"None of its series has changed."});
  changes.add(std::move(table));
  add(sections, std::move(changes));

  Section others{"others", "Compared with others"};
  Paragraph links{"Of its class, and all:"};
  for (const judge::FarmMachine& one : view.farm.machines)
    if (one.id != machine.id && one.class_name == machine.class_name && links.links.size() < kMostLinks)
      links.links.push_back({shown_name(one.id), compare_address(machine.id, one.id)});
  links.links.push_back({"another machine", compare_address(machine.id)});
  others.add(std::move(links));
  add(sections, std::move(others));

  Section nights{"nights", "Sessions"};
  nights.add(machine_sessions_table(of_machine, machine.id));
  add(sections, std::move(nights));

  Section facts{"facts", "Hardware, kernel and pins"};
  facts.add(fact_changes_table(of_machine));
  for (auto at = of_machine.end(); at != of_machine.begin();)
    if (!(--at)->wrong_clock) {
      facts.add(facts_table(*at->environment));
      break;
    }
  add(sections, std::move(facts));

  Section series{"series", "Its series"};
  series.folded = true;
  Table list{"series",
             "Every benchmark that it measures",
             {{"Benchmark", kBenchmark}, {"Median", kNumber}, {"Sessions", kNumber}, {"Last session", kName}}};
  for (const judge::FarmSeries& one : view.series)
    if (one.key.machine == machine.id)
      list.rows.push_back({benchmark_cell(one.key), value_text(one, one.findings.median), whole(one.findings.sessions),
                           one.findings.last.substr(0, 10)});
  series.add(std::move(list));
  add(sections, std::move(series));
  return document;
}

}  // namespace lab::report
