/// Shared by the steps of a night: its time, its state file, and the two steps with separate source files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/night.h"
#include "harness/base/error.h"
#include "harness/results/alarm.h"

namespace lab::app {

/// With less time left, a bisect or an earlier commit is postponed to another night.
inline constexpr double kLeastSeconds = 60;

/// The time of one night.
class NightTime {
 public:
  NightTime(const NightRequest& request, NightEnvironment& environment)
      : budget_(request.budget_seconds),
        environment_(environment),
        started_(environment.clock() - request.spent_seconds) {}

  /// Reserves a third of the remaining time for bisects.
  void keep_for_bisects();
  void keep_nothing_for_bisects() { kept_ = 0; }
  double now() const { return environment_.clock(); }
  double passed() const { return now() - started_; }
  /// Remaining seconds of the budget; none without a budget.
  std::optional<double> left() const;
  /// Seconds for each of `sessions` future sessions, after `reserved` seconds for others; none without a budget.
  std::optional<double> share(std::size_t sessions, double reserved = 0) const;
  /// The time at which bisects must end, on now()'s clock.
  double deadline() const;

 private:
  std::optional<double> budget_;
  NightEnvironment& environment_;
  double started_;
  double kept_ = 0;
};

/// The reported changes. Without a file, all changes known before this night count as reported.
class NightState {
 public:
  /// Reads the file. An invalid file is moved aside, with a message to `environment`.
  static Expected<NightState> open(const std::filesystem::path& path, NightEnvironment& environment);
  /// Takes the machine's alarms from the file that earlier versions wrote for all machines, if there is one.
  Expected<void> take_over(const std::filesystem::path& earlier, const std::string& machine);
  /// Writes the file if the state has changed.
  Expected<void> save();

  std::vector<results::Alarm> alarms;
  bool is_new = true;

 private:
  std::filesystem::path path_;
  std::string written_;
};

/// NightEnvironment::run_verb, with an error if the subcommand failed or was interrupted (kInterrupted).
Expected<VerbOutcome> call_verb(NightEnvironment& environment, const std::string& verb,
                                const std::vector<std::string>& arguments);

/// Measures earlier commits that this machine has not measured, the oldest first, because a history is in session
/// order. Returns whether it started any; error only if interrupted.
Expected<bool> measure_missing(const NightRequest& request, NightEnvironment& environment, const NightTime& time);

/// Continues bisects without an answer while time is left: the least tried first, then the largest change. An unfit
/// night continues only reported alarms. Returns the indices (in the state) of the continued ones; error if interrupted
/// or if the state cannot be written.
Expected<std::vector<std::size_t>> continue_bisects(NightState& state, const std::string& machine, bool fit,
                                                    NightEnvironment& environment, const NightTime& time);

}  // namespace lab::app
