/// Slowdowns found by nightly, and the state of their bisects: <results>/nightly/<machine>/state.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/results/bisect_record.h"
#include "harness/results/condensed.h"

namespace lab::results {

/// The part of the last line of `bisect --json` that nightly stores.
struct AlarmBisect {
  std::string answer;  ///< "culprit", "candidates", "none", "undecided", kCutOff, or the reason for no answer
  std::optional<std::string> culprit;
  double probability = 0;
  std::optional<double> ratio;  ///< bad / good
  std::vector<Suspect> candidates;
  std::optional<std::string> reason;  ///< why nothing was bisected
};

/// The answer of a bisect that had no time left or was killed.
inline constexpr const char* kCutOff = "cut off";

/// One benchmark became slower on one machine.
struct Alarm {
  std::string machine, benchmark;
  int version = 0;      ///< of the workload
  std::string session;  ///< first session of the new level
  double ratio = 1;     ///< new time / old time
  std::optional<double> low, high;
  int nights = 0;  ///< length of the new level when it was found
  CommitRange commits;
  std::optional<std::string> doubt;  ///< why it may be none of the code, or is known late
  bool reported = false;             ///< in a summary line
  /// When the first session began that was back to normal, or that showed that it was the machine, once that was told.
  std::optional<std::string> ended;
  std::optional<std::string> withdrawn;  ///< the evidence that it was the machine
  std::optional<AlarmBisect> bisect;
  int tries = 0;                               ///< nights that worked on its bisect
  std::vector<std::string> rejected_culprits;  ///< culprits of other alarms that were tested and are not its culprit
};

/// One line of `bisect --json`.
Expected<AlarmBisect> parse_bisect_answer(std::string_view line);

/// Of the state file. Incremented when an older build would lose or misread something.
inline constexpr int kAlarmsVersion = 2;

/// The version of a state file; 0 if the text has none.
int alarms_version(std::string_view text);

/// The alarms of a state file; an error (kUsage) if the text is not a valid state.
Expected<std::vector<Alarm>> parse_alarms(std::string_view text, std::string_view name);

/// The file's text: one line per alarm.
std::string serialize(const std::vector<Alarm>& alarms);

}  // namespace lab::results
