/// A farm: the machines of one results folder seen together. One change of the code is told once, however many
/// benchmarks and machines show it, with what these machines have in common; and so are machines that changed by
/// themselves, fell silent, share a name or have a wrong clock.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/history.h"
#include "harness/results/farm_alarms.h"
#include "harness/results/machines.h"
#include "harness/results/store.h"

namespace lab::judge {

struct FarmSeries {
  results::SeriesKey key;
  SeriesFindings findings;
  std::size_t told = 0;  ///< a hash of the findings as the store has them
};

struct FarmInput {
  std::vector<results::SessionRecord> sessions;  ///< as results::Store::sessions()
  std::vector<FarmSeries> series;                ///< sorted by machine, benchmark and version
  results::KnownMachines known;
  std::vector<results::FarmAlarm> alarms;
  std::vector<std::string>
      commits;          ///< first parents, the oldest first; a commit that is missing is placed by its time
  std::time_t now = 0;  ///< seconds since the epoch
};

struct FarmMachine {
  std::string id;
  std::string class_name;   ///< machines.json has it, else its hardware
  std::string hardware;     ///< processor, cores, memory
  std::string first, last;  ///< starts of its first and last session; "" without a session with a right clock
  std::size_t sessions = 0, series = 0;
  std::size_t wrong_clocks = 0;  ///< sessions whose clock was wrong: in no series
  std::vector<std::string>
      hosts;  ///< more than one if they took turns under this name: none of its changes is the code's
  std::vector<std::string> was;  ///< earlier names, from machines.json
  std::string may_be;            ///< a silent machine whose successor under another name this may be; "" if none
  std::string measures_as;       ///< a silent machine's host is one of those that take turns under this name
  bool retired = false;
  std::size_t silent_days = 0;  ///< 0: not silent
};

/// A change that series have in common.
struct FarmChange {
  bool regressed = false;
  std::string cause;                    ///< as LevelChange::cause
  std::vector<std::string> changed;     ///< what else changed there, as text; only if cause is none of the code
  std::string started;                  ///< the earliest of its changes
  results::CommitRange commits;         ///< that most of its changes allow
  std::size_t commit_count = 0;         ///< of them along first parents, without `from`; 0: not in the checkout
  double ratio = 1, low = 1, high = 1;  ///< after / before: median, least and largest of its changes
  double confidence = 0;                ///< the largest of its alarms
  std::vector<std::string> benchmarks;  ///< sorted
  std::vector<std::string> machines;    ///< that show it, sorted
  std::vector<std::string> others;      ///< that measured these benchmarks long enough on both sides and do not
  /// What those that show it have and `others` have not: "class epyc", "kernel 6.9.1". "" if there are no others, or
  /// nothing does.
  std::string reason;
  std::size_t with_reason = 0;      ///< how many of both have it
  std::size_t others_of_class = 0;  ///< of `others`, those of the first machine's class
  bool is_sure = false;             ///< on one machine alone it would be chance in at most 1 - kSureAlone of cases

  std::string alarm;  ///< the id of the known alarm that it is; "" if it is none, or new

  /// Whether it is more than chance and may be the code's: at least two machines show it for one benchmark, or one that
  /// is sure and has no others of its class to compare with.
  bool is_confirmed = false;
  bool is_alarm() const { return is_confirmed && regressed && (cause == kCodeCause || cause == kEitherCause); }
};
inline constexpr double kSureAlone = 0.99;

/// A known alarm whose benchmarks all became better later.
struct FixedAlarm {
  std::string id;
  results::CommitRange commits;  ///< of the improvement
};

struct Farm {
  std::vector<FarmMachine> machines;  ///< sorted by id
  std::vector<FarmChange> changes;    ///< the latest first
  std::vector<FixedAlarm> fixed;      ///< of the alarms that were not known as fixed
  std::size_t benchmarks = 0;         ///< different ones
  /// If the whole farm is silent: since when. Machines are then silent compared with its last session.
  std::string silent_since;
};

/// A machine is silent after so many times the usual time between its sessions, which counts as a day at least unless
/// machines.json says how long it is.
inline constexpr double kSilentAfter = 3;

/// "AMD EPYC 7763, 64 physical, 128 logical, 256 GiB", as far as it is known.
std::string hardware_of(const results::MeasurementEnvironment& environment);

Farm judge_farm(const FarmInput& input);

}  // namespace lab::judge
