/// The alarms of a farm and what people said of them: <results>/alarms.jsonl, one record a line, the oldest first.
/// Records are only added. A change keeps its id, however many machines show it later.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/results/condensed.h"

namespace lab::results {

/// What happened to an alarm. `kEnded` is told by the detector, the others by people but for kRaised.
enum class AlarmStep { kRaised, kAcknowledged, kExplained, kEnded };
inline constexpr std::array<std::string_view, 4> kAlarmSteps{"raised", "acknowledged", "explained", "fixed"};
constexpr auto& names_of(AlarmStep) {
  return kAlarmSteps;
}

struct FarmAlarmRecord {
  std::string at;   ///< UTC, RFC 3339
  std::string who;  ///< a user, or "detector"
  std::string id;
  AlarmStep step = AlarmStep::kRaised;
  std::string note;                     ///< of people; of kExplained the commit that explains it
  CommitRange commits;                  ///< of kRaised: of the change; of kEnded: of the improvement
  std::vector<std::string> benchmarks;  ///< of kRaised
};

/// An alarm as its records leave it.
struct FarmAlarm {
  std::string id, raised;  ///< when
  AlarmStep state = AlarmStep::kRaised;
  std::string at, who, note;  ///< of the last record
  CommitRange commits;
  CommitRange fixed_by;  ///< of kEnded: the improvement
  std::vector<std::string> benchmarks;

  bool is_open() const { return state == AlarmStep::kRaised; }
};

/// The file's name in the results folder.
inline constexpr const char* kFarmAlarmsName = "alarms.jsonl";

/// All records, the oldest first; none without the file. An error (kUsage) names the line that is none.
Expected<std::vector<FarmAlarmRecord>> load_farm_records(const std::filesystem::path& results);
/// The alarms as `records` leave them, in the order in which they were raised.
std::vector<FarmAlarm> alarms_of(const std::vector<FarmAlarmRecord>& records);
/// Both.
Expected<std::vector<FarmAlarm>> load_farm_alarms(const std::filesystem::path& results);

/// Adds records; without any it creates a missing file. Another process that adds some at the same time is waited for.
/// On an error nothing is added.
Expected<void> add_farm_records(const std::filesystem::path& results, const std::vector<FarmAlarmRecord>& records);

}  // namespace lab::results
