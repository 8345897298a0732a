#include "harness/cli/run_terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "harness/app/report.h"
#include "harness/base/fit.h"
#include "harness/judge/fitness.h"
#include "harness/measure/arms.h"
#include "harness/report/comparison_text.h"
#include "harness/report/fitness_text.h"
#include "harness/report/provenance.h"
#include "harness/report/run_table.h"
#include "harness/results/commit.h"

namespace lab::cli {

namespace {

std::string start_text(const measure::SessionSpec& spec, const std::string& machine) {
  const double budget = spec.length.budget_seconds;
  const std::size_t all = spec.selection.benchmarks.size();
  const auto core =
      static_cast<std::size_t>(std::ranges::count(spec.selection.benchmarks, true, &measure::Benchmark::core));
  if (!spec.turns.empty() && core > 0 && core < all)
    return fmt::format("{} on machine {}, then as many of {} as {} of measuring allow", counted(core, "core benchmark"),
                       machine, counted(all - core, "other"), duration_text(budget));
  return fmt::format("{} on machine {}, {}", counted(all, "benchmark"), machine,
                     budget > 0 ? fmt::format("up to {} of measuring", duration_text(budget))
                                : counted(static_cast<std::size_t>(spec.length.blocks), "block"));
}

}  // namespace

void RunTerminal::on_build(const std::string& revision, const std::string& sha, const std::filesystem::path& log) {
  if (!log.empty())
    print("building {} ({}) with its own make.py; log: {}", revision, results::short_commit(sha), log.string());
  build_.begin(fmt::format("run: building {}", revision));
}

void RunTerminal::on_base(const std::string& base, const measure::Pairing& pairing) {
  print("against {}: {} timed in both", base, counted(pairing.timed.size(), "benchmark"));
  if (pairing.identical > 0)
    print("{} identical code in both: not timed again, and not judged",
          counted(pairing.identical, "benchmark has", "benchmarks have"));
}

void RunTerminal::on_leftover(const results::Leftover& leftover) {
  if (leftover.problem.empty())
    print("an earlier session was killed; its {} are saved in {}", counted(leftover.processes, "process", "processes"),
          leftover.result.string());
  else
    print("the journal of an earlier session is unreadable and is kept: {}", leftover.problem);
}

void RunTerminal::on_start(const measure::SessionSpec& spec, const results::Result& head) {
  print("{}", start_text(spec, head.machine.id));
  show_waiting(head.session);
  std::vector<std::string> control;
  const auto fixed = std::ranges::count(spec.other_arms, results::kFixed, &measure::ArmBenchmark::arm);
  for (const measure::ArmBenchmark& other : spec.other_arms)
    if (other.arm == results::kControl) control.push_back(other.benchmark.name);
  if (!control.empty()) print("A/A control: one build as two arms in {}", fmt::join(control, ", "));
  if (fixed > 0) print("fixed build: {}", counted(static_cast<std::size_t>(fixed), "benchmark"));
  for (const std::string& sentence : head.session.unusual) show_unusual(sentence);
  for (const results::Failure& failure : head.failures) on_failure(failure);
}

void RunTerminal::show_unusual(const std::string& sentence) {
  if (unusual_.insert(sentence).second) print("unusual: {}", sentence);
}

void RunTerminal::show_waiting(const results::Session& session) {
  if (session.waiting.size() == waiting_) return;
  waiting_ = session.waiting.size();
  print("{}", report::waiting_text(session));
}

void RunTerminal::on_conformance(const measure::ConformanceProgress& progress) {
  const std::string all = counted(progress.executables, "executable");
  if (line_.live())
    line_.show(fmt::format("run: conformance of {}: {}", all, results::subject(progress.variant, progress.arm)));
  else if (progress.checked == 0)
    print("conformance of {}", all);
}

void RunTerminal::on_process(const measure::SessionProgress& progress) {
  planned_blocks_ = progress.blocks;
  const std::string failures = progress.failures == 0 ? "" : fmt::format(", {} failed", progress.failures);
  std::string block = fmt::format("block {}", progress.block + 1);
  if (progress.blocks > 0) block += fmt::format("/{}", progress.blocks);
  const std::string left = duration_text(progress.seconds_left);
  if (line_.live())
    line_.show(fmt::format("run: {}, {}/{}, {} left{}: {}", block, progress.position + 1, progress.processes, left,
                           failures, results::subject(progress.benchmark, progress.arm)));
  else if (progress.position == 0)
    print("{}: {}, {} left{}", block, counted(progress.processes, "process", "processes"), left, failures);
}

void RunTerminal::on_wait(const measure::WaitProgress& progress) {
  const auto& [look, busy, seconds, most_seconds] = progress;
  const std::string work = fmt::format("other work to end ({})", cpus_text(busy));
  if (line_.live())
    line_.show(fmt::format("run: waiting for {}: {:.0f} of at most {:.0f} s", work, seconds, most_seconds));
  else if (look == 0)
    print("waiting at most {:.0f} s for {}", most_seconds, work);
}

void RunTerminal::on_failure(const results::Failure& failure) {
  print("failed: {}: {}: {}", results::subject(failure.benchmark, failure.arm), failure.kind, failure.detail);
}

void RunTerminal::on_fixed(const std::vector<measure::Benchmark>& kept, const std::string& problem) {
  if (problem.empty())
    print("kept as the fixed build of this machine: {}", counted(kept.size(), "benchmark"));
  else
    print("no fixed build: {}", problem);
}

void RunTerminal::on_exhibit(const measure::ExhibitProgress& progress) {
  if (line_.live())
    line_.show(fmt::format("run: exhibits {}/{}: {}", progress.done + 1, progress.all, progress.benchmark));
  else if (progress.done == 0)
    print("exhibits: {}", counted(progress.all, "process", "processes"));
}

void RunTerminal::on_measured(const std::vector<std::string>& disturbances) {
  line_.clear();
  for (const std::string& sentence : disturbances) show_unusual(sentence);
}

// A report that cannot be written must not cost the measurements.
void RunTerminal::on_block(const results::Result& result) {
  if (!report_) return;
  if (const Expected<void> written = app::keep_report(result, *report_, planned_blocks_); !written)
    print("{}", written.error().what);
}

void RunTerminal::write_report(const std::filesystem::path& result) {
  if (!report_) return;
  print("writing the report");
  app::ReportRequest request;
  request.results = {result.string()};
  request.out = *report_;
  request.together = true;
  const auto tell = [&](const report::ReportFiles& files) {
    print("report: {} and {}", files.index.string(), counted(files.charts.size(), "chart"));
  };
  if (const Expected<ExitStatus> written = app::report(request, tell); !written)
    print("report not written: {}", written.error().what);
}

void RunTerminal::end(const app::RunOutcome& outcome) {
  const results::Result& result = outcome.result;
  const results::Session& session = result.session;
  fmt::print("{}", report::run_table(result, output_width(STDOUT_FILENO), outcome.metrics));
  std::fflush(stdout);
  print("{} after {}, {}; timed {:.0f} % of {}", session.state,
        counted(static_cast<std::size_t>(session.blocks), "block"),
        counted(result.processes.size(), "process", "processes"),
        100 * session.timed_seconds / std::max(1e-9, session.wall_seconds), duration_text(session.wall_seconds));
  show_waiting(session);
  const judge::Fitness fitness = judge::judge_fitness(result);
  const std::vector<std::string> unfit = report::unfit_sentences(fitness);
  unusual_.insert(unfit.begin(), unfit.end());  // printed below, or why there are no verdicts
  for (const std::string& sentence : session.unusual) show_unusual(sentence);
  if (fitness.control.fit) print("{}", report::control_sentence(fitness.control));
  if (!result.failures.empty()) print("{}:", counted(result.failures.size(), "failure"));
  for (const results::Failure& failure : result.failures) on_failure(failure);
  for (const std::string& sentence : unfit) print("{}", sentence);
  if (!outcome.no_verdicts.empty()) print("no verdicts: {}", outcome.no_verdicts);
  if (outcome.verdicts)
    fmt::print("\n{}\n", report::to_text(*outcome.verdicts,
                                         {is_live_terminal(STDOUT_FILENO), false, output_width(STDOUT_FILENO)}));
  std::fflush(stdout);
  write_report(outcome.path);
  fmt::print("{}\n", outcome.path.string());
}

}  // namespace lab::cli
