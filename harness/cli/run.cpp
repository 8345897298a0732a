// run: measures benchmarks and writes one result. Talk and progress go to standard error; standard output has the table
// and, as its last line, the result's path.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/base/utc.h"
#include "harness/bench/variant.h"
#include "harness/cli/commands.h"
#include "harness/exec/interrupt.h"
#include "harness/exec/machine.h"
#include "harness/exec/provenance.h"
#include "harness/exec/session.h"
#include "harness/results/journal.h"
#include "harness/results/summary.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

RefreshReport refresh_report = nullptr;

Error usage_error(std::string what, std::string hint) {
  return Error{std::move(what), std::move(hint), ExitStatus::kUsage};
}

Expected<exec::Pace> parse_pace(const Options& options) {
  if (options.has("--quick") + options.has("--full") + options.has("--processes") > 1)
    return usage_error("expected at most one of --quick, --full and --processes", "");
  exec::Pace pace = options.has("--quick")  ? exec::quick_pace()
                    : options.has("--full") ? exec::full_pace()
                                            : exec::default_pace();
  if (options.has("--processes")) {
    const Expected<std::int64_t> processes = options.integer("--processes", 0, 1, 10'000);
    if (!processes) return processes.error();
    pace = exec::processes_pace(static_cast<int>(*processes));
  }
  const Expected<double> budget = options.number("--budget", pace.budget_seconds, 0.1, 1e7);
  if (!budget) return budget.error();
  pace.budget_seconds = *budget;
  return pace;
}

/// What is to be run, from the command line alone.
Expected<exec::SessionSpec> parse_spec(const Options& options) {
  if (!options.positional().empty())
    return usage_error(fmt::format("run takes no argument, found '{}'", options.positional().front()),
                       fmt::format("python3 make.py run --filter '{}'", options.positional().front()));
  exec::SessionSpec spec;
  const Expected<exec::Pace> pace = parse_pace(options);
  if (!pace) return pace.error();
  spec.pace = *pace;
  const Expected<std::int64_t> seed = options.integer("--seed", 1, 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) return seed.error();
  spec.seed = static_cast<std::uint64_t>(*seed);
  const Expected<double> timeout = options.number("--timeout", 0, 0.1, 1e6);
  if (!timeout) return timeout.error();
  if (*timeout > 0) spec.process_timeout = *timeout;
  return spec;
}

/// Everything of a result that is known before its first process.
Expected<results::Result> make_head(const exec::SessionSpec& spec, std::size_t allowed) {
  const std::string now = utc(std::time(nullptr));
  const Expected<results::Build> build = exec::read_build(build_dir());
  if (!build) return build.error();
  results::Result head;
  head.build = *build;
  head.context = exec::read_context("/", now, build->config);
  head.machine = exec::this_machine();
  head.facts = exec::read_facts("/");
  head.pins = exec::read_pins(root_dir());
  head.source = exec::read_source(root_dir());
  head.session.started = now;
  head.session.seed = spec.seed;
  head.session.mode = spec.pace.mode;
  head.session.budget_seconds = spec.pace.budget_seconds;
  head.session.protocol = bench::kProtocol;
  head.session.unusual = exec::find_unusual(head, exec::environment(), allowed);
  head.workloads = spec.selection.workloads;
  head.variants = spec.selection.variants;
  head.unsupported = spec.selection.unsupported;
  head.failures = spec.selection.failures;
  return head;
}

void tell_leftover(const results::Leftover& leftover, StatusLine& line) {
  if (leftover.problem.empty())
    line.print(fmt::format("run: a session before was cut off; its {} processes are now {}", leftover.processes,
                           leftover.result.string()));
  else
    line.print(fmt::format("run: a journal of a session before cannot be read and stays: {}", leftover.problem));
}

Expected<results::Journal> open_journal(const Options& options, results::Result& head, StatusLine& line) {
  const std::string stem = results::result_stem(head.session.started, head.source);
  if (const std::optional<std::string> out = options.value("--out")) {
    if (const auto leftover = results::recover_leftover(results::journal_for(*out))) tell_leftover(*leftover, line);
    return results::Journal::create_for(*out, stem, head);
  }
  const fs::path folder = results::machine_folder(root_dir(), head.machine);
  for (const results::Leftover& leftover : results::recover_leftovers(folder)) tell_leftover(leftover, line);
  return results::Journal::create(folder, stem, head);
}

std::string counted(std::size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

void tell_start(const exec::SessionSpec& spec, const results::Result& head, StatusLine& line) {
  const exec::Pace& pace = spec.pace;
  const std::string each = pace.budget_seconds > 0
                               ? fmt::format("up to {} of measuring", duration_text(pace.budget_seconds))
                               : counted(static_cast<std::size_t>(pace.blocks), "block", "blocks");
  line.print(fmt::format("run: {} on machine {}, {}",
                         counted(spec.selection.benchmarks.size(), "benchmark", "benchmarks"), head.machine.id, each));
  for (const std::string& sentence : head.session.unusual) line.print(fmt::format("run: unusual: {}", sentence));
}

void tell_failure(const results::Failure& failure, StatusLine& line) {
  line.print(fmt::format("run: failed: {}: {}: {}", failure.benchmark, failure.kind, failure.detail));
}

void tell_progress(const exec::Progress& progress, StatusLine& line) {
  const std::string failures = progress.failures == 0 ? "" : fmt::format(", {} failed", progress.failures);
  const std::string block = fmt::format("block {}/{}", progress.block + 1, progress.blocks);
  const std::string left = duration_text(progress.seconds_left);
  if (line.live())
    line.show(fmt::format("run: {}, {}/{}, {} left{}: {}", block, progress.position + 1, progress.processes, left,
                          failures, progress.benchmark));
  else if (progress.position == 0)
    line.print(fmt::format("run: {}: {}, {} left{}", block, counted(progress.processes, "benchmark", "benchmarks"),
                           left, failures));
}

std::string time_text(double nanoseconds) {
  return nanoseconds < 1000 ? fmt::format("{:.4g}", nanoseconds) : fmt::format("{:.0f}", nanoseconds);
}

std::string table(const results::Result& result) {
  const std::vector<results::Row> rows = results::summarize(result);
  std::size_t width = std::string_view("benchmark").size();
  for (const results::Row& row : rows) width = std::max(width, row.benchmark.size());
  std::string text =
      fmt::format("{:<{}}  {:>12}  {:>25}  {:>9}\n", "benchmark", width, "median ns/op", "95 % interval", "processes");
  for (const results::Row& row : rows) {
    const std::string interval = row.time.interval ? fmt::format("[{}, {}]", time_text(row.time.interval->low),
                                                                 time_text(row.time.interval->high))
                                                   : "too few processes";
    text += fmt::format("{:<{}}  {:>12}  {:>25}  {:>9}\n", row.benchmark, width, time_text(row.time.median), interval,
                        row.time.count);
  }
  return text;
}

/// What is said of a session when it is over, and the status that follows from it.
ExitStatus tell_end(const results::Result& result, const fs::path& path, StatusLine& line) {
  const results::Session& session = result.session;
  fmt::print("{}", table(result));
  std::fflush(stdout);
  line.print(fmt::format("run: {} after {}, {}", session.state,
                         counted(static_cast<std::size_t>(session.blocks), "block", "blocks"),
                         counted(result.processes.size(), "process", "processes")));
  if (!result.failures.empty()) {
    line.print(fmt::format("run: {}:", counted(result.failures.size(), "failure", "failures")));
    for (const results::Failure& failure : result.failures) tell_failure(failure, line);
  }
  fmt::print("{}\n", path.string());
  if (session.state == "interrupted") return ExitStatus::kInterrupted;
  return result.failures.empty() ? ExitStatus::kOk : ExitStatus::kFailed;
}

void refresh(const results::Result& result, const std::optional<std::string>& folder, std::optional<int> planned_blocks,
             StatusLine& line) {
  if (refresh_report == nullptr || !folder) return;
  // A report that cannot be written must not cost the measurements.
  if (const Expected<void> written = refresh_report(result, *folder, planned_blocks); !written)
    line.print(fmt::format("run: the report: {}", written.error().what));
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Expected<ExitStatus> run(const Options& options) {
  Expected<exec::SessionSpec> spec = parse_spec(options);
  if (!spec) return spec.error();
  const exec::InterruptGuard guard;
  StatusLine line(STDERR_FILENO);
  const exec::Runner runner = [&](const exec::ChildSpec& child) { return exec::run_child(child, guard.file()); };

  const Expected<exec::Catalog> catalog = exec::load_catalog(build_dir(), runner);
  if (guard.interrupted()) return Error{"interrupted before anything was measured", "", ExitStatus::kInterrupted};
  if (!catalog) return catalog.error();
  Expected<exec::Selection> selection = exec::select(*catalog, options.values("--filter"));
  if (!selection) return selection.error();
  spec->selection = std::move(*selection);
  const std::vector<int> allowed = exec::allowed_cpus();
  spec->cpu = exec::choose_cpu("/", allowed);
  spec->threads = static_cast<unsigned>(std::max<std::size_t>(1, allowed.size()));

  Expected<results::Result> result = make_head(*spec, allowed.size());
  if (!result) return result.error();
  Expected<results::Journal> journal = open_journal(options, *result, line);
  if (!journal) return journal.error();
  tell_start(*spec, *result, line);
  for (const results::Failure& failure : result->failures) tell_failure(failure, line);

  const std::optional<std::string> report = options.value("--report");
  const exec::World world{monotonic_seconds, runner, [&] { return guard.interrupted(); },
                          [] { return utc(std::time(nullptr)); },
                          [&](std::string_view entry) { return journal->append(entry); }};
  int planned_blocks = 0;
  const exec::Observer observer{[&](const exec::Progress& progress) {
                                  planned_blocks = progress.blocks;
                                  tell_progress(progress, line);
                                },
                                [&](const results::Failure& failure) { tell_failure(failure, line); },
                                [&](const results::Result& so_far) { refresh(so_far, report, planned_blocks, line); }};
  refresh(*result, report, planned_blocks, line);
  const Expected<void> measured = exec::run_session(*spec, world, observer, *result);
  line.clear();
  refresh(*result, report, std::nullopt, line);
  const Expected<fs::path> path = journal->finish(*result);
  if (!measured)
    return in_context(
        fmt::format("the session stopped; {} kept in '{}'", counted(result->processes.size(), "process", "processes"),
                    (path ? *path : journal->path()).string()),
        measured.error());
  if (!path) return path.error();
  return tell_end(*result, *path, line);
}

}  // namespace

Command run_command(RefreshReport refresh) {
  refresh_report = refresh;
  Command command{"run",
                  "[--filter GLOB]... [--quick|--full|--processes N] [--budget SECONDS] [--seed N] [--out FILE]",
                  "measure benchmarks, write a result; its path is the last line on standard output",
                  {{"--filter", "GLOB", "only these benchmarks (family, family/variant or the whole name)"},
                   {"--quick", "", "2 minutes of measuring (default: 8)"},
                   {"--full", "", "until every interval is within 1 %, an hour at most"},
                   {"--processes", "N", "N processes of every benchmark"},
                   {"--budget", "SECONDS", "this much measuring instead"},
                   {"--seed", "N", "of the workloads and of the order (default: 1)"},
                   {"--timeout", "SECONDS", "kill a process that takes longer"},
                   {"--out", "FILE", "write the result there instead of results/<machine>/"}},
                  run};
  if (refresh != nullptr)
    command.options.push_back({"--report", "DIR", "keep a report of what there is so far in DIR"});
  return command;
}

}  // namespace lab::cli
