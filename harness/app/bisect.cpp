#include "harness/app/bisect.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "harness/base/child.h"
#include "harness/base/utc.h"
#include "harness/measure/machine.h"
#include "harness/measure/meter.h"
#include "harness/measure/provenance.h"
#include "harness/measure/revisions.h"
#include "harness/results/journal.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

constexpr double kProcessSeconds = 0.5;
constexpr double kBenchmarkTimeout = 60;
constexpr double kCommandTimeout = 3600;
constexpr double kAfterBudget = 0.05;  ///< seconds; so that the search's own clock says so, too

/// Completes the request with the ends, the repository and this machine.
Expected<results::BisectQuestion> complete(const BisectRequest& request, const measure::Revisions& revisions,
                                           const measure::MallocLibraries& mallocs) {
  const Expected<std::string> good = revisions.resolve(request.good);
  if (!good) return in_context("--good", good.error());
  const Expected<std::string> bad = revisions.resolve(request.bad);
  if (!bad) return in_context("--bad", bad.error());
  Expected<std::vector<results::Commit>> path = revisions.between(*good, *bad);
  if (!path) return path.error();
  const Expected<results::Commit> first = revisions.describe(*good);
  if (!first) return first.error();
  results::BisectQuestion question{};
  question.benchmark = request.benchmark;
  question.command = request.command;
  if (!mallocs.empty()) question.malloc_hash = mallocs.front()->hash();
  question.seed = request.seed;
  question.timeout_seconds =
      request.timeout_seconds.value_or(question.benchmark.empty() ? kCommandTimeout : kBenchmarkTimeout);
  question.commits = {*first};
  question.commits.insert(question.commits.end(), path->begin(), path->end());
  question.repository = fs::weakly_canonical(request.repository).string();
  const std::vector<int> allowed = measure::allowed_cpus();
  question.threads = static_cast<unsigned>(std::max<std::size_t>(1, allowed.size()));
  if (question.benchmark.empty()) return question;
  question.process_seconds = kProcessSeconds;
  question.cpu = measure::choose_cpu("/", allowed);
  const Expected<results::Build> build = measure::read_build(request.build_dir);
  if (!build) return build.error();
  question.how = {build->toolchain, build->config, build->march};
  return question;
}

}  // namespace

Expected<BisectOutcome> bisect(const BisectRequest& request, BisectEvents& events) {
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  // The end of the budget stops what runs, as an interrupt does.
  double deadline = std::numeric_limits<double>::infinity();
  const Runner runner = [&](const ChildSpec& child) {
    const double left = deadline - monotonic_seconds();
    if (left > child.timeout_seconds) return run_child(child, request.stop_file);
    ChildOutcome outcome;
    outcome.end = ChildEnd::kStopped;
    if (left <= 0) return outcome;
    ChildSpec limited = child;
    limited.timeout_seconds = left;
    outcome = run_child(limited, request.stop_file);
    if (outcome.end == ChildEnd::kTimedOut) outcome.end = ChildEnd::kStopped;
    return outcome;
  };
  Expected<measure::Revisions> revisions =
      measure::Revisions::open(request.repository, measure::Revisions::default_cache(), runner);
  if (!revisions) return revisions.error();
  // Another repository stays unchanged. In this one, the next bisect reuses the worktrees.
  if (!revisions->is_of(request.root)) revisions->remove_trees_at_end();
  std::vector<fs::path> files;
  if (request.malloc) files.push_back(*request.malloc);
  const Expected<measure::MallocLibraries> mallocs = measure::read_malloc_libraries("--malloc", files);
  if (!mallocs) return mallocs.error();
  const Expected<results::BisectQuestion> wanted = complete(request, *revisions, *mallocs);
  if (!wanted) return wanted.error();

  const fs::path folder = results::machine_folder(request.root, *machine) / "bisect";
  Expected<results::BisectRecord> record =
      results::BisectRecord::open(results::bisect_record_path(folder, *wanted), *wanted, request.restart);
  if (!record) return record.error();
  events.on_open(*record);
  const results::BisectQuestion& question = record->question();
  const std::unique_ptr<measure::Meter> meter =
      question.benchmark.empty()
          ? measure::command_meter(question, *revisions, runner)
          : measure::benchmark_meter(
                question, *revisions, runner, [&](std::string_view line) { events.on_build_output(line); }, *mallocs);
  if (request.goal.budget_seconds > 0) deadline = monotonic_seconds() + request.goal.budget_seconds + kAfterBudget;
  const Expected<judge::BisectVerdict> verdict =
      search(request.goal, *meter, *record, {monotonic_seconds, utc_now}, events);
  deadline = std::numeric_limits<double>::infinity();  // worktrees are still to be removed
  events.on_end(*record, verdict.has_value());
  if (!verdict) return verdict.error();
  return BisectOutcome{*verdict, question, record->path()};
}

}  // namespace lab::app
