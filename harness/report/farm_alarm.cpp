#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/fit.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_parts.h"
#include "harness/report/farm_text.h"
#include "harness/report/format.h"
#include "harness/report/history.h"
#include "harness/report/history_text.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

const judge::FarmMachine* machine_of(const FarmView& view, const std::string& id) {
  const auto found = std::ranges::find(view.farm.machines, id, &judge::FarmMachine::id);
  return found == view.farm.machines.end() ? nullptr : &*found;
}

/// What a machine's last session before `until` ran on.
const results::MeasurementEnvironment* environment_of(const FarmView& view, const std::string& machine,
                                                      const std::string& until) {
  const auto of_machine = std::ranges::equal_range(view.sessions, machine, {}, &results::SessionRecord::machine);
  const results::MeasurementEnvironment* found = nullptr;
  for (const results::SessionRecord& session : of_machine)
    if (!session.wrong_clock && (found == nullptr || session.started <= until)) found = session.environment.get();
  return found;
}

/// The facts that not all of these machines share, so that a table has no column without news. By name, machine by
/// machine.
std::map<std::string, std::vector<std::string>> different_facts(const FarmView& view,
                                                                const std::vector<std::string>& machines,
                                                                const std::string& until) {
  std::map<std::string, std::vector<std::string>> facts;
  for (std::size_t i = 0; i < machines.size(); ++i)
    if (const auto* environment = environment_of(view, machines[i], until))
      for (const auto& [name, value] : *environment) {
        std::vector<std::string>& values = facts[name];
        values.resize(machines.size());
        values[i] = value;
      }
  std::erase_if(facts, [](const auto& fact) {
    const std::set<std::string> values(fact.second.begin(), fact.second.end());
    return values.size() < 2 || fact.first == judge::kHost || fact.first == judge::kSeed;
  });
  return facts;
}

Section showing_section(const FarmView& view, const judge::FarmChange& change) {
  Section section{"machines", "On which machines, and why there"};
  section.add(Paragraph{fmt::format("{} {}.", size_text(change), where_text(change))});
  std::vector<std::string> machines = change.machines;
  machines.insert(machines.end(), change.others.begin(), change.others.end());
  // Those that cannot tell: a reader would miss them.
  std::vector<std::string> silent;
  for (const judge::FarmMachine& one : view.farm.machines)
    if (std::ranges::find(machines, one.id) == machines.end()) silent.push_back(one.id);
  machines.insert(machines.end(), silent.begin(), silent.end());
  const auto facts = different_facts(view, machines, change.started);
  Table table{"alarm-machines",
              "Machines that show it, those that do not although they measured long enough before and after, and those "
              "that cannot tell. Facts that all share are left out",
              {{"Shows it", kVerdict}, {"Machine", kName}, {"Class", kText}}};
  for (const auto& [name, values] : facts) table.columns.push_back({shown_name(name), kText, table.columns.size() > 5});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const judge::FarmMachine* const machine = machine_of(view, machines[i]);
    const TableCell shows = i < change.machines.size() ? TableCell("yes", Emphasis::kBad)
                            : i < change.machines.size() + change.others.size()
                                ? TableCell("no", Emphasis::kGood)
                                : TableCell("cannot tell", Emphasis::kOpen);
    std::vector<TableCell> row{shows, machine_cell(machines[i]),
                               machine == nullptr ? "" : shown_name(machine->class_name)};
    for (const auto& [name, values] : facts) row.emplace_back(shown_name(values[i]));
    table.rows.push_back(std::move(row));
  }
  section.add(std::move(table));
  return section;
}

Section benchmarks_section(const FarmView& view, const judge::FarmChange& change) {
  constexpr std::size_t kMostBenchmarks = 100, kMostSeries = 300;
  Section section{"benchmarks", "Which benchmarks, and what it was before"};
  const std::vector<SeriesChange> all = series_changes(view, change);
  Table summary{"alarm-benchmarks",
                fmt::format("Each benchmark over the machines that show it{}. Before and after: on the first of them",
                            change.benchmarks.size() > kMostBenchmarks
                                ? fmt::format(", the first {} of {}", kMostBenchmarks, change.benchmarks.size())
                                : ""),
                {{"Benchmark", kBenchmark},
                 {"Change", kNumber},
                 {"Range over machines", kNumber},
                 {"Machines", kNumber},
                 {"Before", kNumber},
                 {"After", kNumber},
                 {"Before the night of", kName},
                 {"On", kName}}};
  Table table{"alarm-series",
              fmt::format("Every series that shows it{}: medians of the levels before and after",
                          all.size() > kMostSeries ? fmt::format(", the first {} of {}", kMostSeries, all.size()) : ""),
              {{"Benchmark", kBenchmark},
               {"Machine", kName},
               {"Change", kNumber},
               {"95 % interval", kNumber, true},
               {"Before", kNumber},
               {"After", kNumber},
               {"Since", kName},
               {"Commits", kName}}};
  for (auto first = all.begin(); first != all.end();) {
    const auto end = std::find_if(first, all.end(), [&](const SeriesChange& one) {
      return one.series->key.benchmark != first->series->key.benchmark;
    });
    std::vector<double> ratios;
    for (auto one = first; one != end; ++one) {
      const judge::LevelChange& level = *one->change;
      ratios.push_back(level.ratio);
      if (table.rows.size() < kMostSeries)
        table.rows.push_back(
            {benchmark_cell(one->series->key), machine_cell(one->series->key.machine), change_text(level.ratio),
             level.interval ? range(change_text(level.interval->low), change_text(level.interval->high)) : "",
             value_text(*one->series, level.before), value_text(*one->series, level.after), level.started.substr(0, 10),
             commits_cell(level.commits)});
    }
    if (summary.rows.size() < kMostBenchmarks)
      summary.rows.push_back(
          {benchmark_cell(first->series->key), change_text(stats::median(ratios)),
           ratios.size() > 1 ? range(change_text(std::ranges::min(ratios)), change_text(std::ranges::max(ratios))) : "",
           whole(ratios.size()), value_text(*first->series, first->change->before),
           value_text(*first->series, first->change->after), first->change->started.substr(0, 10),
           machine_cell(first->series->key.machine)});
    first = end;
  }
  section.add(std::move(summary));
  Section each{"each-series", "In each series"};
  each.folded = true;
  each.add(std::move(table));
  add(section.sections, std::move(each));
  return section;
}

Section commits_section(const FarmView& view, const results::CommitRange& range) {
  constexpr std::size_t kMost = 20;
  Section section{"commits", "Which commits"};
  if (!range.to) return section;
  Paragraph commits{fmt::format("It came after {} and is there in {}.", short_name(range.from), short_name(range.to))};
  const auto after = range.from ? std::ranges::find(view.commits, *range.from) : view.commits.end();
  const auto until = std::ranges::find(view.commits, *range.to);
  if (after != view.commits.end() && until != view.commits.end() && after < until) {
    const auto count = static_cast<std::size_t>(until - after);
    commits.text = fmt::format("It came with {}, the latest first{}:", counted(count, "commit"),
                               count > kMost ? fmt::format(" ({} of them)", kMost) : "");
    for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
      const std::string& sha = *(until - static_cast<std::ptrdiff_t>(i));
      commits.links.push_back({short_name(sha), commit_address(sha)});
    }
  } else {
    commits.links.push_back({short_name(range.to), commit_address(*range.to)});
  }
  section.add(std::move(commits));
  return section;
}

Section said_section(const FarmView& view, const results::FarmAlarm& alarm) {
  Section section{"said", "What was said"};
  Table table{"said",
              "What happened to this alarm, the latest first",
              {{"When", kName}, {"Who", kText}, {"What", kShort}, {"Note", kText}}};
  for (auto one = view.said.rbegin(); one != view.said.rend(); ++one) {
    if (one->id != alarm.id) continue;
    TableCell note(shown_name(one->note));
    if (one->step == results::AlarmStep::kExplained) note.link = commit_address(one->note);
    if (one->step == results::AlarmStep::kEnded) note.text = "better again with " + commits_text(one->commits);
    std::string when = one->at.substr(0, 16);
    std::ranges::replace(when, 'T', ' ');
    table.rows.push_back(
        {when, shown_name(one->who), std::string(results::kAlarmSteps[static_cast<std::size_t>(one->step)]), note});
  }
  section.add(std::move(table));
  section.add(Paragraph{"To say what is known of it:"});
  // Its id may be any text that somebody wrote into the file.
  section.add(Preformatted{fmt::format(
      "python3 make.py farm ack {0} \"known\" --results DIR\npython3 make.py farm explain {0} COMMIT --results DIR",
      shown_name(alarm.id))});
  return section;
}

}  // namespace

Document alarm_page(const FarmView& view, const results::FarmAlarm& alarm,
                    std::span<const judge::SeriesHistory> histories) {
  const judge::FarmChange* const change = change_of(view, alarm.id);
  const std::string state(results::kAlarmSteps[static_cast<std::size_t>(alarm.state)]);
  Document document = live_document(fmt::format("Alarm {}", shown_name(alarm.id)), "");
  std::vector<Section>& sections = document.pages.front().sections;
  if (change == nullptr) {
    document.lead = fmt::format("{}: {} no longer shows it; {}.", capitalized(state),
                                first_names(shown_names(alarm.benchmarks)), commits_text(alarm.commits));
    Section benchmarks{"benchmarks", "Which benchmarks"};
    Table table{"alarm-series",
                "Where it was raised, as these series are now",
                {{"Benchmark", kBenchmark}, {"Machine", kName}, {"Last change", kText}}};
    for (const std::string& name : alarm.benchmarks)
      for (const judge::FarmSeries& one : view.series)
        if (one.key.benchmark == name)
          table.rows.push_back({benchmark_cell(one.key), machine_cell(one.key.machine),
                                one.findings.changes.empty()
                                    ? ""
                                    : fmt::format("{} on {}", change_text(one.findings.changes.back().ratio),
                                                  one.findings.changes.back().started.substr(0, 10))});
    benchmarks.add(std::move(table));
    add(sections, std::move(benchmarks));
  } else {
    document.lead = fmt::format("{} since {}: {} {} {}; {}.", alarm.is_open() ? "Waits" : capitalized(state),
                                change->started.substr(0, 10), counted(change->benchmarks.size(), "benchmark"),
                                size_text(*change), where_text(*change), commits_text(change->commits));
    if (const std::vector<SeriesChange> all = series_changes(view, *change); !all.empty())
      document.lead +=
          fmt::format(" Before, {} took {}.", shown_name(all.front().series->key.benchmark), before_text(all.front()));
    add(sections, benchmarks_section(view, *change));
    add(sections, showing_section(view, *change));
  }
  add(sections, commits_section(view, change != nullptr ? change->commits : alarm.commits));
  Section charts{"levels", histories.empty() ? "" : "How it looks"};
  Charts drawn;
  for (const judge::SeriesHistory& one : histories)
    if (!one.points.empty()) drawn.charts.push_back(history_chart(one, {.with_machine = true}));
  charts.add(std::move(drawn));
  add(sections, std::move(charts));
  add(sections, said_section(view, alarm));
  return document;
}

}  // namespace lab::report
