#include "harness/results/farm_alarms.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/json_struct.h"
#include "harness/base/lock.h"
#include "harness/results/json_lines.h"

namespace lab::results {

namespace fs = std::filesystem;

LAB_JSON_STRUCT(FarmAlarmRecord, at, who, id, step, (note), (commits), (benchmarks))

std::vector<FarmAlarm> alarms_of(const std::vector<FarmAlarmRecord>& records) {
  std::vector<FarmAlarm> alarms;
  for (const FarmAlarmRecord& record : records) {
    auto alarm = std::ranges::find(alarms, record.id, &FarmAlarm::id);
    if (alarm == alarms.end()) {
      // A person may have removed the record that raised it.
      alarms.push_back({record.id, record.at, {}, {}, {}, {}, record.commits, {}, record.benchmarks});
      alarm = std::prev(alarms.end());
    }
    if (record.step == AlarmStep::kEnded) alarm->fixed_by = record.commits;
    alarm->state = record.step;
    alarm->at = record.at;
    alarm->who = record.who;
    alarm->note = record.note;
  }
  return alarms;
}

Expected<std::vector<FarmAlarmRecord>> load_farm_records(const fs::path& results) {
  return load_json_lines<FarmAlarmRecord>(results / kFarmAlarmsName);
}

Expected<std::vector<FarmAlarm>> load_farm_alarms(const fs::path& results) {
  const Expected<std::vector<FarmAlarmRecord>> records = load_farm_records(results);
  return records ? Expected<std::vector<FarmAlarm>>(alarms_of(*records)) : records.error();
}

Expected<void> add_farm_records(const fs::path& results, const std::vector<FarmAlarmRecord>& records) {
  const fs::path file = results / kFarmAlarmsName;
  std::error_code missing;
  if (records.empty() && fs::exists(file, missing)) return {};
  const Expected<File> lock = lock_file(results / "alarms.lock", LockKind::kExclusive);
  if (!lock) return lock.error();
  return add_lines(file, json_lines(records));
}

}  // namespace lab::results
