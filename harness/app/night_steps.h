/// What the steps of a night share: its time, its state file, and the two steps that need a file of their own.
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

/// With less time left, a bisect or an earlier commit waits for another night.
inline constexpr double kLeastSeconds = 60;

/// The time of one night.
class NightTime {
 public:
  NightTime(const NightRequest& request, NightWorld& world)
      : budget_(request.budget_seconds), world_(world), started_(world.clock() - request.spent_seconds) {}

  /// Keeps a third of what is left for bisects.
  void keep_for_bisects();
  double now() const { return world_.clock(); }
  double passed() const { return now() - started_; }
  /// Seconds of the budget; none without one.
  std::optional<double> left() const;
  /// Seconds for each of so many sessions that are still to come, `reserved` what others need; none without a budget.
  std::optional<double> share(std::size_t sessions, double reserved = 0) const;
  /// When bisects must end.
  double deadline() const;

 private:
  std::optional<double> budget_;
  NightWorld& world_;
  double started_;
  double kept_ = 0;
};

/// The changes that were told. Without a file, all that is known before this night counts as told.
class NightState {
 public:
  /// Reads it. A file that is no state is set aside, which `world` says.
  static Expected<NightState> open(const std::filesystem::path& path, NightWorld& world);
  /// Writes it, unless the file has it already.
  Expected<void> save();

  std::vector<results::Alarm> alarms;
  bool is_new = true;

 private:
  std::filesystem::path path_;
  std::string written_;
};

/// NightWorld::run_verb, with an error where the verb could not do its work, or was interrupted (kInterrupted).
Expected<VerbOutcome> call_verb(NightWorld& world, const std::string& verb, const std::vector<std::string>& arguments);

/// Measures earlier commits that the machine has not, the oldest first: a history is in the order of its sessions.
/// Whether it began with one; an error only where it was interrupted.
Expected<bool> measure_missing(const NightRequest& request, NightWorld& world, const NightTime& time);

/// Goes on with bisects that have no answer yet, what was tried least first and the greatest of these, while there is
/// time; in a night that is not fit, with what was told alone. The places in the state of those it went on with; an
/// error where it was interrupted or the state cannot be written.
Expected<std::vector<std::size_t>> go_on_with_bisects(NightState& state, const std::string& machine, bool fit,
                                                      NightWorld& world, const NightTime& time);

}  // namespace lab::app
