#include "harness/app/farm_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>
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

FarmCheck look_at(judge::Farm farm, std::vector<results::FarmAlarmRecord> all, const FarmRequest& request) {
  std::error_code missing;
  const bool is_first = !std::filesystem::exists(request.results / results::kFarmAlarmsName, missing);
  FarmCheck check;
  check.farm = std::move(farm);
  std::vector<results::FarmAlarmRecord>& records = check.new_records;
  std::set<std::string> taken;
  for (const results::FarmAlarmRecord& record : all) taken.insert(record.id);
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
  all.insert(all.end(), records.begin(), records.end());
  check.alarms = results::alarms_of(all);
  for (const judge::FarmMachine& machine : check.farm.machines)
    if (machine.silent_days > 0) check.silent.push_back(machine.id);
  return check;
}

ExitStatus FarmCheck::status() const {
  if (std::ranges::any_of(alarms, &results::FarmAlarm::is_open)) return ExitStatus::kRegression;
  return silent.empty() && farm.silent_since.empty() ? ExitStatus::kOk : ExitStatus::kSilent;
}

Expected<FarmCheck> look_at_farm(const FarmRequest& request, const HistoryObserver& observer) {
  Expected<std::vector<results::FarmAlarmRecord>> records = results::load_farm_records(request.results);
  if (!records) return records.error();
  Expected<judge::Farm> farm = app::farm(request, observer);
  return farm ? Expected<FarmCheck>(look_at(std::move(*farm), std::move(*records), request)) : farm.error();
}

Expected<FarmCheck> check_farm(const FarmRequest& request, const HistoryObserver& observer) {
  Expected<FarmCheck> check = look_at_farm(request, observer);
  if (!check) return check;
  if (const Expected<void> added = results::add_farm_records(request.results, check->new_records); !added)
    return added.error();
  // Another check may have added some at the same time.
  Expected<std::vector<results::FarmAlarm>> after = results::load_farm_alarms(request.results);
  if (!after) return after.error();
  check->alarms = std::move(*after);
  return check;
}

Expected<report::FarmMetrics> farm_metrics(const FarmRequest& request, const std::optional<std::string>& glob,
                                           const HistoryObserver& observer) {
  Expected<std::vector<results::FarmAlarmRecord>> records = results::load_farm_records(request.results);
  if (!records) return records.error();
  Expected<results::Store> store = open_store(request.results, observer);
  if (!store) return store.error();
  const Expected<std::vector<results::SeriesKey>> wanted = selected_series(*store, request.results, glob);
  if (!wanted) return wanted.error();
  Expected<judge::FarmInput> input = farm_input(*store, request);
  if (!input) return input.error();
  Expected<std::vector<std::pair<results::SeriesKey, results::SeriesPoint>>> points = store->last_points();
  if (!points) return points.error();
  FarmCheck check = look_at(judge::judge_farm(*input), std::move(*records), request);
  report::FarmMetrics metrics{std::move(check.farm), std::move(check.alarms), std::move(input->sessions), {}};
  const auto name_of = [](const results::SeriesKey& key) { return std::tie(key.machine, key.benchmark, key.version); };
  // All three lists have one order.
  auto findings = input->series.begin();
  auto want = wanted->begin();
  for (auto& [key, point] : *points) {
    while (want != wanted->end() && name_of(*want) < name_of(key)) ++want;
    if (want == wanted->end()) break;
    if (name_of(*want) != name_of(key)) continue;
    while (findings != input->series.end() && name_of(findings->key) < name_of(key)) ++findings;
    if (findings == input->series.end()) break;
    if (name_of(findings->key) == name_of(key))
      metrics.latest.push_back({key, std::move(findings->findings), std::move(point)});
  }
  return metrics;
}

Expected<void> say_of_alarm(const std::filesystem::path& results, const std::string& id, results::AlarmStep step,
                            const std::string& note, const std::string& who) {
  const Expected<std::vector<results::FarmAlarm>> alarms = results::load_farm_alarms(results);
  if (!alarms) return alarms.error();
  std::vector<std::string> ids;
  for (const results::FarmAlarm& alarm : *alarms) ids.push_back(alarm.id);
  if (std::ranges::find(ids, id) == ids.end())
    return Error{fmt::format("expected an alarm of this farm, found '{}'", id),
                 ids.empty() ? "python3 make.py farm check" : fmt::format("one of {}", fmt::join(ids, ", ")),
                 ExitStatus::kUsage};
  return results::add_farm_records(results, {{utc_now(), who.empty() ? this_user() : who, id, step, note, {}, {}}});
}

}  // namespace lab::app
