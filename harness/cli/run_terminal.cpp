#include "harness/cli/run_terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "harness/app/report.h"
#include "harness/base/fit.h"
#include "harness/judge/fitness.h"
#include "harness/report/comparison_text.h"
#include "harness/report/run_table.h"
#include "harness/results/commit.h"

namespace lab::cli {

namespace {

/// "timed 71 % of 121 s".
std::string timed_phrase(const results::Session& session) {
  return fmt::format("timed {:.0f} % of {}", 100 * session.timed_seconds / std::max(1e-9, session.wall_seconds),
                     duration_text(session.wall_seconds));
}

}  // namespace

app::RunObserver RunTerminal::observer() {
  return {{[this](const auto& revision, const auto& sha, const auto& log) { begin_build(revision, sha, log); },
           [this](const auto& revision) { talk_.begin(fmt::format("run: building {}", revision)); },
           [this](std::string_view said) { talk_.tell(said); }, [this] { line_.clear(); }},
          [this](const auto& base, const auto& pairing) { show_base(base, pairing); },
          [this](const auto& leftover) { show_leftover(leftover); },
          [this](const auto& spec, const auto& head) { show_start(spec, head); },
          [this](const auto& progress) { show_conformance(progress); },
          [this](const auto& progress) { show_process(progress); },
          [this](const auto& failure) { show_failure(failure); },
          [this](const auto& result, std::optional<int> planned_blocks) { keep_report(result, planned_blocks); },
          [this](const auto& disturbances) { show_disturbances(disturbances); }};
}

void RunTerminal::show_base(const std::string& base, const measure::Pairing& pairing) {
  line_.print(
      fmt::format("run: against {}: {} timed in both", base, counted(pairing.timed.size(), "benchmark", "benchmarks")));
  if (pairing.identical > 0)
    line_.print(fmt::format("run: {} identical code in both: not timed again, and not judged",
                            counted(pairing.identical, "benchmark has", "benchmarks have")));
}

void RunTerminal::show_leftover(const results::Leftover& leftover) {
  if (leftover.problem.empty())
    line_.print(fmt::format("run: a session before was cut off; its {} processes are now {}", leftover.processes,
                            leftover.result.string()));
  else
    line_.print(fmt::format("run: a journal of a session before cannot be read and stays: {}", leftover.problem));
}

void RunTerminal::show_start(const measure::SessionSpec& spec, const results::Result& head) {
  const measure::Pace& pace = spec.pace;
  const std::string each = pace.budget_seconds > 0
                               ? fmt::format("up to {} of measuring", duration_text(pace.budget_seconds))
                               : counted(static_cast<std::size_t>(pace.blocks), "block", "blocks");
  line_.print(fmt::format("run: {} on machine {}, {}",
                          counted(spec.selection.benchmarks.size(), "benchmark", "benchmarks"), head.machine.id, each));
  std::vector<std::string> control;
  for (const measure::ArmBenchmark& other : spec.other_arms)
    if (other.arm == results::kControl) control.push_back(other.benchmark.name);
  if (!control.empty())
    line_.print(fmt::format("run: control: {} {} in two arms, which cannot differ", fmt::join(control, ", "),
                            control.size() == 1 ? "runs" : "run"));
  for (const std::string& sentence : head.session.unusual) line_.print(fmt::format("run: unusual: {}", sentence));
  for (const results::Failure& failure : head.failures) show_failure(failure);
}

void RunTerminal::show_conformance(const measure::ConformanceProgress& progress) {
  const std::string all = counted(progress.executables, "executable", "executables");
  if (line_.live())
    line_.show(fmt::format("run: conformance of {}: {}", all, results::subject(progress.variant, progress.arm)));
  else if (progress.asked == 0)
    line_.print(fmt::format("run: conformance of {}", all));
}

void RunTerminal::show_process(const measure::SessionProgress& progress) {
  const std::string failures = progress.failures == 0 ? "" : fmt::format(", {} failed", progress.failures);
  const std::string block = fmt::format("block {}/{}", progress.block + 1, progress.blocks);
  const std::string left = duration_text(progress.seconds_left);
  if (line_.live())
    line_.show(fmt::format("run: {}, {}/{}, {} left{}: {}", block, progress.position + 1, progress.processes, left,
                           failures, results::subject(progress.benchmark, progress.arm)));
  else if (progress.position == 0)
    line_.print(fmt::format("run: {}: {}, {} left{}", block, counted(progress.processes, "process", "processes"), left,
                            failures));
}

void RunTerminal::show_failure(const results::Failure& failure) {
  line_.print(fmt::format("run: failed: {}: {}: {}", results::subject(failure.benchmark, failure.arm), failure.kind,
                          failure.detail));
}

void RunTerminal::begin_build(const std::string& revision, const std::string& sha, const std::filesystem::path& log) {
  line_.print(fmt::format("run: building {} ({}) by its own make.py; the log is {}", revision,
                          results::short_commit(sha), log.string()));
}

void RunTerminal::keep_report(const results::Result& result, std::optional<int> planned_blocks) {
  if (!report_) return;
  // A report that cannot be written must not cost the measurements.
  if (const Expected<void> written = app::keep_report(result, *report_, planned_blocks); !written)
    line_.print(fmt::format("run: the report: {}", written.error().what));
}

void RunTerminal::show_disturbances(const std::vector<std::string>& disturbances) {
  line_.clear();
  for (const std::string& sentence : disturbances) line_.print(fmt::format("run: unusual: {}", sentence));
}

void RunTerminal::end(const app::RunOutcome& outcome) {
  const results::Result& result = outcome.result;
  const results::Session& session = result.session;
  fmt::print("{}", report::run_table(result, output_width(STDOUT_FILENO)));
  std::fflush(stdout);
  line_.print(fmt::format("run: {} after {}, {}; {}", session.state,
                          counted(static_cast<std::size_t>(session.blocks), "block", "blocks"),
                          counted(result.processes.size(), "process", "processes"), timed_phrase(session)));
  const judge::Control control = judge::judge_control(result);
  if (control.fit) line_.print(fmt::format("run: {}", control.sentence));
  if (!result.failures.empty()) {
    line_.print(fmt::format("run: {}:", counted(result.failures.size(), "failure", "failures")));
    for (const results::Failure& failure : result.failures) show_failure(failure);
  }
  for (const std::string& sentence : judge::judge_fitness(result, control).sentences)
    line_.print(fmt::format("run: {}", sentence));
  if (!outcome.no_verdicts.empty()) line_.print(fmt::format("run: no verdicts: {}", outcome.no_verdicts));
  if (outcome.verdicts)
    fmt::print("\n{}\n", report::to_text(*outcome.verdicts,
                                         {is_live_terminal(STDOUT_FILENO), false, output_width(STDOUT_FILENO)}));
  fmt::print("{}\n", outcome.path.string());
}

}  // namespace lab::cli
