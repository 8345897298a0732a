/// A session: runs blocks of processes until the plan, the budget or the user ends it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/measure/conditions.h"
#include "harness/measure/plan.h"
#include "harness/measure/session_events.h"
#include "harness/results/result.h"

namespace lab::measure {

/// A benchmark of an arm other than head. In every block it runs next to head's benchmark of that name.
struct ArmBenchmark {
  std::string arm;
  Benchmark benchmark;
};

struct SessionSpec {
  BenchmarkSelection selection;          ///< of head
  std::vector<ArmBenchmark> other_arms;  ///< benchmarks of the other arms; head's are in `selection`
  SessionLength length;
  std::uint64_t seed = 1;              ///< of the workloads and of the order in every block
  std::optional<int> cpu;              ///< for workloads that are not parallel
  unsigned threads = 1;                ///< for workloads that are parallel
  std::string device = {};             ///< for workloads of a device; "": none
  std::filesystem::path scratch = {};  ///< folder for exhibits and for the reference's answers with a tolerance
  /// Seconds; none: kTimeoutSeconds (kExactTimeoutSeconds if it counts exact metrics, too) and kTimeoutFactor times its
  /// measuring time.
  std::optional<double> process_timeout;
  std::optional<double> started;  ///< by SessionEnvironment::now, where the session began before run_session
  /// Names of head's benchmarks, in the order of their claim on time: see breadth.h. What gets no interval waits for
  /// another session. Empty: all of them are in every block, and none waits.
  std::vector<std::vector<std::string>> turns = {};
  std::vector<results::Waiting> waiting = {};  ///< not selected, because they had no turn; sorted by benchmark
  std::uint64_t exact_first = 0;               ///< see ExactTurns
  bool until_stopped = false;  ///< an interruption after the first process is the end of the budget: "out of time"
  std::size_t most_bytes = kMostResultBytes;  ///< of the result: the session keeps fewer samples, or ends early
};

inline constexpr double kTimeoutSeconds = 15;
/// What counting takes is limited by counts, and not by time, so that all machines have the same metrics.
inline constexpr double kExactTimeoutSeconds = 120;
inline constexpr double kTimeoutFactor = 10;

/// What a session needs of the system; tests supply their own.
struct SessionEnvironment {
  std::function<double()> now;  ///< monotonic seconds
  Runner run;
  std::function<bool()> interrupted;
  std::function<std::string()> utc;                              ///< RFC 3339
  std::function<Expected<void>(std::string_view line)> journal;  ///< writes one line at once
  std::function<CpuUse()> cpu_use;                               ///< none: disturbances of a block are not recorded
  /// Whether an executable with this content hash is known to conform; none: nothing is known.
  std::function<bool(const std::string& hash)> known_to_conform = {};
  std::function<void(const std::string& hash)> on_conforms = {};  ///< it was checked and conforms
  std::size_t checks_at_once = 1;                                 ///< of executables' conformance; more: `run` may too
  /// Waits so many seconds, or until the session is interrupted; none: the session never waits for other work to end.
  std::function<void(double seconds)> wait = {};
};

/// How a session judges its numbers. The session only measures; its caller supplies this rule.
struct StoppingRule {
  /// Removes the processes of every benchmark with a wrong answer, and appends one failure for each. Returns how many
  /// it appended. Called after every block.
  std::function<std::size_t(results::Result&)> reject_wrong_answers;
  /// Half the width of a benchmark's interval divided by its middle; 1 if there are too few processes for an interval.
  /// The interval is head's, or, if `compared` benchmarks of the session (more than 0) have a base, that of the ratio
  /// to it.
  std::function<double(const results::Result&, const std::string& benchmark, std::size_t compared)> relative_half_width;
  /// Whether other work disturbed a block; none: nothing counts as disturbed.
  std::function<bool(const results::Disturbance&)> is_disturbed;
  /// Each "family/workload" whose answers were only compared with each other, because the reference gave none.
  std::function<std::vector<std::string>(const results::Result&)> without_reference;
};

/// Fills `result`, whose head is given, with processes, failures and the disturbance of each block, and sets its
/// session's blocks, ended and state.
///
/// Every executable, once by its content, is first checked for conformance, unless it is known to conform. One that
/// fails is not run: each failed check is a failure of its variant in that arm. A reference that fails gives no answers
/// to compare with. The budget begins after that; if the checks took more than a tenth of it, a sentence in `unusual`
/// says so.
///
/// With turns, breadth.h chooses the benchmarks of each block: intervals of core benchmarks, intervals of the others,
/// then precision. In the end, those without an interval wait for another session: their processes are removed, and
/// they are added to the session's `waiting`.
///
/// Before the first block the reference variant writes its answers to the workloads with a tolerance, and every process
/// of these reports its distance from them.
///
/// A process that crashes, hangs, prints invalid output or reads back wrong content ends its benchmark for this
/// session. It is not retried, because a retry would hide a failure that happens one time in ten, and another timeout
/// would use the others' budget. If head's benchmark ends, so do its other arms: there is nothing to compare them with.
/// Earlier measurements are kept, unless the answer was wrong. Answers are compared with the reference variant's at the
/// end of every block (in the first, the reference may come last) and at the end of the session.
///
/// With a target, a benchmark whose interval is within it is paused in all its arms and leaves its time to the others.
/// `rule` defines the interval; in a session with a base, benchmarks without one have no target. A benchmark with a
/// control is never paused: it monitors the whole session.
///
/// With a budget, a block that other work disturbed is repeated, so that as many undisturbed ones exist as were
/// planned: see kMostRepeated. Before the next one, the session waits until the other work has ended (quiet_wait.h). On
/// a quiet machine, neither costs time.
///
/// An error only if the journal cannot be written; `result` then holds what was written.
Expected<void> run_session(const SessionSpec& spec, const StoppingRule& rule, const SessionEnvironment& environment,
                           SessionEvents& events, results::Result& result);

}  // namespace lab::measure
