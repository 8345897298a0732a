#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "harness/base/fit.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_parts.h"
#include "harness/report/farm_text.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"

namespace lab::report {

namespace {

constexpr std::size_t kMostDoubts = 40, kMostOther = 20, kFewNames = 3;

bool is_fine(const judge::FarmMachine& machine) {
  return machine.silent_days == 0 && !machine.retired && machine_notes(machine).empty();
}

/// "1 silent (farm-11, 31 days)"
std::string silent_text(const std::vector<const judge::FarmMachine*>& silent) {
  std::vector<std::string> names;
  for (const judge::FarmMachine* const one : silent)
    names.push_back(fmt::format("{}, {}", shown_name(one->id), counted(one->silent_days, "day")));
  const std::size_t others = names.size() > kFewNames ? names.size() - kFewNames : 0;
  if (others > 0) names.resize(kFewNames);
  return fmt::format("{} silent ({}{})", silent.size(), fmt::join(names, "; "),
                     others > 0 ? fmt::format("; {} others", others) : "");
}

std::string machines_sentence(const FarmView& view) {
  const std::vector<judge::FarmMachine>& machines = view.farm.machines;
  std::vector<const judge::FarmMachine*> silent;
  std::size_t fine = 0, retired = 0;
  for (const judge::FarmMachine& one : machines) {
    fine += is_fine(one);
    retired += one.retired;
    if (one.silent_days > 0) silent.push_back(&one);
  }
  std::vector<std::string> parts;
  if (fine > 0) parts.push_back(machines.size() == 1 ? "fine" : fmt::format("{} fine", fine));
  if (!silent.empty()) parts.push_back(silent_text(silent));
  if (const std::size_t rest = machines.size() - fine - silent.size() - retired; rest > 0)
    parts.push_back(fmt::format("{} with a remark", rest));
  if (retired > 0) parts.push_back(fmt::format("{} retired", retired));
  const std::size_t doubts = recent_doubts(view, kRecentNights).size();
  parts.push_back(fmt::format("{} in the last {}",
                              doubts == 0 ? "no doubtful night" : counted(doubts, "doubtful night"), kRecentNights));
  const std::string silence = view.farm.silent_since.empty() ? ""
                                                             : fmt::format("The whole farm is silent since {}. ",
                                                                           view.farm.silent_since.substr(0, 10));
  return fmt::format("{}{}: {}.", silence, counted(machines.size(), "machine"), fmt::join(parts, ", "));
}

std::string alarms_sentence(const FarmView& view) {
  const auto open = static_cast<std::size_t>(std::ranges::count_if(view.alarms, &results::FarmAlarm::is_open));
  const auto unraised = static_cast<std::size_t>(std::ranges::count_if(
      view.farm.changes, [](const judge::FarmChange& one) { return one.is_alarm() && one.alarm.empty(); }));
  const auto known = static_cast<std::size_t>(
      std::ranges::count(view.alarms, results::AlarmStep::kAcknowledged, &results::FarmAlarm::state));
  std::string text;
  if (unraised > 0)
    text = unraised == 1 ? "1 regression is new: no check has raised it yet. "
                         : fmt::format("{} are new: no check has raised them yet. ", counted(unraised, "regression"));
  if (open > 0 || unraised == 0)
    text += open == 0 ? "No alarm waits" : open == 1 ? "1 alarm waits" : fmt::format("{} wait", counted(open, "alarm"));
  if (known > 0)
    text += fmt::format("{}{} acknowledged", text.ends_with(' ') ? "" : ", ",
                        known == 1 ? "1 is" : fmt::format("{} are", known));
  return text.ends_with(' ') ? text.substr(0, text.size() - 1) : text + ".";
}

TableCell state_cell(const results::FarmAlarm& alarm) {
  switch (alarm.state) {
    case results::AlarmStep::kRaised:
      return {"waits", Emphasis::kBad};
    case results::AlarmStep::kAcknowledged:
      return {"acknowledged", Emphasis::kWeak};
    case results::AlarmStep::kExplained:
      return {"explained", Emphasis::kOpen};
    case results::AlarmStep::kEnded:
      return {"fixed", Emphasis::kGood};
  }
  return {};
}

/// The first three and how many others.
std::string few_names(const std::vector<std::string>& names) {
  return first_names(shown_names(names), kFewNames);
}

/// What a row of the table of alarms says beside its state: of what the detectors see, or only of what they once saw.
std::vector<TableCell> row_of(const FarmView& view, TableCell state, TableCell since, const judge::FarmChange* change,
                              const results::FarmAlarm* alarm) {
  const std::vector<std::string>& benchmarks = change != nullptr ? change->benchmarks : alarm->benchmarks;
  std::string before, said;
  if (change != nullptr)
    if (const std::vector<SeriesChange> all = series_changes(view, *change); !all.empty())
      before = fmt::format("{}: {}", shown_name(all.front().series->key.benchmark), before_text(all.front()));
  if (alarm != nullptr && alarm->who != "detector" && !alarm->who.empty())
    said = fmt::format("{}: {} ({})", shown_name(alarm->who), shown_name(alarm->note), alarm->at.substr(0, 10));
  else if (alarm != nullptr)
    said = shown_name(alarm->note);
  return {std::move(state),
          std::move(since),
          change != nullptr ? size_text(*change) : "no longer seen",
          few_names(benchmarks),
          change != nullptr ? where_text(*change) : "",
          commits_cell(change != nullptr ? change->commits : alarm->commits),
          std::move(before),
          std::move(said)};
}

Table alarms_table(std::string name, std::string caption) {
  return {std::move(name),
          std::move(caption),
          {{"State", kVerdict},
           {"Since", kName},
           {"Change", kNumber},
           {"Benchmarks", kText},
           {"Where, and why there", kText},
           {"Commits", kName},
           {"Before", kText, true},
           {"What was said", kText}}};
}

void add_alarm(const FarmView& view, const results::FarmAlarm& alarm, Table& table) {
  const judge::FarmChange* const change = change_of(view, alarm.id);
  TableCell since(change != nullptr ? change->started.substr(0, 10) : alarm.raised.substr(0, 10));
  since.link = alarm_address(alarm.id);
  table.rows.push_back(row_of(view, state_cell(alarm), std::move(since), change, &alarm));
  table.benchmarks.push_back(alarm.benchmarks);
}

Section broken_section(const FarmView& view) {
  Section section{"broken", "What broke"};
  Table waiting = alarms_table("alarms", "Regressions of the code that somebody should look at, those that wait first");
  Table over = alarms_table("alarms-over", "Alarms that are explained or fixed, the latest first");
  for (const results::AlarmStep step : {results::AlarmStep::kRaised, results::AlarmStep::kAcknowledged}) {
    for (auto alarm = view.alarms.rbegin(); alarm != view.alarms.rend(); ++alarm)
      if (alarm->state == step) add_alarm(view, *alarm, waiting);
    if (step != results::AlarmStep::kRaised) continue;
    for (const judge::FarmChange& change : view.farm.changes) {
      if (!change.is_alarm() || !change.alarm.empty()) continue;
      TableCell since(change.started.substr(0, 10));
      if (change.commits.to) since.link = commit_address(*change.commits.to);
      std::vector<TableCell> row = row_of(view, {"not raised", Emphasis::kBad}, std::move(since), &change, nullptr);
      row.back().text = "python3 make.py farm check --results DIR raises it";
      waiting.rows.push_back(std::move(row));
      waiting.benchmarks.push_back(change.benchmarks);
    }
  }
  for (auto alarm = view.alarms.rbegin(); alarm != view.alarms.rend(); ++alarm)
    if (alarm->state == results::AlarmStep::kExplained || alarm->state == results::AlarmStep::kEnded)
      add_alarm(view, *alarm, over);
  if (waiting.rows.empty())
    section.add(Paragraph{"No change of the code slows anything down that nobody has explained.", Emphasis::kGood});
  section.add(std::move(waiting));
  Section earlier{"broken-over", "Explained and fixed"};
  earlier.folded = true;
  earlier.add(std::move(over));
  add(section.sections, std::move(earlier));
  return section;
}

Section hand_section(const FarmView& view) {
  Section section{"machines", "Machines that need a hand"};
  if (!view.farm.silent_since.empty())
    section.add(
        Paragraph{fmt::format("The whole farm is silent: no machine has delivered since {}. Silence is compared "
                              "with that day.",
                              view.farm.silent_since.substr(0, 10)),
                  Emphasis::kBad});
  Table table{"machines-silent",
              "Silent machines, and those whose sessions cannot count as they are",
              {{"Machine", kName},
               {"Silent", kNumber},
               {"Last session", kName},
               {"Class", kText, true},
               {"What it needs", kText}}};
  std::vector<const judge::FarmMachine*> machines;
  for (const judge::FarmMachine& one : view.farm.machines)
    if (!machine_notes(one).empty()) machines.push_back(&one);
  std::ranges::stable_sort(machines, std::ranges::greater(), &judge::FarmMachine::silent_days);
  for (const judge::FarmMachine* const one : machines)
    table.rows.push_back({machine_cell(one->id), one->silent_days == 0 ? "" : counted(one->silent_days, "day"),
                          one->last.substr(0, 10), shown_name(one->class_name),
                          fmt::format("{}", fmt::join(shown_names(machine_notes(*one)), "; "))});
  section.add(std::move(table));
  return section;
}

Section doubts_section(const FarmView& view) {
  Section section{"doubts", "Doubtful nights"};
  const std::vector<const results::SessionRecord*> doubts = recent_doubts(view, kRecentNights);
  Table table{
      "doubtful",
      fmt::format("Sessions of the last {} days, and those with a wrong clock that came in these days, which are in no "
                  "series{}",
                  kRecentNights,
                  doubts.size() > kMostDoubts ? fmt::format(", the latest {} of {}", kMostDoubts, doubts.size()) : ""),
      {{"Night", kName}, {"Machine", kName}, {"Why", kText}}};
  for (const results::SessionRecord* const one : doubts)
    if (table.rows.size() < kMostDoubts)
      table.rows.push_back({night_cell(*one), machine_cell(one->machine), doubt_of(*one)});
  if (doubts.empty())
    section.add(Paragraph{fmt::format("Every session of the last {} days is in its series.", kRecentNights)});
  section.add(std::move(table));
  return section;
}

/// Improvements, and what machines did by themselves.
Section other_section(const FarmView& view) {
  Section section{"others", "What else changed"};
  section.folded = true;
  const ToldChanges told = told_changes(view.farm);
  Table table{"other-changes",
              fmt::format("Improvements of the code, and changes of machines: the latest {} of each", kMostOther),
              {{"Verdict", kVerdict},
               {"Since", kName},
               {"Change", kNumber},
               {"Benchmarks", kText},
               {"Where", kText},
               {"Commits", kName},
               {"Other changes", kText}}};
  const auto add_all = [&](const std::vector<const judge::FarmChange*>& changes, bool only_better) {
    std::size_t shown = 0;
    for (const judge::FarmChange* const one : changes) {
      if ((only_better && one->regressed) || ++shown > kMostOther) continue;
      table.rows.push_back({{verdict_text(*one), only_better ? Emphasis::kGood : Emphasis::kWeak},
                            one->started.substr(0, 10),
                            size_text(*one),
                            few_names(one->benchmarks),
                            where_text(*one),
                            commits_cell(one->commits),
                            fmt::format("{}", fmt::join(shown_names(one->changed), "; "))});
      table.benchmarks.push_back(one->benchmarks);
    }
  };
  add_all(told.code, true);
  add_all(told.machines, false);
  section.add(std::move(table));
  return section;
}

Section all_machines_section(const FarmView& view) {
  Section section{"all-machines", "All machines"};
  section.folded = true;
  Table table{"all-machines",
              "Every machine of the farm",
              {{"Machine", kName},
               {"State", kShort},
               {"Class", kText},
               {"Last session", kName},
               {"Sessions", kNumber},
               {"Series", kNumber}}};
  for (const judge::FarmMachine& one : view.farm.machines)
    table.rows.push_back({machine_cell(one.id),
                          one.retired           ? "retired"
                          : one.silent_days > 0 ? "silent"
                          : is_fine(one)        ? "fine"
                                                : "with a remark",
                          shown_name(one.class_name), one.last.substr(0, 10), whole(one.sessions), whole(one.series)});
  section.add(std::move(table));
  return section;
}

}  // namespace

Document front_page(const FarmView& view, boost::json::object grid) {
  Document document = live_document("Farm", "");
  std::vector<Section>& sections = document.pages.front().sections;
  if (view.farm.machines.empty()) {
    document.lead = "No results yet.";
    Section first{"first", "The first session"};
    first.add(Paragraph{"This page shows sessions as they arrive. To measure this machine:"});
    first.add(Preformatted{"python3 make.py run"});
    first.add(Paragraph{"To take in what other machines have delivered:"});
    first.add(Preformatted{"python3 make.py farm collect"});
    add(sections, std::move(first));
  } else {
    document.lead = fmt::format("{} {}", alarms_sentence(view), machines_sentence(view));
    add(sections, broken_section(view));
    add(sections, hand_section(view));
    add(sections, doubts_section(view));
    Section all{"series", "Every series"};
    all.add(FarmGrid{"grid", std::move(grid)});
    all.add(Paragraph{"", Emphasis::kPlain, {{"Compare two machines or two commits", compare_address("")}}});
    add(sections, std::move(all));
    add(sections, other_section(view));
    add(sections, all_machines_section(view));
  }
  if (!view.remarks.empty()) {
    Section remarks{"remarks", "What was left out"};
    remarks.folded = true;
    constexpr std::size_t kMost = 100;
    List list{shown_names({view.remarks.begin(),
                           view.remarks.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, view.remarks.size()))})};
    if (view.remarks.size() > kMost) list.items.push_back(fmt::format("and {} more", view.remarks.size() - kMost));
    remarks.add(std::move(list));
    add(sections, std::move(remarks));
  }
  return document;
}

}  // namespace lab::report
