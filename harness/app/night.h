/// The night: measures, judges against all earlier nights, bisects regressions, reports, and prints a one-line summary.
///
/// All data that must outlive a checkout is in the results folder:
///   <machine>/*.json      results, as `run` writes them
///   nightly/<machine>/state.json   reported changes and the state of their bisects (results/alarm.h)
///   nightly/<machine>/<utc>/       a night's report, history.txt, junit.xml; the newest `keep` of them
///   nightly/<machine>/lock         held during the night. Other machines of the folder have nights at the same time
/// nightly/state.json, which earlier versions wrote for all machines, is read where a machine has none of its own.
/// A killed night loses only unwritten data: `run` keeps its journal, `bisect` its record, and the next night resumes
/// from the existing results and state.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/notify.h"
#include "harness/base/error.h"
#include "harness/results/alarm.h"

namespace lab::app {

struct NightRequest {
  std::filesystem::path results = {};                   ///< absolute
  std::optional<double> budget_seconds = std::nullopt;  ///< for the whole night, including the build
  double spent_seconds = 0;                             ///< already used part of the budget: the build's time
  int backfill = 0;  ///< first measure up to this many commits newer than the last one measured on this machine
  int keep = 30;     ///< number of reports to keep
  std::string deliver_to =
      {};  ///< where `deliver` brings the results afterwards, also those of earlier nights; "": nowhere
  std::optional<NotifyRequest> notify = std::nullopt;  ///< who is told of new regressions and of those that are over
  /// What app/keep.h removes of this machine's older results after the night; none: nothing.
  std::optional<double> samples_days = std::nullopt, exhibits_days = std::nullopt;
};

/// How a harness subcommand ended.
struct VerbOutcome {
  int status = 0;         ///< exit status; the negative signal number if a signal ended it
  std::string last_line;  ///< of standard output
};

/// What `history` printed, remarks and errors first. `problem` says how it ended; "" if it ended well.
struct HistoryText {
  std::string text, problem;
};

/// The environment of a night; the seam for tests.
class NightEnvironment {
 public:
  virtual ~NightEnvironment() = default;
  virtual std::time_t now() = 0;                ///< seconds since the epoch
  virtual double clock() = 0;                   ///< monotonic seconds
  virtual Expected<std::string> machine() = 0;  ///< this machine's id
  /// Commits along first parents, the newest first; `range`: arguments of `git rev-list`.
  virtual Expected<std::vector<std::string>> commits(const std::vector<std::string>& range) = 0;
  /// Runs a harness subcommand in a child process, so that a crash does not end the night.
  virtual Expected<VerbOutcome> run_verb(const std::string& verb, const std::vector<std::string>& arguments) = 0;
  virtual HistoryText history_text() = 0;
  virtual void print_line(std::string_view line) = 0;  ///< for people
  virtual bool interrupted() = 0;
  virtual int stop_file() { return -1; }  ///< becomes readable when it is interrupted; for run_child
};

struct NightSummary {
  ExitStatus verdict = ExitStatus::kOk;  ///< or kFailed, kRegression, kUnfit
  std::string line;                      ///< "nightly: fine: 12 without a new regression; 12 min; /.../index.html"
  std::string machine = {};              ///< "" if the night ended before it was known
  std::vector<results::Alarm> regressions = {};                 ///< that no earlier summary has named
  std::vector<results::Alarm> recoveries = {};                  ///< found tonight: back to normal, or withdrawn
  std::vector<std::string> unfit = {};                          ///< why it is unfit, then what to do
  std::vector<std::filesystem::path> sessions = {};             ///< of tonight, the judged one last
  std::filesystem::path report = {}, history = {}, junit = {};  ///< "" without one
  double seconds = 0;                                           ///< of the night, the build included
};

/// "fine", "regression", "unfit" or "failed".
std::string_view name_of(ExitStatus verdict);

/// One object on one line, printable: `nightly --json`.
std::string night_json(const NightSummary& night);

/// Runs one night and returns its verdict. Calls `summary` once. Its alarms count as reported only when it returns, so
/// `summary` must throw or end the process if it cannot print. Error only if the night was interrupted; then `summary`
/// is not called.
Expected<ExitStatus> run_night(const NightRequest& request, NightEnvironment& environment,
                               const std::function<void(const NightSummary&)>& summary);

}  // namespace lab::app
