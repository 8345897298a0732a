/// The use case run: measures benchmarks, and writes one result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/judge/comparison.h"
#include "harness/judge/forecast.h"
#include "harness/measure/plan.h"
#include "harness/measure/session_events.h"
#include "harness/results/result.h"

namespace lab::app {

struct RunRequest {
  std::vector<std::string> filters = {};  ///< globs; none: every benchmark
  measure::SessionLength length = measure::default_length();
  std::optional<double> target = {};           ///< for the ratios to `against`; none: half of compare's threshold
  std::uint64_t seed = 1;                      ///< for the workloads and the order
  std::optional<double> process_timeout = {};  ///< seconds; none: the default of measure::SessionSpec
  /// Malloc replacements: each is measured as one more variant (measure/malloc_library.h).
  std::vector<std::filesystem::path> mallocs = {};
  std::optional<std::string> revision = {};  ///< measured instead of the checkout; built by its own make.py
  std::optional<std::string> against = {};   ///< a revision or build to measure in the same blocks
  bool fixed =
      false;  ///< also measures the machine's fixed build (measure/fixed_build.h), and keeps one if it has none
  std::optional<std::filesystem::path> out = {};  ///< the result's file; none: one in <root>/results/<machine>
  std::filesystem::path root = root_dir();
  std::filesystem::path build_dir = lab::build_dir();
  bool until_stopped = false;  ///< the stop file is the end of the budget: such a session is "out of time" and judged
  int stop_file = -1;          ///< when readable, the session ends early with its data so far; -1: none
};

struct RunOutcome {
  results::Result result;
  std::filesystem::path path;                 ///< of its file
  std::optional<judge::Comparison> verdicts;  ///< against the base, in a session with one
  std::string no_verdicts;                    ///< why a session with a base has none
  std::vector<std::string> metrics;           ///< that the filters name
};

/// The command's exit status for this outcome.
ExitStatus exit_status(const RunOutcome& outcome);

/// An interruption is an error before the first process may have run, and an outcome afterwards. Error if nothing could
/// be measured, or if the result could not be written.
Expected<RunOutcome> run(const RunRequest& request, measure::SessionEvents& events);

/// The changes that such a session could detect, given the noise of this machine's newest result with enough processes.
/// With `against`, assumes that every benchmark differs from its base. Starts no benchmark, builds nothing.
Expected<judge::Forecast> forecast_run(const RunRequest& request, measure::SessionEvents& events);

}  // namespace lab::app
