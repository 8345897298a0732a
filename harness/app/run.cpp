#include "harness/app/run.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <utility>

#include "harness/app/checkouts.h"
#include "harness/app/judged_session.h"
#include "harness/app/machine_memory.h"
#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/parallel.h"
#include "harness/base/random.h"
#include "harness/base/temporary_folder.h"
#include "harness/base/usage_error.h"
#include "harness/base/utc.h"
#include "harness/bench/variant.h"
#include "harness/judge/compare.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/judge/verify.h"
#include "harness/measure/arms.h"
#include "harness/measure/conditions.h"
#include "harness/measure/exhibits.h"
#include "harness/measure/fixed_build.h"
#include "harness/measure/machine.h"
#include "harness/measure/provenance.h"
#include "harness/measure/turns.h"
#include "harness/report/forecast_text.h"
#include "harness/stats/spread.h"
#include "harness/stats/strata.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// The target of a ratio. With this interval width, a benchmark that does not differ lies within compare's threshold,
/// and one that differs by twice the threshold lies beyond it.
constexpr double kRatioTarget = judge::kThreshold / 2;

/// The fewest processes of each arm that can show any change in a table of so many rows.
std::size_t fewest_blocks(std::size_t rows) {
  return stats::fewest_blocks(judge::family_size(rows), stats::kAlpha);
}

/// Whether the stop file is readable.
bool is_stopped(int stop_file) {
  pollfd file{stop_file, POLLIN, 0};
  return stop_file >= 0 && ::poll(&file, 1, 0) > 0;
}

/// Waits so many seconds, or until the stop file is readable.
void wait_for_stop(int stop_file, double seconds) {
  pollfd file{stop_file, POLLIN, 0};
  ::poll(&file, 1, static_cast<int>(1000 * seconds));
}

Runner runner_of(const RunRequest& request) {
  return [&request](const ChildSpec& child) { return run_child(child, request.stop_file); };
}

/// Where a machine keeps its fixed build.
fs::path fixed_folder(const RunRequest& request, const results::Machine& machine) {
  return results::machine_folder(request.root, machine) / "fixed";
}

/// The part of a result that is known before its first process.
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
  head.session.mode = spec.length.mode;
  head.session.budget_seconds = spec.length.budget_seconds;
  head.session.protocol = bench::kProtocol;
  head.session.waiting = spec.waiting;
  head.session.unusual = measure::find_unusual(head, spec.threads);
  for (std::string& set : measure::find_set_variables(measure::environment_variables(), spec.selection.environment))
    head.session.unusual.push_back(std::move(set));
  head.workloads = spec.selection.workloads;
  head.variants = spec.selection.variants;
  head.unsupported = spec.selection.unsupported;
  head.failures = spec.selection.failures;
  return head;
}

Expected<results::Journal> open_journal(const RunRequest& request, measure::SessionEvents& events,
                                        results::Result& head) {
  const std::string stem = results::result_stem(head.session.started, head.source);
  if (request.out) {
    if (const auto leftover = results::recover_leftover(results::journal_for(*request.out), judge::verify))
      events.on_leftover(*leftover);
    return results::Journal::create_for(*request.out, stem, head);
  }
  const fs::path folder = results::machine_folder(request.root, head.machine);
  for (const results::Leftover& leftover : results::recover_leftovers(folder, judge::verify))
    events.on_leftover(leftover);
  return results::Journal::create(folder, stem, head);
}

/// Chooses the base's variants: those that `head` measures.
measure::VariantChoice measured_variants(const results::Arm& head, const measure::MallocLibraries& mallocs) {
  return [&](const std::vector<measure::ListedVariant>& listed) {
    const auto is_measured = [&](const std::string& name) { return head.executables.contains(name); };
    std::vector<std::string> names;
    for (const measure::ListedVariant& variant : listed)
      if (std::ranges::any_of(variant.names(mallocs), is_measured)) names.push_back(variant.name());
    return names;
  };
}

/// The metrics that filters name.
std::vector<std::string> metrics_in(const std::vector<std::string>& filters) {
  std::vector<std::string> metrics;
  for (const std::string& filter : filters)
    if (const std::string_view metric = results::benchmark_parts(filter).metric; !metric.empty())
      metrics.emplace_back(metric);
  return metrics;
}

/// The rows that a comparison of these benchmarks tests.
std::vector<std::string> rows_of(const std::vector<measure::Benchmark>& benchmarks,
                                 const std::vector<std::string>& filters) {
  std::vector<std::string> rows;
  for (const measure::Benchmark& benchmark : benchmarks)
    for (std::string& row : judge::tested_rows(benchmark.name, benchmark.workload, metrics_in(filters)))
      rows.push_back(std::move(row));
  return rows;
}

/// Adds the base to the session: its arm, its timed benchmarks, and a target that replaces the mode's.
Expected<measure::Pairing> add_base(const RunRequest& request, const Checkout& base,
                                    const measure::MallocLibraries& mallocs, const Runner& runner,
                                    measure::SessionSpec& spec, std::vector<results::Arm>& arms) {
  Expected<measure::Catalog> catalog = measure::load_catalog(base.build_dir, runner, mallocs);
  if (!catalog) return in_context(fmt::format("--against '{}'", *request.against), catalog.error());
  std::vector<measure::Benchmark*> to_link;
  for (measure::Benchmark& other : catalog->benchmarks)
    for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
      if (other.name == benchmark.name) to_link.push_back(&other);
  Expected<std::string> one_layout = measure::link_benchmarks(base.build_dir, to_link, 1, runner);
  if (!one_layout) return one_layout.error();
  std::vector<measure::Benchmark> shared;
  for (const measure::Benchmark* other : to_link) shared.push_back(*other);
  Expected<results::Arm> arm = measure::describe_arm(results::kBase, base.build_dir, base.root, shared);
  if (!arm) return in_context(fmt::format("--against '{}'", *request.against), arm.error());
  measure::Pairing pairing = measure::pair_with_base(spec.selection.benchmarks, arms.front(), *catalog, *arm);
  if (pairing.timed.empty() && pairing.identical == 0)
    return usage_error(
        fmt::format("--against '{}': no benchmark can be compared; {}", *request.against, pairing.sentences.front()),
        "a revision whose variants speak this build's protocol, or another --filter");
  arms.push_back(std::move(*arm));
  if (!one_layout->empty()) pairing.sentences.push_back("base: " + *one_layout);
  if (!pairing.timed.empty()) {
    std::vector<measure::Benchmark> timed;
    for (const measure::ArmBenchmark& one : pairing.timed) timed.push_back(one.benchmark);
    const std::size_t rows = rows_of(timed, request.filters).size();
    spec.length = measure::against_length(spec.length, judge::family_size(rows), request.target.value_or(kRatioTarget));
    if (std::string hopeless = report::hopeless_sentence(spec.length.blocks, rows, fewest_blocks(rows));
        !hopeless.empty())
      pairing.sentences.push_back(std::move(hopeless));
  }
  spec.other_arms.insert(spec.other_arms.end(), pairing.timed.begin(), pairing.timed.end());
  return pairing;
}

/// Adds the machine's fixed build to the session, if it has one. Returns whether it needs a new one.
bool add_fixed(const fs::path& folder, const Runner& runner, measure::SessionSpec& spec,
               std::vector<results::Arm>& arms, std::vector<std::string>& unusual) {
  measure::FixedBuild fixed = measure::read_fixed(folder, spec.selection.benchmarks, runner);
  unusual.insert(unusual.end(), fixed.sentences.begin(), fixed.sentences.end());
  const bool spent = fixed.is_spent();
  if (fixed.timed.empty()) return spent;
  arms.push_back(std::move(fixed.arm));
  for (measure::ArmBenchmark& one : fixed.timed) spec.other_arms.push_back(std::move(one));
  return spent;
}

/// Keeps head's executables that did not fail as the machine's fixed build, if it is spent or failed, and the session
/// is one of a history: a release build of a commit. A problem is a sentence.
void keep_fixed(const fs::path& folder, const Checkout& head, const measure::SessionSpec& spec, bool spent,
                const results::Result& result, measure::SessionEvents& events) {
  const bool of_history =
      result.build.config == "release" && !result.source.dirty.value_or(false) && result.session.state != "interrupted";
  if (!of_history ||
      (!spent && std::ranges::find(result.failures, results::kFixed, &results::Failure::arm) == result.failures.end()))
    return;
  std::vector<measure::Benchmark> chosen = measure::choose_fixed(spec.selection.benchmarks);
  std::erase_if(chosen, [&](const measure::Benchmark& one) {
    return std::ranges::any_of(result.failures, [&](const results::Failure& failure) {
      return failure.benchmark == one.name || failure.benchmark == measure::variant_of(one.name);
    });
  });
  if (chosen.empty()) return;
  const Expected<void> kept = measure::keep_fixed(folder, head.build_dir, result.arms.front(), chosen);
  events.on_fixed(chosen, kept ? "" : kept.error().what);
}

/// The pinned core's sibling logical cores on which this session runs nothing.
std::vector<int> idle_siblings(const measure::SessionSpec& spec) {
  const bool parallel =
      std::ranges::any_of(spec.selection.benchmarks, [](const auto& one) { return one.workload.parallel; });
  return spec.cpu && !parallel ? measure::siblings_of("/", *spec.cpu) : std::vector<int>{};
}

/// Its checkouts keep their worktrees alive.
struct PlannedSession {
  measure::SessionSpec spec;
  measure::MallocLibraries mallocs;
  results::Machine machine;
  Checkout head;
  std::optional<Checkout> base;  ///< once it is prepared
  MachineMemory memory;
  std::set<std::string> core;   ///< names of all core benchmarks, if nobody asked for others
  bool fixed_is_spent = false;  ///< the machine needs a new fixed build, and the request allows for it
};

/// Whether the request leaves the choice of benchmarks to the session.
bool leaves_choice(const RunRequest& request) {
  return request.filters.empty() && request.length.mode != "processes";
}

/// Leaves the session the benchmarks that have their turn. Returns the names of all core benchmarks.
std::set<std::string> choose_benchmarks(const RunRequest& request, const measure::PastTurns& past,
                                        measure::SessionSpec& spec) {
  std::set<std::string> core;
  for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
    if (benchmark.core) core.insert(benchmark.name);
  if (request.length.mode == "quick" || request.against) measure::select_core(spec);
  if (!request.against) measure::take_turns(spec, past);  // a comparison has one table, and refuses one too large
  return core;
}

/// Refuses a comparison that cannot have as many blocks as a verdict needs.
Expected<void> check_budget(const measure::SessionSpec& spec, const measure::PastTurns& past) {
  const measure::SessionLength& length = spec.length;
  if (length.budget_seconds <= 0 || length.mode == "processes") return {};
  double needed = 0;
  for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
    needed += measure::seconds_of(benchmark.name, length.least_blocks, past);
  for (const measure::ArmBenchmark& other : spec.other_arms)
    needed += measure::seconds_of(other.benchmark.name, length.least_blocks, past);
  if (needed <= length.affordable_seconds()) return {};
  const double enough = std::ceil(needed * length.budget_seconds / length.affordable_seconds());
  return usage_error(
      fmt::format("--against: expected a budget of {:.0f} s for {} blocks of {} processes, found {:.0f} s", enough,
                  length.least_blocks, spec.selection.benchmarks.size() + spec.other_arms.size(),
                  length.budget_seconds),
      fmt::format("--budget {:.0f}, or --filter GLOB", enough));
}

/// The head to measure: this checkout, or a revision built like this checkout.
Expected<Checkout> find_head(const RunRequest& request, const measure::MallocLibraries& mallocs,
                             measure::SessionEvents& events, const Runner& runner) {
  if (!request.revision) return Checkout{request.build_dir, request.root, std::nullopt};
  const Expected<results::Build> build = measure::read_build(request.build_dir);
  if (!build) return build.error();
  const auto choice = [&](const std::vector<measure::ListedVariant>& listed) {
    return measure::variants_for(listed, request.filters, true, mallocs);
  };
  return build_revision("--revision", *request.revision, request.root, *build, choice, runner, events);
}

/// Refuses libraries that this build cannot preload.
Expected<void> check_mallocs(const measure::MallocLibraries& mallocs, const measure::Catalog& catalog,
                             const fs::path& build_dir) {
  if (mallocs.empty()) return {};
  const Expected<results::Build> build = measure::read_build(build_dir);
  if (!build) return build.error();
  if (build->config == "asan" || build->config == "tsan")
    return usage_error(
        fmt::format("--malloc: expected a build without a sanitizer, found config {}: a sanitizer is the "
                    "malloc of its programs",
                    build->config),
        "python3 make.py run, on the release build");
  if (catalog.preloaded.empty())
    return usage_error("--malloc: expected a family that names a variant to preload it under, found none in this build",
                       "a revision whose family.json has \"preload\"");
  return {};
}

/// Plans a session from the request and head's build; queries head's executables for their benchmarks.
Expected<PlannedSession> plan_session(const RunRequest& request, measure::SessionEvents& events, const Runner& runner) {
  measure::SessionSpec spec;
  spec.length = request.length;
  spec.seed = request.seed;
  spec.process_timeout = request.process_timeout;
  Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  const Expected<measure::MallocLibraries> mallocs = measure::read_malloc_libraries("--malloc", request.mallocs);
  if (!mallocs) return mallocs.error();
  Expected<Checkout> head = find_head(request, *mallocs, events, runner);
  if (!head) return head.error();
  spec.started = monotonic_seconds();  // building is no part of a session
  const Expected<measure::Catalog> catalog = measure::load_catalog(head->build_dir, runner, *mallocs);
  if (!catalog) return catalog.error();
  if (const auto checked = check_mallocs(*mallocs, *catalog, head->build_dir); !checked) return checked.error();
  Expected<measure::BenchmarkSelection> selection = measure::select(*catalog, request.filters);
  if (!selection) return selection.error();
  spec.selection = std::move(*selection);
  MachineMemory memory = MachineMemory::open(results::machine_folder(request.root, *machine), measure::read_facts("/"));
  std::set<std::string> core;
  if (leaves_choice(request)) core = choose_benchmarks(request, memory.turns(), spec);
  spec.until_stopped = request.until_stopped;
  spec.exact_first = Random(static_cast<std::uint64_t>(std::time(nullptr))).next();
  spec.other_arms = measure::choose_control(spec.selection.benchmarks);
  const std::vector<int> allowed = measure::allowed_cpus();
  spec.cpu = measure::choose_cpu("/", allowed);
  spec.threads = static_cast<unsigned>(std::max<std::size_t>(1, allowed.size()));
  return PlannedSession{std::move(spec), *mallocs,          std::move(*machine), std::move(*head),
                        std::nullopt,    std::move(memory), std::move(core)};
}

/// Links head's benchmarks and the control's in layouts. Returns a sentence if some of either have only one; else "".
Expected<std::string> link_head(measure::SessionSpec& spec, const fs::path& build_dir, const Runner& runner) {
  std::vector<measure::Benchmark*> measured, control;
  for (measure::Benchmark& benchmark : spec.selection.benchmarks) measured.push_back(&benchmark);
  for (measure::ArmBenchmark& other : spec.other_arms) control.push_back(&other.benchmark);
  const Expected<std::string> of_control =
      measure::link_benchmarks(build_dir, control, measure::kFirstOfControl, runner);
  if (!of_control) return of_control;
  Expected<std::string> of_head = measure::link_benchmarks(build_dir, measured, 1, runner);
  return of_head && of_head->empty() ? of_control : of_head;
}

/// Links the benchmarks and finds the base. Returns the result without its processes.
Expected<results::Result> prepare(const RunRequest& request, measure::SessionEvents& events, PlannedSession& planned,
                                  const Runner& runner) {
  auto& [spec, mallocs, machine, head, base, memory, core, fixed_is_spent] = planned;
  Expected<std::string> one_layout = link_head(spec, head.build_dir, runner);
  if (!one_layout) return one_layout.error();
  Expected<results::Arm> arm =
      measure::describe_arm(results::kHead, head.build_dir, head.root, spec.selection.benchmarks);
  if (!arm) return arm.error();
  std::vector<results::Arm> arms{std::move(*arm)};
  if (!spec.other_arms.empty()) arms.push_back(measure::control_arm(arms.front(), spec.other_arms));
  measure::Pairing pairing;
  if (request.against) {
    const double before = monotonic_seconds();
    Expected<Checkout> found = find_base(*request.against, request.root, request.build_dir, arms.front().build,
                                         measured_variants(arms.front(), mallocs), runner, events);
    if (!found) return found.error();
    base = std::move(*found);
    *spec.started += monotonic_seconds() - before;
    Expected<measure::Pairing> paired = add_base(request, *base, mallocs, runner, spec, arms);
    if (!paired) return paired.error();
    pairing = std::move(*paired);
    events.on_base(*request.against, pairing);
    if (!pairing.timed.empty())
      if (const Expected<void> enough = check_budget(spec, memory.turns()); !enough) return enough.error();
  }
  std::vector<std::string> not_timed;
  if (request.fixed) fixed_is_spent = add_fixed(fixed_folder(request, machine), runner, spec, arms, not_timed);
  results::Result result = make_head(spec, std::move(machine), std::move(arms));
  result.session.unusual.insert(result.session.unusual.end(), not_timed.begin(), not_timed.end());
  if (!one_layout->empty()) result.session.unusual.push_back(std::move(*one_layout));
  result.session.unusual.insert(result.session.unusual.end(), pairing.sentences.begin(), pairing.sentences.end());
  return result;
}

/// The newest result in which any of the session's benchmarks has enough processes to estimate noise.
std::optional<results::Result> newest_pilot(const measure::SessionSpec& spec, const fs::path& folder) {
  const std::vector<fs::path> paths = results::results_in(folder);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    Expected<results::Result> result = results::load_result(*path);
    if (!result) continue;
    for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
      if (judge::process_times(*result, benchmark.name).size() >= stats::kLeastForSpread) return std::move(*result);
  }
  return std::nullopt;
}

/// The number of blocks of the session, estimated from the pilot's cost per process.
int planned_blocks(const measure::SessionSpec& spec, const results::Result& pilot) {
  const std::map<std::string, double> known = measure::overheads_of(pilot);
  std::vector<std::optional<double>> overheads;
  const auto add = [&](const measure::Benchmark& benchmark) {
    const auto found = known.find(benchmark.name);
    overheads.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
  };
  for (const measure::Benchmark& benchmark : spec.selection.benchmarks) add(benchmark);
  for (const measure::ArmBenchmark& other : spec.other_arms) add(other.benchmark);
  return measure::planned_blocks(spec.length, overheads);
}

/// A sentence if the budget was too short even for the core workloads; "" if it was not.
std::string core_sentence(const results::Result& result, const std::set<std::string>& core) {
  const auto waiting =
      std::ranges::count_if(result.session.waiting, [&](const auto& one) { return core.contains(one.benchmark); });
  if (waiting == 0) return "";
  return fmt::format("the budget is too short for the core workloads: {} of {} wait; use a larger --budget", waiting,
                     counted(core.size(), "core benchmark"));
}

/// Adds verdicts against the base, if the session has one.
void add_verdicts(RunOutcome& outcome) {
  if (results::find_arm(outcome.result, results::kBase) == nullptr) return;
  judge::CompareSettings settings;
  settings.metrics = outcome.metrics;
  Expected<judge::Comparison> comparison = judge::compare_arms(outcome.result, settings);
  if (comparison)
    outcome.verdicts = std::move(*comparison);
  else
    outcome.no_verdicts = comparison.error().what;
}

/// Adds the exhibits of a measured session to its result and to the result's file at `path`. They go into a folder
/// beside it. A kill meanwhile leaves the file as it was, without exhibits.
Expected<void> add_exhibits(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                            measure::SessionEvents& events, const fs::path& path, results::Result& result) {
  // Without a budget, as if the time measured had been the budget.
  measure::SessionLength length = spec.length;
  if (length.budget_seconds <= 0) length.budget_seconds = result.session.wall_seconds;
  const measure::ExhibitPass pass{fs::path(path).replace_extension(".exhibits"), length.side_seconds()};
  const std::size_t before = result.failures.size() + result.session.unusual.size();
  Expected<void> done = measure::collect_exhibits(spec, environment, pass, events, result);
  if (done && (!result.exhibits.empty() || result.failures.size() + result.session.unusual.size() != before))
    done = write_file(path, results::serialize(result));
  if (!done) return in_context(fmt::format("the measurements are in '{}'", path.string()), done.error());
  return {};
}

}  // namespace

ExitStatus exit_status(const RunOutcome& outcome) {
  const auto& [result, path, verdicts, no_verdicts, metrics] = outcome;
  if (result.session.state == "interrupted") return ExitStatus::kInterrupted;
  const ExitStatus verdict =
      verdicts ? judge::exit_status(*verdicts) : judge::exit_status(result, judge::judge_fitness(result));
  // A crash or a wrong answer counts even in a session that is unfit for verdicts.
  if (verdict == ExitStatus::kRegression || result.failures.empty()) return verdict;
  return ExitStatus::kFailed;
}

Expected<judge::Forecast> forecast_run(const RunRequest& request, measure::SessionEvents& events) {
  const Runner runner = runner_of(request);
  Expected<PlannedSession> planned = plan_session(request, events, runner);
  if (!planned) return is_stopped(request.stop_file) ? interrupted_error() : planned.error();
  measure::SessionSpec& spec = planned->spec;
  const std::vector<measure::Benchmark>& benchmarks = spec.selection.benchmarks;
  const std::vector<std::string> rows = rows_of(benchmarks, request.filters);
  if (request.against) {
    const Expected<void> known = check_base(*request.against, request.root, request.build_dir, runner);
    if (!known) return known.error();
    spec.length =
        measure::against_length(spec.length, judge::family_size(rows.size()), request.target.value_or(kRatioTarget));
    for (const measure::Benchmark& benchmark : benchmarks)
      spec.other_arms.push_back({std::string(results::kBase), benchmark});
  }
  judge::Forecast forecast;
  forecast.folder = results::machine_folder(request.root, planned->machine);
  forecast.machine = planned->machine.id;
  forecast.budget_seconds = spec.length.budget_seconds;
  const std::optional<results::Result> pilot = newest_pilot(spec, forecast.folder);
  if (pilot) forecast.pilot = pilot->session.id;
  if (spec.length.mode == "processes") forecast.blocks = spec.length.blocks;
  if (pilot) forecast.blocks = planned_blocks(spec, *pilot);
  forecast.fewest_blocks = fewest_blocks(rows.size());
  forecast.rows = judge::forecast(rows, pilot ? &*pilot : nullptr, forecast.blocks, stats::kAlpha);
  return forecast;
}

Expected<RunOutcome> run(const RunRequest& request, measure::SessionEvents& events) {
  const Runner runner = runner_of(request);
  Expected<PlannedSession> planned = plan_session(request, events, runner);
  Expected<results::Result> prepared = planned ? prepare(request, events, *planned, runner) : planned.error();
  if (is_stopped(request.stop_file)) return interrupted_error();
  if (!prepared) return prepared.error();
  const Expected<TemporaryFolder> scratch = TemporaryFolder::create();
  if (!scratch) return scratch.error();
  planned->spec.scratch = scratch->path();
  const measure::SessionSpec& spec = planned->spec;
  results::Result& result = *prepared;
  Expected<results::Journal> journal = open_journal(request, events, result);
  if (!journal) return journal.error();
  planned->memory.save_turns();
  events.on_start(spec, result);

  // A library of the user's in every process: what conformed without it may not conform with it, and the reverse.
  const bool foreign = std::getenv("LD_PRELOAD") != nullptr;
  const measure::SessionEnvironment environment{
      monotonic_seconds,
      runner,
      [&] { return is_stopped(request.stop_file); },
      utc_now,
      [&](std::string_view entry) { return journal->append(entry); },
      [] { return measure::read_cpu_use("/"); },
      [&](const std::string& hash) { return !foreign && planned->memory.conformed(hash); },
      [&](const std::string& hash) {
        if (!foreign) planned->memory.keep_conforming(hash);
      },
      all_cpus(),
      [&](double seconds) { wait_for_stop(request.stop_file, seconds); }};
  events.on_block(result);
  const measure::Conditions before = measure::read_conditions("/");
  const double start = monotonic_seconds();
  Expected<void> measured = run_judged_session(spec, environment, events, result);
  std::vector<std::string> disturbances = measure::find_disturbances(
      before, measure::read_conditions("/"), monotonic_seconds() - start, spec.cpu, idle_siblings(spec));
  events.on_measured(disturbances);
  for (std::string& sentence : disturbances) result.session.unusual.push_back(std::move(sentence));
  if (std::string sentence = core_sentence(result, planned->core); !sentence.empty())
    result.session.unusual.push_back(std::move(sentence));
  const Expected<fs::path> path = journal->finish(result);
  if (!measured)
    return in_context(
        fmt::format("the session stopped; {} kept in '{}'", counted(result.processes.size(), "process", "processes"),
                    (path ? *path : journal->path()).string()),
        measured.error());
  if (!path) return path.error();
  if (result.session.state != "interrupted") {
    const Expected<void> added = add_exhibits(spec, environment, events, *path, result);
    if (!added) return added.error();
  }
  if (request.fixed)
    keep_fixed(fixed_folder(request, result.machine), planned->head, spec, planned->fixed_is_spent, result, events);
  RunOutcome outcome{std::move(result), *path, {}, "", metrics_in(request.filters)};
  add_verdicts(outcome);
  return outcome;
}

}  // namespace lab::app
