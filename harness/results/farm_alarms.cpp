#include "harness/results/farm_alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/base/lock.h"

namespace lab::results {

namespace fs = std::filesystem;

LAB_JSON_STRUCT(FarmAlarmRecord, at, who, id, step, (note), (commits), (benchmarks))

namespace {

Expected<std::vector<FarmAlarmRecord>> parse_records(std::string_view text, const std::string& name) {
  std::vector<FarmAlarmRecord> records;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}, line {}", name, number);
    const Expected<json::value> value = parse_printable_json(line, where);
    if (!value) return value.error();
    Expected<FarmAlarmRecord> record = from_json<FarmAlarmRecord>(*value);
    if (!record) return in_context(where, record.error());
    records.push_back(std::move(*record));
  }
  return records;
}

Expected<std::string> text_of(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return std::string();
  return read_file(file);
}

}  // namespace

Expected<std::vector<FarmAlarmRecord>> load_farm_records(const fs::path& results) {
  const fs::path file = results / kFarmAlarmsName;
  const Expected<std::string> text = text_of(file);
  if (!text) return text.error();
  return parse_records(*text, fmt::format("'{}'", file.string()));
}

std::vector<FarmAlarm> alarms_of(const std::vector<FarmAlarmRecord>& records) {
  std::vector<FarmAlarm> alarms;
  for (const FarmAlarmRecord& record : records) {
    auto alarm = std::ranges::find(alarms, record.id, &FarmAlarm::id);
    if (alarm == alarms.end()) {
      // A person may have removed the record that raised it.
      alarms.push_back({record.id, record.at, {}, {}, {}, {}, record.commits, record.benchmarks});
      alarm = std::prev(alarms.end());
    }
    alarm->state = record.step;
    alarm->at = record.at;
    alarm->who = record.who;
    alarm->note = record.note;
  }
  return alarms;
}

Expected<std::vector<FarmAlarm>> load_farm_alarms(const fs::path& results) {
  const Expected<std::vector<FarmAlarmRecord>> records = load_farm_records(results);
  if (!records) return records.error();
  return alarms_of(*records);
}

Expected<void> add_farm_records(const fs::path& results, const std::vector<FarmAlarmRecord>& records) {
  const fs::path file = results / kFarmAlarmsName;
  std::error_code missing;
  if (records.empty() && fs::exists(file, missing)) return {};
  const Expected<File> lock = lock_file(results / "alarms.lock", LockKind::kExclusive);
  if (!lock) return lock.error();
  Expected<std::string> text = text_of(file);
  if (!text) return text.error();
  if (!text->empty() && text->back() != '\n') *text += '\n';
  for (const FarmAlarmRecord& record : records) *text += json::serialize(lab::to_json(record)) + "\n";
  return write_file(file, *text);
}

}  // namespace lab::results
