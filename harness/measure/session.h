/// A session: block after block of processes until the plan, the budget or the user ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/measure/conditions.h"
#include "harness/measure/plan.h"
#include "harness/measure/stopping_rule.h"
#include "harness/results/result.h"

namespace lab::measure {

/// A benchmark of an arm other than head. In every block it runs beside head's benchmark of that name.
struct ArmBenchmark {
  std::string arm;
  Benchmark benchmark;
};

struct SessionSpec {
  Selection selection;               ///< of head
  std::vector<ArmBenchmark> beside;  ///< head's own is in `selection`
  Pace pace;
  std::uint64_t seed = 1;  ///< of the workloads and of the order in every block
  std::optional<int> cpu;  ///< for workloads that are not parallel
  unsigned threads = 1;    ///< for those that are
  std::optional<double>
      process_timeout;            ///< seconds; none: kTimeoutSeconds and kTimeoutFactor times its measuring time
  std::optional<double> started;  ///< by World::now, where the session began before run_session
};

inline constexpr double kTimeoutSeconds = 15;
inline constexpr double kTimeoutFactor = 10;

/// What a session touches of the world; the seam for tests.
struct World {
  std::function<double()> now;  ///< monotonic seconds
  Runner run;
  std::function<bool()> interrupted;
  std::function<std::string()> utc;                              ///< RFC 3339
  std::function<Expected<void>(std::string_view line)> journal;  ///< keeps one line at once
  std::function<CpuUse()> cpu_use;                               ///< none: what disturbs a block is not recorded
};

struct Progress {
  std::string_view benchmark;  ///< about to run
  std::string_view arm;
  int block = 0;              ///< from 0
  int blocks = 0;             ///< as many as there will be, as it looks now
  std::size_t position = 0;   ///< from 0
  std::size_t processes = 0;  ///< of this block
  double seconds_left = 0;    ///< of the session
  std::size_t failures = 0;   ///< so far
};

/// Before anything is measured.
struct ConformanceProgress {
  std::string_view variant;  ///< about to be asked, in its arm
  std::string_view arm;
  std::size_t asked = 0;        ///< so many executables have been
  std::size_t executables = 0;  ///< in all, by content
};

struct Observer {
  std::function<void(const Progress&)> on_process;
  std::function<void(const results::Failure&)> on_failure;
  std::function<void(const results::Result&)> on_block;  ///< after every complete block, with the result so far
  std::function<void(const ConformanceProgress&)> on_conformance;
};

/// Fills `result`, whose head is given, with processes, failures and what disturbed each block, and sets its session's
/// blocks, ended and state.
///
/// Every executable, once by its content, is first asked for its conformance. One that fails is not run: each check
/// that failed is a failure of its variant in that arm. A reference that fails answers for nobody. The pace's budget
/// begins after that.
///
/// A process that crashes, hangs, says nothing sensible or reads back something wrong ends its benchmark for this
/// session: it is not run again, neither a second chance that would hide what happens one time in ten, nor another
/// timeout out of the others' budget. Where that was head's, its other arms end too: there is nothing to compare them
/// with. What it measured before stays, unless its answer was wrong. Answers are compared with the reference variant's
/// at the end of every block (in the first, the reference may come last) and at the end of the session.
///
/// With a target, a benchmark whose interval is within it rests, in all arms, and leaves its time to the others. The
/// interval is as `rule` says; in a session with a base, benchmarks without one have no target.
/// A benchmark with a control never rests: it watches the whole session.
///
/// An error only where the journal cannot be written; `result` then holds what was kept.
Expected<void> run_session(const SessionSpec& spec, const StoppingRule& rule, const World& world,
                           const Observer& observer, results::Result& result);

}  // namespace lab::measure
