#include "harness/app/notify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/fit.h"
#include "harness/base/printable.h"
#include "harness/base/utc.h"

namespace lab::app {

namespace {

using report::Notice;
using results::NoticeKind;

results::ToldRecord record_of(const Notice& notice) {
  return {utc_now(), notice.kind, report::key_of(notice), printable(notice.machine), notice.items};
}

/// "exit status 7: curl: (7) Failed to connect"
std::string problem_of(const ChildSpec& spec, const ChildOutcome& outcome) {
  std::string said = outcome.error_tail.substr(0, outcome.error_tail.find_last_not_of('\n') + 1);
  said.erase(0, said.rfind('\n') + 1);
  return describe_end(spec, outcome) + (said.empty() ? "" : ": " + printable(said));
}

/// The machine of this name now; null if there is none.
const judge::FarmMachine* machine_named(const judge::Farm& farm, const std::string& name) {
  const auto found = std::ranges::find_if(farm.machines, [&](const judge::FarmMachine& one) {
    return printable(one.id) == name || std::ranges::find(one.was, name) != one.was.end();
  });
  return found == farm.machines.end() ? nullptr : &*found;
}

/// The silences that are told and not over, as told.jsonl has them: the last one of each machine.
std::vector<results::ToldRecord> open_silences(const results::Told& told) {
  std::map<std::string, results::ToldRecord> last;
  for (const results::ToldRecord& record : told.records())
    if (record.kind == NoticeKind::kSilence && !record.items.empty()) last[record.machine] = record;
  std::vector<results::ToldRecord> open;
  for (auto& [machine, record] : last)
    if (!told.has(NoticeKind::kReturn, record.items.front())) open.push_back(std::move(record));
  return open;
}

std::vector<Notice> due_of(const FarmCheck& check, const results::Told& told) {
  std::vector<Notice> due;
  const auto add = [&](Notice notice) {
    if (!told.has(notice.kind, notice.items.front())) due.push_back(std::move(notice));
  };
  for (const results::FarmAlarm& alarm : check.alarms) {
    if (alarm.is_open()) add(report::alarm_notice(check.farm, alarm));
    if (alarm.state == results::AlarmStep::kEnded) add(report::recovery_notice(check.farm, alarm));
  }
  if (!check.farm.silent_since.empty()) add(report::silence_notice(check.farm, nullptr));
  for (const judge::FarmMachine& machine : check.farm.machines)
    if (machine.silent_days > 0) add(report::silence_notice(check.farm, &machine));
  for (const results::ToldRecord& silence : open_silences(told)) {
    const std::string& item = silence.items.front();
    if (silence.machine.empty()) {
      if (check.farm.silent_since.empty()) add(report::return_notice(check.farm, nullptr, silence));
      continue;
    }
    const judge::FarmMachine* const machine = machine_named(check.farm, silence.machine);
    // A machine may also be silent no longer because the whole farm is.
    if (machine != nullptr && machine->silent_days == 0 && !machine->retired &&
        report::silence_of(silence.machine, *machine) != item)
      add(report::return_notice(check.farm, machine, silence));
  }
  return due;
}

/// What is fixed before the first call.
std::vector<results::ToldRecord> known_of(const FarmCheck& check) {
  std::vector<results::ToldRecord> known{first_record()};
  for (const results::FarmAlarm& alarm : check.alarms)
    if (alarm.state == results::AlarmStep::kEnded)
      known.push_back({utc_now(), NoticeKind::kRecovery, "", "", {report::item_of(alarm)}});
  return known;
}

}  // namespace

results::ToldRecord first_record() {
  return {utc_now(), NoticeKind::kAlarm, "", "", {}};
}

Telling tell(std::vector<Notice> due, results::Told& told, const NotifyRequest& request, int stop_file) {
  Telling telling;
  std::string problem;
  std::size_t timeouts = 0;
  // On a full disk, each call would tell all of it again.
  const Expected<void> recordable = due.empty() ? Expected<void>() : told.add({});
  if (!recordable) {
    problem = "it could not be recorded: " + recordable.error().what;
    telling.failed = std::exchange(due, {}).size();
  }
  for (Notice& notice : due) {
    if (!request.page.empty()) notice.address = report::page_address(request.page, notice);
    ChildSpec spec;
    spec.command = {"sh", "-c", request.command};
    spec.input = report::to_json(notice);
    spec.timeout_seconds = request.timeout_seconds;
    spec.on_line = [](std::string_view) {};  // what it prints is nobody's
    const ChildOutcome outcome = run_child(spec, stop_file);
    if (outcome.end == ChildEnd::kExited && outcome.code == 0) {
      timeouts = 0;
      if (const Expected<void> added = told.add({record_of(notice)}); !added) {
        // Without records, each call would tell all of it again.
        problem = fmt::format("'{}' is told and will be told again, because it is not recorded: {}",
                              report::key_of(notice), added.error().what);
        break;
      }
      ++telling.told;
      continue;
    }
    if (problem.empty()) problem = fmt::format("'{}': {}", report::key_of(notice), problem_of(spec, outcome));
    timeouts = outcome.end == ChildEnd::kTimedOut ? timeouts + 1 : 0;
    if (timeouts == kMostTimeouts || outcome.end == ChildEnd::kStopped) break;
  }
  telling.failed += due.size() - telling.told;
  if (telling.failed > 0)
    telling.remark = fmt::format("--notify: {} of {} not told, which the next call tries again: {}", telling.failed,
                                 counted(telling.told + telling.failed, "notice"), problem);
  return telling;
}

Expected<Telling> tell_of_farm(const FarmCheck& check, const std::filesystem::path& results,
                               const NotifyRequest& request) {
  Expected<results::Told> told = results::Told::open(results);
  if (!told) return told.error();
  if (told->is_first())
    if (const Expected<void> added = told->add(known_of(check)); !added) return added.error();
  return tell(due_of(check, *told), *told, request);
}

}  // namespace lab::app
