#include "harness/app/farm_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "harness/base/utc.h"

namespace lab::app {

namespace {

/// "2026-07-04", or "2026-07-04-2" for the day's second alarm.
std::string new_id(const std::string& started, const std::set<std::string>& taken) {
  const std::string day = started.substr(0, 10);
  std::string id = day;
  for (int number = 2; taken.contains(id); ++number) id = fmt::format("{}-{}", day, number);
  return id;
}

std::string this_user() {
  const char* const name = std::getenv("USER");
  return name == nullptr || *name == '\0' ? "somebody" : name;
}

}  // namespace

ExitStatus FarmCheck::status() const {
  if (std::ranges::any_of(alarms, &results::FarmAlarm::is_open)) return ExitStatus::kRegression;
  return silent.empty() && farm.silent_since.empty() ? ExitStatus::kOk : ExitStatus::kSilent;
}

Expected<FarmCheck> check_farm(const FarmRequest& request, const HistoryObserver& observer) {
  const Expected<std::vector<results::FarmAlarm>> before = results::load_farm_alarms(request.results);
  if (!before) return before.error();
  Expected<judge::Farm> farm = app::farm(request, observer);
  if (!farm) return farm.error();
  std::error_code missing;
  const bool is_first = !std::filesystem::exists(request.results / results::kFarmAlarmsName, missing);
  FarmCheck check;
  check.farm = std::move(*farm);
  std::vector<results::FarmAlarmRecord> records;
  std::set<std::string> taken;
  for (const results::FarmAlarm& alarm : *before) taken.insert(alarm.id);
  const std::string now = utc(request.now);
  const std::string old = utc(request.now - kOldDays * std::time_t{24 * 60 * 60});
  for (auto change = check.farm.changes.rbegin(); change != check.farm.changes.rend(); ++change) {
    if (!change->is_alarm() || !change->alarm.empty()) continue;
    change->alarm = new_id(change->started, taken);
    taken.insert(change->alarm);
    records.push_back(
        {now, "detector", change->alarm, results::AlarmStep::kRaised, "", change->commits, change->benchmarks});
    if (is_first && change->started < old)
      records.push_back(
          {now, "detector", change->alarm, results::AlarmStep::kAcknowledged, "older than the first check", {}, {}});
    else
      check.raised.push_back(change->alarm);
  }
  for (const judge::FixedAlarm& fixed : check.farm.fixed) {
    records.push_back({now, "detector", fixed.id, results::AlarmStep::kEnded, "", fixed.commits, {}});
    check.fixed.push_back(fixed.id);
  }
  if (const Expected<void> added = results::add_farm_records(request.results, records); !added) return added.error();
  Expected<std::vector<results::FarmAlarm>> after = results::load_farm_alarms(request.results);
  if (!after) return after.error();
  check.alarms = std::move(*after);
  for (const judge::FarmMachine& machine : check.farm.machines)
    if (machine.silent_days > 0) check.silent.push_back(machine.id);
  return check;
}

Expected<void> say_of_alarm(const std::filesystem::path& results, const std::string& id, results::AlarmStep step,
                            const std::string& note) {
  const Expected<std::vector<results::FarmAlarm>> alarms = results::load_farm_alarms(results);
  if (!alarms) return alarms.error();
  std::vector<std::string> ids;
  for (const results::FarmAlarm& alarm : *alarms) ids.push_back(alarm.id);
  if (std::ranges::find(ids, id) == ids.end())
    return Error{fmt::format("expected an alarm of this farm, found '{}'", id),
                 ids.empty() ? "python3 make.py farm check" : fmt::format("one of {}", fmt::join(ids, ", ")),
                 ExitStatus::kUsage};
  return results::add_farm_records(results, {{utc_now(), this_user(), id, step, note, {}, {}}});
}

}  // namespace lab::app
