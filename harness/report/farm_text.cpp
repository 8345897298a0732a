#include "harness/report/farm_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/fit.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"
#include "harness/report/json_text.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// Changes shown of each kind; --json lists all.
constexpr std::size_t kMostShown = 20;
/// A machine that changed by itself shows it in so many benchmarks.
constexpr std::size_t kFewestOwn = 3;
/// Names shown in one list.
constexpr std::size_t kMostNames = 5;

std::string names_text(std::vector<std::string> names) {
  if (names.size() <= kMostNames) return enumerated(names);
  const std::size_t others = names.size() - (kMostNames - 1);
  names.resize(kMostNames - 1);
  names.push_back(fmt::format("{} others", others));
  return enumerated(names);
}

std::string verdict_of(const judge::FarmChange& change) {
  judge::LevelChange one;
  one.cause = change.cause;
  one.ratio = change.regressed ? 2 : 0.5;
  return verdict_text(one);
}

std::string line_of(const judge::FarmChange& change, std::size_t width) {
  std::string text =
      fmt::format("  {} {} {}: {} {}; {}", change.started.substr(0, 10), verdict_of(change), size_text(change),
                  counted(change.benchmarks.size(), "benchmark"), where_text(change), commits_text(change.commits));
  for (const std::string& what : change.changed) text += "; " + what;
  text = wrapped_after(text, width, 4) + "\n";
  if (change.is_confirmed) text += wrapped_after("    " + names_text(change.benchmarks), width, 4) + "\n";
  return text;
}

void add_changes(const std::vector<const judge::FarmChange*>& changes, std::string_view heading, std::size_t width,
                 std::string& text) {
  if (changes.empty()) return;
  text += fmt::format("{}:\n", heading);
  for (std::size_t i = 0; i < std::min(kMostShown, changes.size()); ++i) text += line_of(*changes[i], width);
  if (changes.size() > kMostShown)
    text += fmt::format("  and {} earlier; --json lists all\n", counted(changes.size() - kMostShown, "change"));
}

/// What the keeper should know of a machine; none if all is well.
std::vector<std::string> notes_of(const judge::FarmMachine& machine) {
  std::vector<std::string> notes;
  if (machine.silent_days > 0)
    notes.push_back(fmt::format("silent for {}{}", counted(machine.silent_days, "day"),
                                machine.last.empty() ? "" : ": no session since " + machine.last.substr(0, 10)) +
                    (machine.measures_as.empty() ? "" : "; its host measures under the name " + machine.measures_as));
  if (!machine.hosts.empty())
    notes.push_back(
        fmt::format("{} hosts took turns under this name, {}: none of its changes counts; give each its own "
                    "with LAB_MACHINE",
                    machine.hosts.size(), names_text(machine.hosts)));
  if (machine.wrong_clocks > 0)
    notes.push_back(fmt::format("its clock was wrong in {}, which {} in no series",
                                counted(machine.wrong_clocks, "session"), machine.wrong_clocks == 1 ? "is" : "are"));
  if (!machine.may_be.empty())
    notes.push_back(
        fmt::format("may be {} under another name; machines.json can say so: {{\"{}\": {{\"was\": [\"{}\"]}}}}",
                    machine.may_be, machine.id, machine.may_be));
  return notes;
}

}  // namespace

std::string size_text(const judge::FarmChange& change) {
  const auto percent = [](double ratio) { return fmt::format("{:+.1f}", 100 * (ratio - 1)); };
  std::string text = percent(change.ratio) + " %";
  if (percent(change.low) != percent(change.high))
    text += fmt::format(" ({} to {} %)", percent(change.low), percent(change.high));
  return text;
}

std::string where_text(const judge::FarmChange& change) {
  const std::size_t with = change.machines.size(), all = with + change.others.size();
  if (change.others.empty())
    return with == 1 ? "on " + change.machines.front() : fmt::format("on all {} machines", with);
  if (with == 1 && change.others_of_class > 0)
    return fmt::format("only on {}, not on {} of its class: the machine", change.machines.front(),
                       counted(change.others_of_class, "other"));
  if (with == 1) return fmt::format("only on {}, not on {}", change.machines.front(), counted(all - 1, "other"));
  if (change.reason.empty()) return fmt::format("on {} of {} machines, {}", with, all, names_text(change.machines));
  return fmt::format("on {} of {} machines with {}, on 0 of {} without", with, change.with_reason, change.reason,
                     all - change.with_reason);
}

std::string to_text(const judge::Farm& farm, std::size_t width) {
  std::set<std::string> classes;
  std::string first, last;
  std::size_t sessions = 0;
  for (const judge::FarmMachine& machine : farm.machines) {
    classes.insert(machine.class_name);
    sessions += machine.sessions;
    if (!machine.first.empty()) first = first.empty() ? machine.first : std::min(first, machine.first);
    last = std::max(last, machine.last);
  }
  std::string text =
      wrapped_after(fmt::format("farm: {} of {}, {}, {}, {} to {}", counted(farm.machines.size(), "machine"),
                                counted(classes.size(), "class", "classes"), counted(farm.benchmarks, "benchmark"),
                                counted(sessions, "session"), first.substr(0, 10), last.substr(0, 10)),
                    width, 2) +
      "\n";
  if (!farm.silent_since.empty())
    text += wrapped_after(fmt::format("  no machine has delivered since {}; silence below is compared with that day",
                                      farm.silent_since.substr(0, 10)),
                          width, 2) +
            "\n";
  std::vector<const judge::FarmChange*> code, machines, alone;
  for (const judge::FarmChange& change : farm.changes) {
    const bool is_code = change.cause == judge::kCodeCause || change.cause == judge::kEitherCause;
    const bool has_fact = !is_code && change.cause != judge::kMachineCause;
    const bool is_own = has_fact || (change.is_sure && change.benchmarks.size() >= kFewestOwn);
    (is_code && change.is_confirmed ? code : is_own ? machines : alone).push_back(&change);
  }
  add_changes(code, "changes of the code", width, text);
  add_changes(machines, "changes of machines", width, text);
  std::string notes;
  for (const judge::FarmMachine& machine : farm.machines)
    for (const std::string& note : notes_of(machine))
      notes += wrapped_after(fmt::format("  {}: {}", machine.id, note), width, 4) + "\n";
  if (!notes.empty()) text += "machines:\n" + notes;
  if (!alone.empty())
    text += wrapped_after(fmt::format("not confirmed: {} on one machine each, which no other shows; --json lists them",
                                      counted(alone.size(), "change")),
                          width, 2) +
            "\n";
  if (code.empty()) text += "no change of the code that two machines share\n";
  return text;
}

std::string check_text(const CheckView& check, std::size_t width) {
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped_after(line, width, 4) + "\n"; };
  const auto has = [](const std::vector<std::string>& ids, const std::string& id) {
    return std::ranges::find(ids, id) != ids.end();
  };
  for (const results::FarmAlarm& alarm : check.alarms) {
    if (has(check.fixed, alarm.id)) add(fmt::format("fixed {}: {}", alarm.id, names_text(alarm.benchmarks)));
    if (!alarm.is_open()) continue;
    add(fmt::format("{} {}: {}; {}", has(check.raised, alarm.id) ? "new alarm" : "alarm", alarm.id,
                    names_text(alarm.benchmarks), commits_text(alarm.commits)));
    for (const judge::FarmChange& change : check.farm.changes)
      if (change.alarm == alarm.id) text += line_of(change, width);
  }
  std::vector<std::string> silent;
  for (const judge::FarmMachine& machine : check.farm.machines)
    if (machine.silent_days > 0)
      silent.push_back(fmt::format("{} ({})", machine.id, counted(machine.silent_days, "day")));
  if (!check.farm.silent_since.empty())
    add(fmt::format("the farm is silent: no machine has delivered since {}", check.farm.silent_since.substr(0, 10)));
  if (!silent.empty()) add(fmt::format("silent: {}", enumerated(silent)));
  if (text.empty())
    add(fmt::format("farm: fine: {}, no alarm that waits, nobody silent",
                    counted(check.farm.machines.size(), "machine")));
  return text;
}

std::string to_json(const judge::Farm& farm, std::span<const results::FarmAlarm> alarms) {
  json::array machines, changes;
  for (const judge::FarmMachine& one : farm.machines)
    machines.push_back(json::object{{"machine", one.id},
                                    {"class", one.class_name},
                                    {"first", text_or_null(one.first)},
                                    {"last", text_or_null(one.last)},
                                    {"sessions", one.sessions},
                                    {"series", one.series},
                                    {"wrong_clocks", one.wrong_clocks},
                                    {"hosts", json::value_from(one.hosts)},
                                    {"was", json::value_from(one.was)},
                                    {"may_be", text_or_null(one.may_be)},
                                    {"measures_as", text_or_null(one.measures_as)},
                                    {"retired", one.retired},
                                    {"silent_days", one.silent_days}});
  for (const judge::FarmChange& one : farm.changes)
    changes.push_back(json::object{{"started", one.started},
                                   {"regressed", one.regressed},
                                   {"cause", one.cause},
                                   {"changed", json::value_from(one.changed)},
                                   {"from", json::value_from(one.commits.from)},
                                   {"to", json::value_from(one.commits.to)},
                                   {"ratio", one.ratio},
                                   {"low", one.low},
                                   {"high", one.high},
                                   {"confidence", one.confidence},
                                   {"sure", one.is_sure},
                                   {"confirmed", one.is_confirmed},
                                   {"alarm", one.is_alarm()},
                                   {"alarm_id", text_or_null(one.alarm)},
                                   {"reason", text_or_null(one.reason)},
                                   {"benchmarks", json::value_from(one.benchmarks)},
                                   {"machines", json::value_from(one.machines)},
                                   {"others", json::value_from(one.others)}});
  json::array said;
  for (const results::FarmAlarm& one : alarms)
    said.push_back(json::object{{"id", one.id},
                                {"raised", one.raised},
                                {"state", results::kAlarmSteps[static_cast<std::size_t>(one.state)]},
                                {"at", one.at},
                                {"who", one.who},
                                {"note", text_or_null(one.note)},
                                {"from", json::value_from(one.commits.from)},
                                {"to", json::value_from(one.commits.to)},
                                {"benchmarks", json::value_from(one.benchmarks)}});
  json::object object{{"benchmarks", farm.benchmarks},
                      {"silent_since", text_or_null(farm.silent_since)},
                      {"machines", std::move(machines)},
                      {"changes", std::move(changes)}};
  if (!alarms.empty()) object["alarms"] = std::move(said);
  return json::serialize(object) + "\n";
}

}  // namespace lab::report
