/// The use case run: measures benchmarks, and writes one result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/checkouts.h"
#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/judge/compare.h"
#include "harness/judge/forecast.h"
#include "harness/measure/arms.h"
#include "harness/measure/plan.h"
#include "harness/measure/session.h"
#include "harness/results/journal.h"
#include "harness/results/result.h"

namespace lab::app {

struct RunRequest {
  std::vector<std::string> filters = {};  ///< globs; none: every benchmark
  measure::Pace pace = measure::default_pace();
  std::optional<double> target = {};              ///< of the ratios to `against`; none: half of compare's threshold
  std::uint64_t seed = 1;                         ///< of the workloads and of the order
  std::optional<double> process_timeout = {};     ///< seconds; none: measure::SessionSpec says which
  std::optional<std::string> revision = {};       ///< measured in place of the checkout, built by its own make.py
  std::optional<std::string> against = {};        ///< a revision or build that is measured in the same blocks
  std::optional<std::filesystem::path> out = {};  ///< the result's file; none: one in <root>/results/<machine>
  std::filesystem::path root = root_dir();
  std::filesystem::path build_dir = lab::build_dir();
  int stop_file = -1;  ///< once it is readable the session ends with what it has; -1: none
};

/// In the order in which things happen.
struct RunObserver {
  BuildObserver build = {};
  std::function<void(const std::string& base, const measure::Pairing&)> on_base = {};
  std::function<void(const results::Leftover&)> on_leftover = {};  ///< of a session that was cut off
  std::function<void(const measure::SessionSpec&, const results::Result&)> on_start = {};
  std::function<void(const measure::ConformanceProgress&)> on_conformance = {};
  std::function<void(const measure::Progress&)> on_process = {};
  std::function<void(const results::Failure&)> on_failure = {};
  /// Before the first block, after each and at the end. `planned_blocks`: as many as there will be, as it looks now;
  /// none when the session is over.
  std::function<void(const results::Result&, std::optional<int> planned_blocks)> on_result = {};
  /// After the last process, with what disturbed the session.
  std::function<void(const std::vector<std::string>& disturbances)> on_measured = {};
};

struct RunOutcome {
  results::Result result;
  std::filesystem::path path;                 ///< of its file
  std::optional<judge::Comparison> verdicts;  ///< over the base, in a session with one
  std::string no_verdicts;                    ///< why a session with a base has none
};

/// What the command ends with after such a session.
ExitStatus exit_status(const RunOutcome& outcome);

/// An interrupted session is an outcome as soon as its first process may have run, and an error before. Errors where
/// nothing could be measured, or the result could not be written.
Expected<RunOutcome> run(const RunRequest& request, const RunObserver& observer = {});

/// Which changes such a session could see, with the noise of the newest result of this machine that has processes
/// enough. With `against`, as it would be if every benchmark had a base that differs. Starts no benchmark and builds
/// nothing.
Expected<judge::Forecast> forecast_run(const RunRequest& request, const RunObserver& observer = {});

}  // namespace lab::app
