#include "harness/report/notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/hash.h"
#include "harness/base/json_fields.h"
#include "harness/base/percent.h"
#include "harness/base/printable.h"
#include "harness/report/farm_text.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"
#include "harness/report/json_text.h"
#include "harness/report/night_text.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

using results::NoticeKind;

/// "a/b/c and 11 other benchmarks"
std::string benchmarks_text(const std::vector<std::string>& names) {
  if (names.empty()) return "no benchmark";
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", names.front(), counted(names.size() - 1, "other benchmark"));
}

/// A name as part of told.jsonl, whose reader makes its strings printable.
std::string item(std::string text) {
  return printable(std::move(text));
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return printable(std::move(text));
}

const judge::FarmMachine* machine_of(const judge::Farm& farm, const std::string& id) {
  const auto found = std::ranges::find(farm.machines, id, &judge::FarmMachine::id);
  return found == farm.machines.end() ? nullptr : &*found;
}

void add_machines(const judge::Farm& farm, const std::vector<std::string>& machines, Notice& notice) {
  notice.machines = machines;
  std::set<std::string> classes, hardware;
  for (const std::string& id : machines)
    if (const judge::FarmMachine* const machine = machine_of(farm, id)) {
      classes.insert(machine->class_name);
      hardware.insert(machine->hardware);
    }
  notice.classes.assign(classes.begin(), classes.end());
  notice.hardware.assign(hardware.begin(), hardware.end());
}

void add_change(const judge::Farm& farm, const judge::FarmChange& change, Notice& notice) {
  notice.when = change.started;
  notice.change = NoticeChange{change.ratio, change.low, change.high, size_text(change)};
  notice.benchmarks = change.benchmarks;
  add_machines(farm, change.machines, notice);
  notice.others = change.others;
  notice.reason = change.reason;
  notice.commits = change.commits;
  notice.commit_count = change.commit_count;
}

std::string_view state_of(const results::FarmAlarm& alarm) {
  return results::kAlarmSteps[static_cast<std::size_t>(alarm.state)];
}

/// Since when, as told.jsonl has it: a machine of which no session has a right clock has a number of sessions instead.
std::string since_of(const judge::FarmMachine& machine) {
  return machine.last.empty() ? counted(machine.sessions, "session") : machine.last;
}

std::string day_of(const std::string& when) {
  return when.substr(0, 10);
}

/// What both kinds have in common.
Notice night_notice(NoticeKind kind, const NightWords& words) {
  Notice notice;
  notice.kind = kind;
  const results::Alarm& first = words.alarms.front();
  notice.id = notice.machine = first.machine;
  notice.commits = first.commits;
  notice.commit_count = words.commit_count;
  notice.machines = {first.machine};
  notice.classes = notice.hardware = {words.hardware};
  std::vector<double> ratios;
  judge::FarmChange change;
  change.low = first.low.value_or(first.ratio);
  change.high = first.high.value_or(first.ratio);
  for (const results::Alarm& alarm : words.alarms) {
    notice.items.push_back(item_of(alarm));
    notice.benchmarks.push_back(alarm.benchmark);
    ratios.push_back(alarm.ratio);
    change.low = std::min(change.low, alarm.low.value_or(alarm.ratio));
    change.high = std::max(change.high, alarm.high.value_or(alarm.ratio));
  }
  change.ratio = stats::median(ratios);
  notice.change = NoticeChange{change.ratio, change.low, change.high, size_text(change)};
  std::ranges::sort(notice.items);
  std::ranges::sort(notice.benchmarks);
  return notice;
}

}  // namespace

std::string key_of(const Notice& notice) {
  const std::string_view kind = results::kNoticeKinds[static_cast<std::size_t>(notice.kind)];
  if (notice.items.size() == 1) return fmt::format("{}:{}", kind, notice.items.front());
  std::string all;
  for (const std::string& one : notice.items) all += one + "\n";
  return fmt::format("{}:{} and {} others {}", kind, notice.items.empty() ? "" : notice.items.front(),
                     notice.items.size() - 1, content_name(all).substr(0, 12));
}

std::string to_json(const Notice& notice) {
  namespace json = boost::json;
  json::value change = nullptr;
  if (notice.change)
    change = json::object{{"ratio", notice.change->ratio},
                          {"low", notice.change->low},
                          {"high", notice.change->high},
                          {"text", notice.change->text}};
  json::value commits = nullptr;
  if (notice.commits.from || notice.commits.to)
    commits =
        json::object{{"from", json::value_from(notice.commits.from)},
                     {"to", json::value_from(notice.commits.to)},
                     {"count", notice.commit_count == 0 ? json::value(nullptr) : json::value(notice.commit_count)}};
  json::value object = json::object{{"kind", results::kNoticeKinds[static_cast<std::size_t>(notice.kind)]},
                                    {"key", key_of(notice)},
                                    {"id", notice.id},
                                    {"when", notice.when},
                                    {"title", one_line(notice.title)},
                                    {"state", notice.state},
                                    {"change", std::move(change)},
                                    {"benchmarks", json::value_from(notice.benchmarks)},
                                    {"machines", json::value_from(notice.machines)},
                                    {"classes", json::value_from(notice.classes)},
                                    {"hardware", json::value_from(notice.hardware)},
                                    {"reason", text_or_null(notice.reason)},
                                    {"others", json::value_from(notice.others)},
                                    {"commits", std::move(commits)},
                                    {"address", text_or_null(notice.address)}};
  make_printable(object);
  return json::serialize(object) + "\n";
}

std::string item_of(const results::FarmAlarm& alarm) {
  return item(fmt::format("{} raised {}", alarm.id, alarm.raised));
}

std::string silence_of(const std::string& name, const judge::FarmMachine& machine) {
  return item(fmt::format("{} since {}", name, since_of(machine)));
}

std::string silence_of(const judge::Farm& farm) {
  return item(fmt::format("the farm since {}", farm.silent_since));
}

Notice alarm_notice(const judge::Farm& farm, const results::FarmAlarm& alarm) {
  Notice notice;
  notice.kind = NoticeKind::kAlarm;
  notice.items = {item_of(alarm)};
  notice.id = alarm.id;
  notice.state = state_of(alarm);
  notice.when = alarm.raised;
  notice.benchmarks = alarm.benchmarks;
  notice.commits = alarm.commits;
  const auto found = std::ranges::find(farm.changes, alarm.id, &judge::FarmChange::alarm);
  std::string how;
  if (found != farm.changes.end()) {
    add_change(farm, *found, notice);
    how = fmt::format(" by {} {}", size_text(*found), where_text(*found));
  }
  notice.title =
      fmt::format("{} regressed{}; {}", benchmarks_text(notice.benchmarks), how, commits_text(notice.commits));
  return notice;
}

Notice recovery_notice(const judge::Farm& farm, const results::FarmAlarm& alarm) {
  Notice notice;
  notice.kind = NoticeKind::kRecovery;
  notice.items = {item_of(alarm)};
  notice.id = alarm.id;
  notice.state = state_of(alarm);
  notice.when = alarm.at;
  // The improvement may have other benchmarks, too, and the latest one ended the alarm.
  const auto found = std::ranges::find_if(farm.changes, [&](const judge::FarmChange& change) {
    return !change.regressed && change.is_confirmed && change.started > day_of(alarm.id) &&
           std::ranges::any_of(change.benchmarks, [&](const std::string& name) {
             return std::ranges::find(alarm.benchmarks, name) != alarm.benchmarks.end();
           });
  });
  std::string how;
  if (found != farm.changes.end()) {
    add_change(farm, *found, notice);
    how = fmt::format(" by {} {}", size_text(*found), where_text(*found));
  }
  notice.benchmarks = alarm.benchmarks;
  notice.commits = alarm.fixed_by;
  if (found == farm.changes.end() || found->commits.to != alarm.fixed_by.to) notice.commit_count = 0;
  notice.title = fmt::format("alarm {} is fixed: {} improved{}; {}", alarm.id, benchmarks_text(alarm.benchmarks), how,
                             commits_text(notice.commits));
  return notice;
}

Notice silence_notice(const judge::Farm& farm, const judge::FarmMachine* machine) {
  Notice notice;
  notice.kind = NoticeKind::kSilence;
  notice.state = "silent";
  if (machine == nullptr) {
    notice.items = {silence_of(farm)};
    notice.id = "farm";
    notice.when = farm.silent_since;
    std::vector<std::string> all;
    for (const judge::FarmMachine& one : farm.machines)
      if (!one.retired) all.push_back(one.id);
    add_machines(farm, all, notice);
    notice.title = fmt::format("the farm is silent: none of {} has delivered since {}", counted(all.size(), "machine"),
                               day_of(farm.silent_since));
    return notice;
  }
  notice.items = {silence_of(machine->id, *machine)};
  notice.machine = notice.id = machine->id;
  notice.when = machine->last;
  add_machines(farm, {machine->id}, notice);
  notice.title = fmt::format("{} is silent for {}", machine->id, counted(machine->silent_days, "day"));
  if (!machine->last.empty()) notice.title += ": no session since " + day_of(machine->last);
  if (!machine->measures_as.empty()) notice.title += "; its host measures under the name " + machine->measures_as;
  return notice;
}

Notice return_notice(const judge::Farm& farm, const judge::FarmMachine* machine, const results::ToldRecord& silence) {
  Notice notice;
  notice.kind = NoticeKind::kReturn;
  notice.state = "measures";
  notice.items = silence.items;
  notice.machine = silence.machine;
  if (machine == nullptr) {
    notice.id = "farm";
    std::vector<std::string> all;
    for (const judge::FarmMachine& one : farm.machines) {
      if (one.retired || one.silent_days > 0) continue;
      all.push_back(one.id);
      notice.when = std::max(notice.when, one.last);
    }
    add_machines(farm, all, notice);
    notice.title = fmt::format("the farm measures again, since {}", day_of(notice.when));
    return notice;
  }
  notice.id = machine->id;
  notice.when = machine->last;
  add_machines(farm, {machine->id}, notice);
  notice.title = fmt::format("{} measures again: its last session is of {}", machine->id, day_of(machine->last));
  return notice;
}

std::string item_of(const results::Alarm& alarm) {
  return item(
      fmt::format("{} version {} since {} on {}", alarm.benchmark, alarm.version, alarm.session, alarm.machine));
}

Notice alarm_notice(const NightWords& words) {
  Notice notice = night_notice(NoticeKind::kAlarm, words);
  const results::Alarm& first = words.alarms.front();
  notice.state = "raised";
  notice.when = words.when;
  notice.reason = first.doubt.value_or("");
  notice.title = fmt::format("{} regressed by {} on {}; {}, {}", benchmarks_text(notice.benchmarks),
                             notice.change->text, first.machine, commits_text(first.commits), bisect_text(first));
  return notice;
}

Notice recovery_notice(const NightWords& words) {
  Notice notice = night_notice(NoticeKind::kRecovery, words);
  const results::Alarm& first = words.alarms.front();
  notice.when = first.ended.value_or(words.when);
  notice.state = first.withdrawn ? "withdrawn" : "fixed";
  notice.reason = first.withdrawn.value_or("");
  notice.title = first.withdrawn
                     ? fmt::format("the alarm of {} on {} is withdrawn, it was the machine: {}",
                                   benchmarks_text(notice.benchmarks), first.machine, *first.withdrawn)
                     : fmt::format("{} {} back to normal on {} since {}", benchmarks_text(notice.benchmarks),
                                   notice.benchmarks.size() == 1 ? "is" : "are", first.machine, day_of(notice.when));
  return notice;
}

std::string page_address(std::string_view server, const Notice& notice) {
  while (server.ends_with('/')) server.remove_suffix(1);
  if (!notice.machine.empty()) return fmt::format("{}/machine?id={}", server, percent_encoded(notice.machine));
  const bool is_alarm = notice.kind == NoticeKind::kAlarm || notice.kind == NoticeKind::kRecovery;
  return is_alarm ? fmt::format("{}/alarm?id={}", server, percent_encoded(notice.id)) : fmt::format("{}/", server);
}

}  // namespace lab::report
