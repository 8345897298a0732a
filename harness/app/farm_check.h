/// The use cases of a farm's alarms: the check that cron runs, and what people say of an alarm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/app/farm.h"
#include "harness/base/error.h"
#include "harness/report/openmetrics.h"
#include "harness/results/farm_alarms.h"

namespace lab::app {

struct FarmCheck {
  judge::Farm farm;
  std::vector<results::FarmAlarmRecord> new_records;  ///< of this check
  std::vector<results::FarmAlarm> alarms;             ///< all, as this check leaves them
  std::vector<std::string> raised, fixed;             ///< ids: by this check
  std::vector<std::string> silent;                    ///< machines

  /// kRegression with an open alarm, else kSilent with a silent machine or farm, else kOk.
  ExitStatus status() const;
};

/// Judges the farm, raises an alarm for each new change of the code that slows something down, and ends those that a
/// later improvement took back. In a folder without alarms, changes older than kOldDays are raised and acknowledged at
/// once: nobody wants the news of last year.
inline constexpr int kOldDays = 14;
Expected<FarmCheck> check_farm(const FarmRequest& request, const HistoryObserver& observer = {});
/// What check_farm() would find now; or in a farm that was judged already, after these records. Writes no alarm.
FarmCheck look_at(judge::Farm farm, std::vector<results::FarmAlarmRecord> records, const FarmRequest& request);
Expected<FarmCheck> look_at_farm(const FarmRequest& request, const HistoryObserver& observer = {});

/// The farm for metrics, without writing an alarm. `glob`: only these benchmarks, as in HistoryRequest.
Expected<report::FarmMetrics> farm_metrics(const FarmRequest& request, const std::optional<std::string>& glob,
                                           const HistoryObserver& observer = {});

/// A person says something of an alarm: kAcknowledged with a note that may be "", or kExplained with a commit. An error
/// (kUsage) names the alarms if none has this id.
/// `who`: "" is the user who runs this.
Expected<void> say_of_alarm(const std::filesystem::path& results, const std::string& id, results::AlarmStep step,
                            const std::string& note, const std::string& who = "");

}  // namespace lab::app
