/// What became slower and was found by nightly, and how far its bisect is: <results>/nightly/state.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/results/bisect_record.h"

namespace lab::results {

/// What the last line of `bisect --json` says, as far as nightly keeps it.
struct BisectAnswer {
  std::string answer;  ///< "culprit", "candidates", "none", "undecided", kCutOff, or why there is none
  std::optional<std::string> culprit;
  double probability = 0;
  std::optional<double> ratio;  ///< bad / good
  std::vector<Suspect> candidates;
  std::optional<std::string> reason;  ///< why nothing was bisected
};

/// Stands for the answer of a bisect that had no time, or was killed.
inline constexpr const char* kCutOff = "cut off";

/// Commits that a change lies between; none for a build outside git.
struct AlarmCommits {
  std::optional<std::string> from, to;
};

/// One benchmark became slower on one machine.
struct Alarm {
  std::string machine, benchmark;
  int version = 0;      ///< of the workload
  std::string session;  ///< the first of the new level
  double ratio = 1;     ///< new time / old time
  std::optional<double> low, high;
  int nights = 0;  ///< of the new level when it was found
  AlarmCommits commits;
  bool told = false;  ///< whether a summary line named it
  std::optional<BisectAnswer> bisect;
  int tries = 0;                   ///< nights that worked on its bisect
  std::vector<std::string> asked;  ///< culprits of other alarms that are not its own
};

/// One line of `bisect --json`.
Expected<BisectAnswer> parse_bisect_answer(std::string_view line);

/// The alarms that a state file holds; an error (kUsage) where it is no state.
Expected<std::vector<Alarm>> parse_alarms(std::string_view text, std::string_view name);

/// The file's text: one alarm a line.
std::string serialize(const std::vector<Alarm>& alarms);

}  // namespace lab::results
