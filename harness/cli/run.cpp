// run: measures benchmarks and writes one result. Talk and progress go to standard error; standard output has the table
// and, as its last line, the result's path.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>

#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/base/utc.h"
#include "harness/bench/variant.h"
#include "harness/cli/against.h"
#include "harness/cli/commands.h"
#include "harness/cli/run_plan.h"
#include "harness/cli/run_talk.h"
#include "harness/cli/talk.h"
#include "harness/judge/compare.h"
#include "harness/judge/verify.h"
#include "harness/report/comparison_text.h"
#include "harness/measure/arms.h"
#include "harness/measure/conditions.h"
#include "harness/base/interrupt.h"
#include "harness/measure/machine.h"
#include "harness/measure/provenance.h"
#include "harness/measure/session.h"
#include "harness/results/journal.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

RefreshReport refresh_report = nullptr;

/// The target of a ratio: so narrow, an interval of what does not differ lies within the threshold that compare judges
/// by, and one of what differs by twice the threshold beyond.
constexpr double kRatioTarget = judge::kThreshold / 2;

/// --target 0.5% or 0.5: per cent, as a share.
Expected<double> parse_target(const Options& options, double fallback) {
  const std::optional<std::string> text = options.value("--target");
  if (!text) return fallback;
  if (options.has("--processes"))
    return usage_error("--processes says how long, so --target has nothing to say", "one of the two");
  const std::string number = text->substr(0, text->size() - (text->ends_with('%') ? 1 : 0));
  double percent = 0;
  const auto [rest, problem] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (problem != std::errc{} || rest != number.data() + number.size() || !(percent >= 0.01 && percent <= 50))
    return usage_error(fmt::format("--target: expected a percentage from 0.01% to 50%, found '{}'", *text),
                       "--target 1%");
  return percent / 100;
}

Expected<measure::Pace> parse_pace(const Options& options) {
  if (options.has("--quick") + options.has("--full") + options.has("--processes") > 1)
    return usage_error("expected at most one of --quick, --full and --processes", "");
  measure::Pace pace = options.has("--quick")  ? measure::quick_pace()
                    : options.has("--full") ? measure::full_pace()
                                            : measure::default_pace();
  if (options.has("--processes")) {
    const Expected<std::int64_t> processes = options.integer("--processes", 0, 1, 10'000);
    if (!processes) return processes.error();
    pace = measure::processes_pace(static_cast<int>(*processes));
  }
  const Expected<double> budget = options.number("--budget", pace.budget_seconds, 0.1, 1e7);
  if (!budget) return budget.error();
  pace.budget_seconds = *budget;
  const Expected<double> target = parse_target(options, pace.target);
  if (!target) return target.error();
  pace.target = *target;
  return pace;
}

/// What is to be run, from the command line alone.
Expected<measure::SessionSpec> parse_spec(const Options& options) {
  if (!options.positional().empty())
    return usage_error(fmt::format("run takes no argument, found '{}'", options.positional().front()),
                       fmt::format("python3 make.py run --filter '{}'", options.positional().front()));
  measure::SessionSpec spec;
  const Expected<measure::Pace> pace = parse_pace(options);
  if (!pace) return pace.error();
  spec.pace = *pace;
  const Expected<std::int64_t> seed = options.integer("--seed", 1, 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) return seed.error();
  spec.seed = static_cast<std::uint64_t>(*seed);
  const Expected<double> timeout = options.number("--timeout", 0, 0.1, 1e6);
  if (!timeout) return timeout.error();
  if (*timeout > 0) spec.process_timeout = *timeout;
  if (options.has("--plan") && options.has("--revision"))
    return usage_error("--plan starts nothing, so it cannot build a --revision", "leave --revision out");
  if (options.has("--json") && !options.has("--plan"))
    return usage_error("--json belongs to --plan: a session's result is JSON anyhow", "leave --json out");
  for (const char* const name : {"--out", "--report"})
    if (options.has("--plan") && options.has(name))
      return usage_error(fmt::format("--plan writes nothing, found {}", name), fmt::format("leave {} out", name));
  return spec;
}

/// Everything of a result that is known before its first process.
results::Result make_head(const measure::SessionSpec& spec, results::Machine machine, std::vector<results::Arm> arms) {
  const std::string now = utc(std::time(nullptr));
  results::Result head;
  head.build = arms.front().build;
  head.pins = arms.front().pins;
  head.source = arms.front().source;
  head.arms = std::move(arms);
  head.context = measure::read_context("/", now, head.build.config);
  head.machine = std::move(machine);
  head.facts = measure::read_facts("/");
  head.session.started = now;
  head.session.seed = spec.seed;
  head.session.mode = spec.pace.mode;
  head.session.budget_seconds = spec.pace.budget_seconds;
  head.session.protocol = bench::kProtocol;
  head.session.unusual = measure::find_unusual(head, measure::environment(), spec.threads);
  head.workloads = spec.selection.workloads;
  head.variants = spec.selection.variants;
  head.unsupported = spec.selection.unsupported;
  head.failures = spec.selection.failures;
  return head;
}

Expected<results::Journal> open_journal(const Options& options, results::Result& head, StatusLine& line) {
  const std::string stem = results::result_stem(head.session.started, head.source);
  if (const std::optional<std::string> out = options.value("--out")) {
    if (const auto leftover = results::recover_leftover(results::journal_for(*out), judge::verify)) tell_leftover(*leftover, line);
    return results::Journal::create_for(*out, stem, head);
  }
  const fs::path folder = results::machine_folder(root_dir(), head.machine);
  for (const results::Leftover& leftover : results::recover_leftovers(folder, judge::verify)) tell_leftover(leftover, line);
  return results::Journal::create(folder, stem, head);
}

void refresh(const results::Result& result, const std::optional<std::string>& folder, std::optional<int> planned_blocks,
             StatusLine& line) {
  if (refresh_report == nullptr || !folder) return;
  // A report that cannot be written must not cost the measurements.
  if (const Expected<void> written = refresh_report(result, *folder, planned_blocks); !written)
    line.print(fmt::format("run: the report: {}", written.error().what));
}

/// Of a base: the variants that `head` measures.
measure::Choice measured_variants(const results::Arm& head) {
  return [&head](const std::vector<measure::ListedVariant>& listed) {
    std::vector<std::string> names;
    for (const measure::ListedVariant& variant : listed)
      if (head.executables.contains(variant.name())) names.push_back(variant.name());
    return names;
  };
}

/// Adds base to the session: its arm, what of it is timed, and a target in place of the mode's.
Expected<measure::Pairing> add_base(const Checkout& base, const std::string& named, const Options& options,
                                 const Runner& runner, measure::SessionSpec& spec, std::vector<results::Arm>& arms) {
  const Expected<double> target = parse_target(options, kRatioTarget);
  if (!target) return target.error();
  const Expected<measure::Catalog> catalog = measure::load_catalog(base.build_dir, runner);
  if (!catalog) return in_context(fmt::format("--against '{}'", named), catalog.error());
  std::vector<measure::Benchmark> shared;
  for (const measure::Benchmark& other : catalog->benchmarks)
    for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
      if (other.name == benchmark.name) shared.push_back(other);
  Expected<results::Arm> arm = measure::describe_arm(results::kBase, base.build_dir, base.root, shared);
  if (!arm) return in_context(fmt::format("--against '{}'", named), arm.error());
  measure::Pairing pairing = measure::pair_with_base(spec.selection.benchmarks, arms.front(), *catalog, *arm);
  if (pairing.timed.empty() && pairing.identical == 0)
    return usage_error(
        fmt::format("--against '{}': no benchmark can be compared; {}", named, pairing.sentences.front()),
        "a revision whose variants speak this build's protocol, or another --filter");
  arms.push_back(std::move(*arm));
  if (!pairing.timed.empty()) spec.pace = measure::against_pace(spec.pace, pairing.timed.size(), *target);
  spec.beside.insert(spec.beside.end(), pairing.timed.begin(), pairing.timed.end());
  return pairing;
}

/// The logical cores beside the pinned one where nothing of this session runs.
std::vector<int> idle_siblings(const measure::SessionSpec& spec) {
  const std::vector<measure::Benchmark>& benchmarks = spec.selection.benchmarks;
  const bool parallel = std::any_of(benchmarks.begin(), benchmarks.end(),
                                    [](const measure::Benchmark& benchmark) { return benchmark.workload.parallel; });
  return spec.cpu && !parallel ? measure::siblings_of("/", *spec.cpu) : std::vector<int>{};
}

/// Verdicts over base, on standard output; nothing in a session without one.
std::optional<judge::Comparison> tell_verdicts(const results::Result& result, StatusLine& line) {
  if (results::find_arm(result, results::kBase) == nullptr) return std::nullopt;
  const Expected<judge::Comparison> comparison = judge::compare_arms(result, {});
  if (!comparison) {
    line.print(fmt::format("run: no verdicts: {}", comparison.error().what));
    return std::nullopt;
  }
  fmt::print("\n{}\n", report::to_text(*comparison, {is_live_terminal(STDOUT_FILENO), false, output_width(STDOUT_FILENO)}));
  return *comparison;
}

/// What follows from a session that is over.
ExitStatus status_of(const results::Result& result, const std::optional<judge::Comparison>& verdicts) {
  if (result.session.state == "interrupted") return ExitStatus::kInterrupted;
  const ExitStatus verdict = verdicts ? judge::exit_status(*verdicts) : ExitStatus::kOk;
  // A crash or a wrong answer is one in a session that is unfit for verdicts, too.
  if (verdict == ExitStatus::kRegression || result.failures.empty()) return verdict;
  return ExitStatus::kFailed;
}

struct Planned {
  measure::SessionSpec spec;
  results::Machine machine;
  Checkout head;
};

/// A session that is ready to run; checkouts are kept for their worktrees.
struct Prepared {
  measure::SessionSpec spec;
  results::Result result;
  Checkout head;
  std::optional<Checkout> base;
};

/// What is measured: this checkout, or a revision of it in a build like this one's.
Expected<Checkout> find_head(const Options& options, const Runner& runner, StatusLine& line) {
  const std::optional<std::string> revision = options.value("--revision");
  if (!revision) return Checkout{build_dir(), root_dir(), std::nullopt};
  const Expected<results::Build> build = measure::read_build(build_dir());
  if (!build) return build.error();
  const auto choice = [&](const std::vector<measure::ListedVariant>& listed) {
    return measure::variants_for(listed, options.values("--filter"), true);
  };
  return build_revision("--revision", *revision, root_dir(), *build, choice, runner, line);
}

/// All of a session that the command line and head's build say; asks head's executables what they offer.
Expected<Planned> plan_session(const Options& options, const Runner& runner, StatusLine& line) {
  Expected<measure::SessionSpec> spec = parse_spec(options);
  if (!spec) return spec.error();
  Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  Expected<Checkout> head = find_head(options, runner, line);
  if (!head) return head.error();
  spec->started = monotonic_seconds();  // building is no part of a session
  const Expected<measure::Catalog> catalog = measure::load_catalog(head->build_dir, runner);
  if (!catalog) return catalog.error();
  Expected<measure::Selection> selection = measure::select(*catalog, options.values("--filter"));
  if (!selection) return selection.error();
  spec->selection = std::move(*selection);
  spec->beside = measure::choose_control(spec->selection.benchmarks);
  const std::vector<int> allowed = measure::allowed_cpus();
  spec->cpu = measure::choose_cpu("/", allowed);
  spec->threads = static_cast<unsigned>(std::max<std::size_t>(1, allowed.size()));
  return Planned{std::move(*spec), std::move(*machine), std::move(*head)};
}

Expected<Prepared> prepare(Planned planned, const Options& options, const Runner& runner, StatusLine& line) {
  auto& [spec, machine, head] = planned;
  Expected<results::Arm> arm = measure::describe_arm(results::kHead, head.build_dir, head.root, spec.selection.benchmarks);
  if (!arm) return arm.error();
  std::vector<results::Arm> arms{std::move(*arm)};
  if (!spec.beside.empty()) arms.push_back(measure::control_arm(arms.front(), spec.beside));
  std::optional<Checkout> base;
  measure::Pairing pairing;
  if (const std::optional<std::string> named = options.value("--against")) {
    const double before = monotonic_seconds();
    Expected<Checkout> found =
        find_base(*named, root_dir(), build_dir(), arms.front().build, measured_variants(arms.front()), runner, line);
    if (!found) return found.error();
    base = std::move(*found);
    *spec.started += monotonic_seconds() - before;
    Expected<measure::Pairing> paired = add_base(*base, *named, options, runner, spec, arms);
    if (!paired) return paired.error();
    pairing = std::move(*paired);
    tell_base(*named, pairing, line);
  }
  results::Result result = make_head(spec, std::move(machine), std::move(arms));
  result.session.unusual.insert(result.session.unusual.end(), pairing.sentences.begin(), pairing.sentences.end());
  return Prepared{std::move(spec), std::move(result), std::move(head), std::move(base)};
}

/// As it would be if every benchmark had a base that differs.
Expected<ExitStatus> tell_plan(Planned planned, const Options& options, const Runner& runner) {
  measure::SessionSpec& spec = planned.spec;
  if (const std::optional<std::string> named = options.value("--against")) {
    const Expected<void> known = check_base(*named, root_dir(), build_dir(), runner);
    if (!known) return known.error();
    const std::vector<measure::Benchmark>& benchmarks = spec.selection.benchmarks;
    const Expected<double> target = parse_target(options, kRatioTarget);
    if (!target) return target.error();
    spec.pace = measure::against_pace(spec.pace, benchmarks.size(), *target);
    for (const measure::Benchmark& benchmark : benchmarks) spec.beside.push_back({std::string(results::kBase), benchmark});
  }
  return print_plan(spec, options.values("--filter"), planned.machine, options.has("--json"));
}

Expected<ExitStatus> run(const Options& options) {
  const InterruptGuard guard;
  StatusLine line(STDERR_FILENO);
  const Runner runner = [&](const ChildSpec& child) { return run_child(child, guard.file()); };
  Expected<Planned> planned = plan_session(options, runner, line);
  if (planned && options.has("--plan")) return tell_plan(std::move(*planned), options, runner);
  Expected<Prepared> prepared =
      planned ? prepare(std::move(*planned), options, runner, line) : Expected<Prepared>(planned.error());
  if (guard.interrupted()) return Error{"interrupted before anything was measured", "", ExitStatus::kInterrupted};
  if (!prepared) return prepared.error();
  const measure::SessionSpec& spec = prepared->spec;
  results::Result& result = prepared->result;
  Expected<results::Journal> journal = open_journal(options, result, line);
  if (!journal) return journal.error();
  tell_start(spec, result, line);
  for (const results::Failure& failure : result.failures) tell_failure(failure, line);

  const std::optional<std::string> report = options.value("--report");
  const measure::World world{monotonic_seconds, runner, [&] { return guard.interrupted(); },
                          [] { return utc(std::time(nullptr)); },
                          [&](std::string_view entry) { return journal->append(entry); },
                          [] { return measure::read_cpu_use("/"); }};
  int planned_blocks = 0;
  const measure::Observer observer{[&](const measure::Progress& progress) {
                                  planned_blocks = progress.blocks;
                                  tell_progress(progress, line);
                                },
                                [&](const results::Failure& failure) { tell_failure(failure, line); },
                                [&](const results::Result& so_far) { refresh(so_far, report, planned_blocks, line); },
                                [&](const measure::ConformanceProgress& progress) { tell_conformance(progress, line); }};
  refresh(result, report, planned_blocks, line);
  const measure::Conditions before = measure::read_conditions("/");
  const double start = monotonic_seconds();
  const Expected<void> measured = measure::run_session(spec, world, observer, result);
  line.clear();
  for (std::string& sentence : measure::find_disturbances(before, measure::read_conditions("/"), monotonic_seconds() - start,
                                                       spec.cpu, idle_siblings(spec))) {
    line.print(fmt::format("run: unusual: {}", sentence));
    result.session.unusual.push_back(std::move(sentence));
  }
  refresh(result, report, std::nullopt, line);
  const Expected<fs::path> path = journal->finish(result);
  if (!measured)
    return in_context(
        fmt::format("the session stopped; {} kept in '{}'", counted(result.processes.size(), "process", "processes"),
                    (path ? *path : journal->path()).string()),
        measured.error());
  if (!path) return path.error();
  tell_end(result, line);
  const std::optional<judge::Comparison> verdicts = tell_verdicts(result, line);
  fmt::print("{}\n", path->string());
  return status_of(result, verdicts);
}

}  // namespace

Command run_command(RefreshReport refresh) {
  refresh_report = refresh;
  Command command{
      "run",
      "[--filter GLOB]... [--quick|--full|--processes N] [--budget SECONDS] [--revision REV] [--against REV|BUILD] "
      "[--seed N] [--out FILE]",
      "measure benchmarks, write a result; its path is the last line on standard output",
      {{"--filter", "GLOB", "only these benchmarks (family, family/variant or the whole name)"},
       {"--quick", "", "2 minutes of measuring (default: 8)"},
       {"--full", "", "until every interval is within 1 %, an hour at most"},
       {"--processes", "N", "N processes of every benchmark"},
       {"--budget", "SECONDS", "this much measuring instead"},
       {"--revision", "REV", "measure this revision instead, built by its own make.py in a worktree"},
       {"--against", "REV|BUILD", "measure this revision or build beside it, interleaved"},
       {"--target", "PERCENT", "until every interval is within it (default with --against: 0.25)"},
       {"--plan", "", "say which change this session could see, and start nothing"},
       {"--json", "", "with --plan: as one line of JSON"},
       {"--seed", "N", "of the workloads and of the order (default: 1)"},
       {"--timeout", "SECONDS", "kill a process that takes longer"},
       {"--out", "FILE", "write the result there instead of results/<machine>/"}},
      run};
  if (refresh != nullptr)
    command.options.push_back({"--report", "DIR", "keep a report of what there is so far in DIR"});
  return command;
}

}  // namespace lab::cli
