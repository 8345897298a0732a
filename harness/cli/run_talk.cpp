#include "harness/cli/run_talk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "harness/cli/run_table.h"
#include "harness/cli/talk.h"
#include "harness/judge/fitness.h"

namespace lab::cli {

namespace {

/// "timed 71 % of 121 s".
std::string timed_phrase(const results::Session& session) {
  return fmt::format("timed {:.0f} % of {}", 100 * session.timed_seconds / std::max(1e-9, session.wall_seconds),
                     duration_text(session.wall_seconds));
}

}  // namespace

void tell_leftover(const results::Leftover& leftover, StatusLine& line) {
  if (leftover.problem.empty())
    line.print(fmt::format("run: a session before was cut off; its {} processes are now {}", leftover.processes,
                           leftover.result.string()));
  else
    line.print(fmt::format("run: a journal of a session before cannot be read and stays: {}", leftover.problem));
}

void tell_start(const measure::SessionSpec& spec, const results::Result& head, StatusLine& line) {
  const measure::Pace& pace = spec.pace;
  const std::string each = pace.budget_seconds > 0
                               ? fmt::format("up to {} of measuring", duration_text(pace.budget_seconds))
                               : counted(static_cast<std::size_t>(pace.blocks), "block", "blocks");
  line.print(fmt::format("run: {} on machine {}, {}",
                         counted(spec.selection.benchmarks.size(), "benchmark", "benchmarks"), head.machine.id, each));
  std::vector<std::string> control;
  for (const measure::ArmBenchmark& other : spec.beside)
    if (other.arm == results::kControl) control.push_back(other.benchmark.name);
  if (!control.empty())
    line.print(fmt::format("run: control: {} {} in two arms, which cannot differ", fmt::join(control, ", "),
                           control.size() == 1 ? "runs" : "run"));
  for (const std::string& sentence : head.session.unusual) line.print(fmt::format("run: unusual: {}", sentence));
}

void tell_base(const std::string& base, const measure::Pairing& pairing, StatusLine& line) {
  line.print(
      fmt::format("run: against {}: {} timed in both", base, counted(pairing.timed.size(), "benchmark", "benchmarks")));
  if (pairing.identical > 0)
    line.print(fmt::format("run: {} identical code in both: not timed again, and not judged",
                           counted(pairing.identical, "benchmark has", "benchmarks have")));
}

void tell_failure(const results::Failure& failure, StatusLine& line) {
  line.print(fmt::format("run: failed: {}: {}: {}", results::subject(failure.benchmark, failure.arm), failure.kind,
                         failure.detail));
}

void tell_conformance(const measure::ConformanceProgress& progress, StatusLine& line) {
  const std::string all = counted(progress.executables, "executable", "executables");
  if (line.live())
    line.show(fmt::format("run: conformance of {}: {}", all, results::subject(progress.variant, progress.arm)));
  else if (progress.asked == 0)
    line.print(fmt::format("run: conformance of {}", all));
}

void tell_progress(const measure::Progress& progress, StatusLine& line) {
  const std::string failures = progress.failures == 0 ? "" : fmt::format(", {} failed", progress.failures);
  const std::string block = fmt::format("block {}/{}", progress.block + 1, progress.blocks);
  const std::string left = duration_text(progress.seconds_left);
  if (line.live())
    line.show(fmt::format("run: {}, {}/{}, {} left{}: {}", block, progress.position + 1, progress.processes, left,
                          failures, results::subject(progress.benchmark, progress.arm)));
  else if (progress.position == 0)
    line.print(fmt::format("run: {}: {}, {} left{}", block, counted(progress.processes, "process", "processes"), left,
                           failures));
}

void tell_end(const results::Result& result, StatusLine& line) {
  const results::Session& session = result.session;
  fmt::print("{}", run_table(result, output_width(STDOUT_FILENO)));
  std::fflush(stdout);
  line.print(fmt::format("run: {} after {}, {}; {}", session.state,
                         counted(static_cast<std::size_t>(session.blocks), "block", "blocks"),
                         counted(result.processes.size(), "process", "processes"), timed_phrase(session)));
  const judge::Control control = judge::judge_control(result);
  if (control.fit) line.print(fmt::format("run: {}", control.sentence));
  if (!result.failures.empty()) {
    line.print(fmt::format("run: {}:", counted(result.failures.size(), "failure", "failures")));
    for (const results::Failure& failure : result.failures) tell_failure(failure, line);
  }
  for (const std::string& sentence : judge::judge_fitness(result, control).sentences)
    line.print(fmt::format("run: {}", sentence));
}

}  // namespace lab::cli
