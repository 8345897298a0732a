/// The night: measure, judge beside all nights before, bisect what became slower, report, and sum up in one line.
///
/// Everything that must outlive a checkout lies in the results folder:
///   <machine>/*.json      results, as `run` writes them
///   nightly/state.json    which changes were told, and how far their bisects are (results/alarm.h)
///   nightly/<utc>/        a night's report, history.txt, junit.xml; the newest `keep` of them
/// A night that is killed loses what it had not yet written: `run` keeps its journal, `bisect` its record, and the next
/// night goes on from the results and the state that are there.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace lab::app {

struct NightRequest {
  std::filesystem::path results = {};                   ///< absolute
  std::optional<double> budget_seconds = std::nullopt;  ///< of the whole night, building included
  double spent_seconds = 0;                             ///< of it, before this: what building took
  int backfill = 0;  ///< first measure up to so many commits that came after the last one this machine measured
  int keep = 30;     ///< reports that stay
};

/// How a verb of the harness ended.
struct VerbOutcome {
  int status = 0;         ///< exit status; minus the signal that ended it
  std::string last_line;  ///< of standard output
};

/// What a night touches of the world; the seam for tests.
class NightWorld {
 public:
  virtual ~NightWorld() = default;
  virtual std::time_t now() = 0;                ///< seconds since the epoch
  virtual double clock() = 0;                   ///< monotonic seconds
  virtual Expected<std::string> machine() = 0;  ///< this machine's id
  /// Commits along the first parents, the newest first: `range` is what `git rev-list` accepts.
  virtual Expected<std::vector<std::string>> commits(const std::vector<std::string>& range) = 0;
  /// Runs a verb of the harness in a process of its own: what crashes there does not end the night.
  virtual Expected<VerbOutcome> run_verb(const std::string& verb, const std::vector<std::string>& arguments) = 0;
  /// All that `history` prints, remarks and errors too.
  virtual std::string history_text() = 0;
  virtual void say(std::string_view line) = 0;  ///< for people
  virtual bool interrupted() = 0;
};

enum class NightVerdict { kFine, kFailed, kRegression, kUnfit };

struct NightSummary {
  NightVerdict verdict = NightVerdict::kFine;
  std::string line;  ///< "nightly: fine: 12 quiet; 12 min; /.../index.html"
};

/// The exit status that says it.
ExitStatus status_of(NightVerdict verdict);

/// Runs one night. `summary` is called once with what it found; only what it has told counts as told, so it throws or
/// ends the process where it cannot. An error only where the night was interrupted: then no summary is given.
Expected<NightVerdict> run_night(const NightRequest& request, NightWorld& world,
                                 const std::function<void(const NightSummary&)>& summary);

}  // namespace lab::app
