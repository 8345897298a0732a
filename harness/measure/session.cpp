#include "harness/measure/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/fit.h"
#include "harness/base/printable.h"
#include "harness/measure/arms.h"
#include "harness/measure/breadth.h"
#include "harness/measure/conformance.h"
#include "harness/measure/exact_turns.h"
#include "harness/measure/variant_output.h"

namespace lab::measure {

namespace {

/// Most intervals wider than the target that are named.
constexpr std::size_t kNamedIntervals = 5;

/// More than a result takes without its processes.
constexpr std::size_t kHeadBytes = std::size_t{2} << 20;

/// Exit statuses of variant_main (harness/bench/variant.h).
constexpr int kCheckFailed = 1;
constexpr int kWrongUsage = 2;

/// The end of a failed process's standard error or, if that is empty, of its standard output.
std::string tail_of(const ChildOutcome& outcome, std::size_t limit) {
  if (!outcome.error_tail.empty()) return outcome.error_tail;
  return outcome.output.substr(outcome.output.size() - std::min(outcome.output.size(), limit));
}

/// The last error that the variant itself printed; "" if none.
std::string last_error(const std::string& output) {
  constexpr std::string_view kPrefix = "variant: error: ";
  const std::size_t at = ("\n" + output).rfind(fmt::format("\n{}", kPrefix));
  if (at == std::string::npos) return "";
  const std::string line = output.substr(at + kPrefix.size());
  return line.substr(0, line.find('\n'));
}

std::string kind_of(const ChildOutcome& outcome) {
  switch (outcome.end) {
    case ChildEnd::kTimedOut:
      return "timeout";
    case ChildEnd::kTooMuchOutput:
      return "protocol";
    case ChildEnd::kExited:
      if (outcome.code == kCheckFailed) return std::string(results::kWrongAnswer);
      return outcome.code == kWrongUsage ? "refused" : "crash";
    default:
      return "crash";
  }
}

class SessionRun {
 public:
  SessionRun(const SessionSpec& spec, const StoppingRule& rule, const SessionEnvironment& environment,
             SessionEvents& events, results::Result& result)
      : spec_(spec),
        rule_(rule),
        environment_(environment),
        events_(events),
        result_(result),
        scheduled_(schedule_arms(spec)),
        arms_(group_by_benchmark(scheduled_, spec.selection.benchmarks.size())),
        widths_(arms_.size()),
        rows_(static_cast<std::size_t>(
            std::count_if(scheduled_.begin(), scheduled_.end(),
                          [](const ScheduledBenchmark& one) { return one.arm == results::kBase; }))),
        schedule_(spec.length, scheduled_.size()),
        exact_(spec.length, exact_benchmarks(spec, arms_), spec.exact_first),
        turn_groups_(numbered_turns(spec)),
        began_(environment.now()),
        start_(began_) {}

  Expected<void> run() {
    check_conformance();
    start_ = environment_.now();  // the budget covers only measuring
    for (const Benchmark& reference : spec_.selection.checks)
      if (!interrupted_ && !fails_conformance(reference)) run_reference(reference);
    for (const Benchmark& benchmark : spec_.selection.benchmarks)
      if (!interrupted_ && benchmark.reference && benchmark.workload.tolerance && !fails_conformance(benchmark))
        write_answer(benchmark);
    int block = 0;
    while (may_continue()) {
      const std::optional<double> seconds = begin_block(block);
      if (!seconds || is_full()) break;
      const std::size_t bytes_before = bytes_;
      const bool complete = measure_block(block, *seconds);
      block_bytes_ = bytes_ - bytes_before;
      drop_wrong_answers();
      if (!complete) break;
      result_.session.blocks = ++block;
      result_.session.ended = environment_.utc();
      if (may_continue()) events_.on_block(result_);
    }
    let_unfinished_wait();
    finish(block);
    if (problem_) return *problem_;
    return {};
  }

 private:
  /// A benchmark in an arm.
  struct ScheduledBenchmark {
    const Benchmark* benchmark;
    std::string arm;
    std::size_t group;  ///< number of head's benchmark that it runs next to
    LayoutTurns layouts;
    bool failed = false;
    bool paused = false;
    int processes = 0;
  };

  /// Head's benchmarks in the order of the selection, then those of the other arms.
  static std::vector<ScheduledBenchmark> schedule_arms(const SessionSpec& spec) {
    std::vector<ScheduledBenchmark> scheduled;
    const std::vector<Benchmark>& head = spec.selection.benchmarks;
    for (std::size_t i = 0; i < head.size(); ++i)
      scheduled.push_back({&head[i], std::string(results::kHead), i, {head[i], results::kHead, spec.seed}});
    for (const ArmBenchmark& other : spec.other_arms) {
      const auto found = std::find_if(head.begin(), head.end(),
                                      [&](const Benchmark& one) { return one.name == other.benchmark.name; });
      if (found != head.end())
        scheduled.push_back({&other.benchmark,
                             other.arm,
                             static_cast<std::size_t>(found - head.begin()),
                             {other.benchmark, other.arm, spec.seed}});
    }
    return scheduled;
  }

  /// The scheduled benchmarks that have the same name, head's first.
  static std::vector<std::vector<std::size_t>> group_by_benchmark(const std::vector<ScheduledBenchmark>& scheduled,
                                                                  std::size_t benchmarks) {
    std::vector<std::vector<std::size_t>> arms(benchmarks);
    for (std::size_t i = 0; i < scheduled.size(); ++i) arms[scheduled[i].group].push_back(i);
    return arms;
  }

  /// Each turn's benchmarks by number.
  static std::vector<std::vector<std::size_t>> numbered_turns(const SessionSpec& spec) {
    const std::vector<Benchmark>& benchmarks = spec.selection.benchmarks;
    std::map<std::string_view, std::size_t> numbers;
    for (std::size_t i = 0; i < benchmarks.size(); ++i) numbers[benchmarks[i].name] = i;
    std::vector<std::vector<std::size_t>> turns;
    for (const std::vector<std::string>& names : spec.turns) {
      std::vector<std::size_t> turn;
      for (const std::string& name : names)
        if (const auto found = numbers.find(name); found != numbers.end()) turn.push_back(found->second);
      if (!turn.empty()) turns.push_back(std::move(turn));
    }
    return turns;
  }

  static std::vector<ExactTurns::Benchmark> exact_benchmarks(const SessionSpec& spec,
                                                             const std::vector<std::vector<std::size_t>>& groups) {
    std::vector<ExactTurns::Benchmark> benchmarks;
    for (std::size_t i = 0; i < groups.size(); ++i)
      benchmarks.push_back({groups[i].size(), spec.selection.benchmarks[i].core});
    return benchmarks;
  }

  /// Seconds of measuring since the session's first process.
  double elapsed() const { return environment_.now() - start_; }

  /// The same, with what exact metrics will take, which is not for timing.
  double planned_elapsed() const { return elapsed() + exact_.reserve(); }

  /// Whether another block would exceed the size of a result.
  bool is_full() {
    if (bytes_ + block_bytes_ <= spec_.most_bytes) return false;
    result_.session.unusual.push_back(
        fmt::format("the session ended early: its result has reached {} MiB; measure fewer benchmarks or processes",
                    spec_.most_bytes >> 20));
    return true;
  }

  /// The hash of the executable's content; "" if the arm does not record it.
  std::string hash_of(const Benchmark& benchmark, std::string_view arm) const {
    const results::Arm* const described = results::find_arm(result_, arm);
    if (described == nullptr) return "";
    const auto found = described->executables.find(variant_of(benchmark.name));
    return found == described->executables.end() ? "" : found->second;
  }

  /// Identifies a variant's executable; equal in two arms if the content is equal.
  std::string identity(const Benchmark& benchmark, std::string_view arm) const {
    const std::string hash = hash_of(benchmark, arm);
    return variant_of(benchmark.name) + " " + (hash.empty() ? benchmark.executable.string() : hash);
  }

  bool fails_conformance(const Benchmark& reference) const {
    const auto found = conformance_.find(identity(reference, results::kHead));
    return found != conformance_.end() && !found->second.failures.empty();
  }

  /// An executable that does not conform is not measured, and no other variant's answer is compared with its answer.
  void check_conformance() {
    std::vector<ScheduledBenchmark> to_check = scheduled_;
    for (const Benchmark& reference : spec_.selection.checks)
      to_check.push_back({&reference, std::string(results::kHead), arms_.size(), {reference, results::kHead, 0}});
    std::set<std::string> unknown;
    for (const ScheduledBenchmark& one : to_check)
      if (!recall_conformance(one)) unknown.insert(identity(*one.benchmark, one.arm));
    std::size_t checked = 0;
    std::set<std::pair<std::string, std::string>> reported;  // variant and arm
    for (const ScheduledBenchmark& one : to_check) {
      const std::string variant = variant_of(one.benchmark->name);
      if (!conformance_.contains(identity(*one.benchmark, one.arm))) {
        if (!may_continue()) return;
        events_.on_conformance({variant, one.arm, checked++, unknown.size()});
        if (!check_conformance(one)) return;
      }
      // The control is the same executable as head, and ends with it.
      if (one.arm != results::kControl && reported.emplace(variant, one.arm).second) report_conformance(one);
    }
    for (std::size_t i = 0; i < scheduled_.size(); ++i)
      if (!conformance_of(scheduled_[i]).failures.empty()) end_benchmark(i);
    report_conformance_seconds(unknown.size());
  }

  const ConformanceResult& conformance_of(const ScheduledBenchmark& one) const {
    return conformance_.at(identity(*one.benchmark, one.arm));
  }

  /// Whether the executable conformed in an earlier session.
  bool recall_conformance(const ScheduledBenchmark& one) {
    const std::string hash = hash_of(*one.benchmark, one.arm);
    if (hash.empty() || !environment_.known_to_conform || !environment_.known_to_conform(hash)) return false;
    conformance_.emplace(identity(*one.benchmark, one.arm), ConformanceResult{});
    return true;
  }

  /// False if interrupted.
  bool check_conformance(const ScheduledBenchmark& one) {
    std::optional<ConformanceResult> found =
        run_conformance(one.benchmark->executable, environment_.run, one.benchmark->malloc.get());
    if (!found) interrupted_ = true;
    if (!found) return false;
    const std::string hash = hash_of(*one.benchmark, one.arm);
    // With a remark, it is checked in every session, so that each says so.
    const bool well = found->failures.empty() && found->remarks.empty();
    if (well && !hash.empty() && environment_.on_conforms) environment_.on_conforms(hash);
    conformance_.emplace(identity(*one.benchmark, one.arm), std::move(*found));
    return true;
  }

  void report_conformance(const ScheduledBenchmark& one) {
    const ConformanceResult& found = conformance_of(one);
    for (const std::string& failure : found.failures)
      record({variant_of(one.benchmark->name), 0, 0, std::string(results::kNotConforming), failure, found.output_tail,
              one.arm});
    for (const std::string& remark : found.remarks)
      result_.session.unusual.push_back(
          fmt::format("{} breaks a promise on which no workload depends, so its numbers count: {}",
                      results::subject(variant_of(one.benchmark->name), one.arm), remark));
  }

  void report_conformance_seconds(std::size_t executables) {
    const double seconds = elapsed(), most = spec_.length.side_seconds();
    if (most > 0 && seconds > most)
      result_.session.unusual.push_back(
          fmt::format("conformance of {} took {:.0f} s, more than a tenth of the budget: the next session checks only "
                      "those that have changed",
                      counted(executables, "executable"), seconds));
  }

  bool may_continue() {
    interrupted_ = interrupted_ || environment_.interrupted();
    return !interrupted_ && !problem_;
  }

  std::vector<std::size_t> order_of(int block) const {
    std::vector<std::size_t> order;
    for (const std::size_t benchmark : block_order(arms_.size(), spec_.seed, block))
      for (const std::size_t arm : arm_order(arms_[benchmark].size(), spec_.seed, benchmark, block)) {
        const std::size_t i = arms_[benchmark][arm];
        if (!scheduled_[i].failed && !scheduled_[i].paused) order.push_back(i);
      }
    return order;
  }

  /// run_block, and its disturbance. All of the session's own processes have ended before and after it, so their CPU
  /// use is known.
  bool measure_block(int block, double seconds) {
    if (!environment_.cpu_use) return run_block(block, seconds);
    const std::size_t bytes_before = bytes_;
    const double start = environment_.now();
    const CpuUse before = environment_.cpu_use();
    const bool complete = run_block(block, seconds);
    const results::Disturbance found =
        disturbance_between(before, environment_.cpu_use(), block, environment_.now() - start);
    if (bytes_ > bytes_before && write_journal(results::journal_line(found)))
      result_.session.disturbances.push_back(found);
    return complete;
  }

  /// False if the block was cut short.
  bool run_block(int block, double seconds) {
    const std::vector<std::size_t> order = order_of(block);
    exact_.begin_block(ready_for_exact(), seeks_intervals());
    kept_samples_ = samples_to_keep(order, blocks_left(block, seconds, order.size()));
    for (std::size_t position = 0; position < order.size(); ++position) {
      if (!may_continue()) return false;
      const std::size_t i = order[position];
      if (scheduled_[i].failed || scheduled_[i].paused) continue;  // since this block began
      double cost_left = 0;
      for (std::size_t later = position; later < order.size(); ++later)
        cost_left += schedule_.cost(order[later], seconds);
      const double now = planned_elapsed();
      const std::optional<double> given = schedule_.next_process(i, seconds, now, cost_left, order.size() - position);
      if (!given) return false;
      events_.on_process(progress(i, block, position, order.size(), seconds, cost_left));
      measure(i, block, static_cast<int>(position), *given);
      pause_what_no_longer_fits();
    }
    return may_continue();
  }

  SessionProgress progress(std::size_t i, int block, std::size_t position, std::size_t processes, double seconds,
                           double cost_left) const {
    const double now = planned_elapsed();
    SessionProgress progress{scheduled_[i].benchmark->name,
                             scheduled_[i].arm,
                             block,
                             schedule_.expected_blocks(block, seconds, now),
                             position,
                             processes,
                             schedule_.seconds_left(block, seconds, now, cost_left),
                             result_.failures.size()};
    if (seeks_intervals()) {
      progress.blocks = 0;  // as many as there is time for
      progress.seconds_left = std::max(0.0, spec_.length.budget_seconds - now);
    }
    return progress;
  }

  /// Whether the session takes turns and the block is for intervals.
  bool seeks_intervals() const { return !spec_.turns.empty() && choice_.aim != BlockAim::kPrecision; }

  /// Chooses what the block measures; returns the measuring seconds of each of its processes, or nothing if the session
  /// is over.
  std::optional<double> begin_block(int block) {
    if (spec_.turns.empty()) {
      pause_narrow_benchmarks(block);
      return schedule_.next_block(block, planned_elapsed(), within_target());
    }
    choice_ = choose_block(breadth_turns(),
                           {spec_.length.least_blocks, std::max(kControlProcesses, spec_.length.least_blocks)},
                           seconds_to_choose());
    for (std::size_t i = 0; i < scheduled_.size(); ++i)
      if (!scheduled_[i].failed) set_paused(i, false);
    if (choice_.aim == BlockAim::kPrecision) return begin_precise_block();
    // The control watches the whole session: in each block of turns, one of its benchmarks.
    const std::vector<std::size_t> controls = control_groups();
    if (choice_.aim == BlockAim::kTurns && !controls.empty())
      choice_.numbers.insert(controls[static_cast<std::size_t>(block) % controls.size()]);
    pause_all_but(choice_.numbers);
    return schedule_.even_seconds(wanted(), planned_elapsed());
  }

  std::optional<double> begin_precise_block() {
    int done = spec_.length.least_blocks;
    if (!choice_.numbers.empty()) {
      done = kMostBlocks;
      for (const std::size_t group : choice_.numbers) done = std::min(done, processes_of(group));
    }
    pause_narrow_benchmarks(done);
    pause_all_but(choice_.numbers);
    return schedule_.next_block(done, planned_elapsed(), within_target());
  }

  void set_paused(std::size_t i, bool paused) {
    scheduled_[i].paused = paused;
    schedule_.set_paused(i, paused);
  }

  void pause_all_but(const std::set<std::size_t>& groups) {
    for (std::size_t i = 0; i < scheduled_.size(); ++i)
      if (!scheduled_[i].failed && !groups.contains(scheduled_[i].group)) set_paused(i, true);
  }

  /// Pauses the last turns of a block if the others would lose their intervals. In a session's first share of time, too
  /// few processes have shown what they take.
  void pause_what_no_longer_fits() {
    if (!seeks_intervals() || interrupted_ ||
        elapsed() < spec_.length.budget_seconds / std::max(1, spec_.length.least_blocks))
      return;
    std::set<std::size_t> fit = still_fitting(breadth_turns(), choice_, spec_.length.least_blocks, seconds_to_choose());
    for (const std::size_t group : choice_.numbers)
      if (processes_of(group) >= spec_.length.least_blocks) fit.insert(group);
    if (!fit.empty()) pause_all_but(fit);
  }

  /// Of head, so far.
  int processes_of(std::size_t group) const { return scheduled_[arms_[group].front()].processes; }

  std::vector<std::size_t> control_groups() const {
    std::vector<std::size_t> groups;
    for (std::size_t group = 0; group < arms_.size(); ++group)
      if (is_active(group, results::kControl)) groups.push_back(group);
    return groups;
  }

  /// The turns of the spec, less what failed.
  std::vector<BreadthTurn> breadth_turns() const {
    std::vector<BreadthTurn> turns;
    for (const std::vector<std::size_t>& groups : turn_groups_) {
      BreadthTurn turn{spec_.selection.benchmarks[groups.front()].core, {}};
      for (const std::size_t group : groups) {
        double seconds = 0;
        for (const std::size_t i : arms_[group]) seconds += schedule_.cost_unpaused(i, kLeastSeconds);
        if (!scheduled_[arms_[group].front()].failed)
          turn.benchmarks.push_back({group, processes_of(group), seconds, is_active(group, results::kControl)});
      }
      if (!turn.benchmarks.empty()) turns.push_back(std::move(turn));
    }
    return turns;
  }

  /// Seconds that processes for intervals may take from now on.
  double seconds_to_choose() const { return kTolerance * spec_.length.budget_seconds - planned_elapsed(); }

  /// How many more processes each would have if the session had time for all.
  std::vector<int> wanted() const {
    const int all = std::max(spec_.length.blocks, spec_.length.least_blocks);
    std::vector<int> wanted;
    for (const ScheduledBenchmark& one : scheduled_)
      wanted.push_back(one.failed ? 0 : std::max(0, all - one.processes));
    return wanted;
  }

  /// The benchmarks whose next process may collect exact metrics.
  std::vector<bool> ready_for_exact() const {
    const int plain = spec_.length.budget_seconds > 0 ? kPlainProcesses : 0;
    std::vector<bool> ready;
    for (const std::vector<std::size_t>& arms : arms_) {
      const ScheduledBenchmark& head = scheduled_[arms.front()];
      ready.push_back(!head.failed && !head.paused && head.processes >= plain);
    }
    return ready;
  }

  /// About how many blocks with `processes` processes are to come, this one included: for the size of the result.
  double blocks_left(int block, double seconds, std::size_t processes) const {
    if (!seeks_intervals()) return schedule_.expected_blocks(block, seconds, elapsed()) - block;
    double all = 0;
    for (const int each : wanted()) all += each;
    return all / static_cast<double>(std::max<std::size_t>(1, processes));
  }

  /// Of each phase of a process in this block and the `blocks` from it on.
  std::size_t samples_to_keep(const std::vector<std::size_t>& order, double blocks) const {
    // A session with a target does not know its number of blocks: it leaves most of the space for later ones.
    constexpr double kUnknownBlocks = 8;
    const double times = spec_.length.target > 0 ? std::max(blocks, kUnknownBlocks) : blocks;
    double phases = 0;
    for (const std::size_t i : order) {
      const results::WorkloadInfo& workload = scheduled_[i].benchmark->workload;
      const std::size_t points = workload.axis ? workload.axis->points.size() : 1;
      phases += static_cast<double>(workload.phases.size() * points);
    }
    const double bytes_left = static_cast<double>(spec_.most_bytes) - static_cast<double>(bytes_);
    return kept_samples(bytes_left, times * static_cast<double>(order.size()), times * phases, kKeptSamples);
  }

  /// At the end: what the session had no time for waits for another one. If nothing has an interval, what has the most
  /// processes is kept.
  void let_unfinished_wait() {
    if (spec_.turns.empty() || interrupted_ || problem_) return;
    int most = 0;
    for (const std::vector<std::size_t>& groups : turn_groups_)
      for (const std::size_t group : groups) most = std::max(most, processes_of(group));
    const int enough = std::max(1, std::min(most, spec_.length.least_blocks));
    for (const std::vector<std::size_t>& groups : turn_groups_)
      for (const std::size_t group : groups)
        if (processes_of(group) < enough) wait_for_another_session(group);
  }

  void wait_for_another_session(std::size_t group) {
    const std::size_t head = arms_[group].front();
    if (scheduled_[head].failed) return;
    end_benchmark(head);
    const std::string& name = spec_.selection.benchmarks[group].name;
    std::erase_if(result_.processes, [&](const results::Process& process) { return process.benchmark == name; });
    std::optional<double> seconds = schedule_.overhead(head);
    if (seconds) *seconds += kLeastSeconds;
    std::vector<results::Waiting>& waiting = result_.session.waiting;
    const auto place =
        std::find_if(waiting.begin(), waiting.end(), [&](const results::Waiting& one) { return one.benchmark > name; });
    waiting.insert(place, {name, seconds});
  }

  ChildSpec command(const Benchmark& benchmark, double seconds, bool exact) const {
    // The base may be older than the workload's tolerance and take no reference.
    const std::filesystem::path answer =
        benchmark.workload.tolerance ? answer_of(workload_of(benchmark)) : std::filesystem::path();
    ChildSpec spec =
        measuring_process(benchmark, {spec_.seed, seconds, spec_.cpu, spec_.threads, exact, spec_.device, answer});
    spec.timeout_seconds =
        spec_.process_timeout.value_or((exact ? kExactTimeoutSeconds : kTimeoutSeconds) + kTimeoutFactor * seconds);
    return spec;
  }

  /// Runs one process of `benchmark`. Nothing if it was interrupted; sets `failure` if it failed.
  std::optional<results::Process> execute(const Benchmark& benchmark, double seconds, bool exact,
                                          results::Failure& failure) {
    const ChildSpec spec = command(benchmark, seconds, exact);
    const ChildOutcome outcome = environment_.run(spec);
    if (outcome.end == ChildEnd::kStopped) {
      interrupted_ = true;
      return std::nullopt;
    }
    failure.output_tail = printable(tail_of(outcome, spec.tail_limit));
    // Also after a crash, which a library that is written to may cause.
    if (std::string change = benchmark.malloc ? benchmark.malloc->change() : ""; !change.empty()) {
      failure.kind = "changed";
      failure.detail = std::move(change);
      return std::nullopt;
    }
    if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
      failure.kind = kind_of(outcome);
      failure.detail = describe_end(spec, outcome);
      if (const std::string said = last_error(failure.output_tail); !said.empty()) failure.detail += ": " + said;
      return std::nullopt;
    }
    Expected<results::Process> process =
        parse_measurement(outcome.output, {benchmark.name, &benchmark.workload, spec_.seed, kept_samples_});
    if (!process) {
      failure.kind = "protocol";
      failure.detail = process.error().what;
      return std::nullopt;
    }
    process->cpu = spec.cpu;
    process->wall_seconds = outcome.wall_seconds;
    return std::move(*process);
  }

  /// The file of the reference's answers to "family/workload"; "" if there is none.
  std::filesystem::path answer_of(const std::string& workload) const {
    const auto found = answers_.find(workload);
    return found == answers_.end() ? std::filesystem::path() : found->second;
  }

  /// Makes a reference write its answers to a workload with a tolerance.
  void write_answer(const Benchmark& reference) {
    const std::string workload = workload_of(reference);
    std::string name = workload + ".answer";
    std::ranges::replace(name, '/', '.');
    const std::filesystem::path file = spec_.scratch / name;
    ChildSpec spec =
        workload_process(reference, "--answer", {spec_.seed, 0, spec_.cpu, spec_.threads, false, spec_.device});
    spec.command.insert(spec.command.end(), {"--out", file.string()});
    spec.timeout_seconds = spec_.process_timeout.value_or(kTimeoutSeconds);
    const ChildOutcome outcome = environment_.run(spec);
    if (outcome.end == ChildEnd::kStopped) {
      interrupted_ = true;
    } else if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
      record({reference.name, 0, 0, kind_of(outcome), "--answer: " + describe_end(spec, outcome),
              printable(tail_of(outcome, spec.tail_limit)), std::string(results::kHead)});
    } else {
      answers_[workload] = file;
    }
  }

  /// Runs a reference that was not selected, only for its answer, not for its time.
  void run_reference(const Benchmark& reference) {
    if (reference.workload.tolerance) return write_answer(reference);
    results::Failure failure{reference.name, 0, 0, "", "", "", std::string(results::kHead)};
    const std::optional<results::Process> process = execute(reference, kLeastSeconds, false, failure);
    if (!process) return record(std::move(failure));
    result_.answers.push_back({reference.name, spec_.seed, process->checksum});
    write_journal(results::journal_line(result_.answers.back()));
  }

  void measure(std::size_t i, int block, int position, double seconds) {
    ScheduledBenchmark& scheduled = scheduled_[i];
    results::Failure failure{scheduled.benchmark->name, scheduled.processes, block, "", "", "", scheduled.arm};
    const double before = environment_.now();
    const bool exact = exact_.wants(scheduled.group);
    // A metric without noise is compared between single values, so all of its processes run one layout.
    const CodeLayout layout = exact ? scheduled.layouts.first() : scheduled.layouts.next();
    Benchmark drawn = *scheduled.benchmark;
    drawn.executable = layout.executable;
    std::optional<results::Process> process = execute(drawn, seconds, exact, failure);
    if (!process) {
      if (interrupted_) return;
      end_benchmark(i);
      return record(std::move(failure));
    }
    process->process = scheduled.processes++;
    process->block = block;
    process->position = position;
    process->arm = scheduled.arm;
    process->layout = layout.number;
    if (write_journal(results::journal_line(*process))) result_.processes.push_back(std::move(*process));
    count_cost(i, seconds, environment_.now() - before, exact);
  }

  /// A process that collected exact metrics took as much longer as it exceeds the ordinary ones before it.
  void count_cost(std::size_t i, double seconds, double wall_seconds, bool exact) {
    const bool comparable = exact && schedule_.overhead(i);
    const double extra = comparable ? std::max(0.0, wall_seconds - schedule_.cost(i, seconds)) : 0;
    if (comparable) exact_.took(extra);
    schedule_.measured(i, seconds, wall_seconds - extra);
  }

  void end_benchmark(std::size_t i) {
    const std::vector<std::size_t>& arms = arms_[scheduled_[i].group];
    for (const std::size_t ends : i == arms.front() ? arms : std::vector<std::size_t>{i}) {
      scheduled_[ends].failed = true;
      schedule_.set_paused(ends, true);
    }
  }

  void record(results::Failure failure) {
    if (interrupted_ || failure.kind.empty()) return;
    report(failure);
    result_.failures.push_back(std::move(failure));
  }

  void report(const results::Failure& failure) {
    write_journal(results::journal_line(failure));
    events_.on_failure(failure);
  }

  bool write_journal(const std::string& line) {
    const Expected<void> kept = environment_.journal(line);
    if (!kept && !problem_) problem_ = kept.error();
    bytes_ += line.size() + 1;
    return kept.has_value();
  }

  /// Removes the numbers of benchmarks with wrong answers.
  void drop_wrong_answers() {
    const std::size_t found = rule_.reject_wrong_answers(result_);
    for (std::size_t f = result_.failures.size() - found; f < result_.failures.size(); ++f) {
      const results::Failure& failure = result_.failures[f];
      for (std::size_t i = 0; i < scheduled_.size(); ++i)
        if (scheduled_[i].benchmark->name == failure.benchmark && scheduled_[i].arm == failure.arm) end_benchmark(i);
      report(failure);
    }
  }

  bool is_active(std::size_t group, std::string_view arm) const {
    return std::any_of(arms_[group].begin(), arms_[group].end(),
                       [&](std::size_t i) { return !scheduled_[i].failed && scheduled_[i].arm == arm; });
  }

  /// Every interval wider than the target, widest first, with the number of its benchmark.
  std::vector<std::pair<double, std::size_t>> wide_intervals() {
    std::vector<std::pair<double, std::size_t>> wide;
    for (std::size_t group = 0; group < arms_.size(); ++group) {
      if (!is_active(group, rows_ > 0 ? results::kBase : results::kHead)) continue;
      int processes = 0;
      for (const std::size_t i : arms_[group]) processes += scheduled_[i].processes;
      // Cached: an exact interval of many processes takes a while to compute, and that of a paused benchmark does not
      // change.
      CachedWidth& known = widths_[group];
      if (known.processes != processes)
        known = {processes, rule_.relative_half_width(result_, spec_.selection.benchmarks[group].name, rows_)};
      if (known.half > spec_.length.target) wide.emplace_back(known.half, group);
    }
    std::sort(wide.rbegin(), wide.rend());
    return wide;
  }

  bool within_target() { return spec_.length.target > 0 && wide_intervals().empty(); }

  void pause_narrow_benchmarks(int done) {
    if (spec_.length.target <= 0 || done < spec_.length.least_blocks) return;
    std::vector<bool> paused(arms_.size());
    for (std::size_t group = 0; group < arms_.size(); ++group) paused[group] = !is_active(group, results::kControl);
    for (const auto& [found, group] : wide_intervals()) paused[group] = false;
    for (std::size_t i = 0; i < scheduled_.size(); ++i)
      if (!scheduled_[i].failed) set_paused(i, paused[scheduled_[i].group]);
  }

  void finish(int blocks) {
    results::Session& session = result_.session;
    for (const std::string& workload : rule_.without_reference(result_))
      session.unusual.push_back(
          fmt::format("the reference gave no answer to {}: variants were compared with each other", workload));
    const bool enough = within_target();
    const bool nothing_left =
        std::all_of(scheduled_.begin(), scheduled_.end(), [](const ScheduledBenchmark& one) { return one.failed; });
    session.state = interrupted_ || problem_ ? "interrupted"
                    : nothing_left           ? "complete"  // more time would not have helped
                                             : schedule_.state(blocks, enough);
    session.ended = environment_.utc();
    session.wall_seconds = environment_.now() - spec_.started.value_or(began_);
    session.timed_seconds = 0;
    for (const results::Process& process : result_.processes) session.timed_seconds += process.timed_seconds;
    if (spec_.length.target > 0 && !enough) session.unusual.push_back(missed_target_sentence());
  }

  std::string missed_target_sentence() {
    std::vector<std::string> named;
    const auto wide = wide_intervals();
    for (std::size_t i = 0; i < std::min(wide.size(), kNamedIntervals); ++i)
      named.push_back(fmt::format("{} ({})", spec_.selection.benchmarks[wide[i].second].name,
                                  wide[i].first >= 1 ? "none yet" : fmt::format("+-{:.1f} %", 100 * wide[i].first)));
    if (wide.size() > kNamedIntervals) named.push_back(fmt::format("{} more", wide.size() - kNamedIntervals));
    return fmt::format("the session ended before these intervals{} were within {:.3g} %: {}",
                       rows_ > 0 ? " of ratios" : "", 100 * spec_.length.target, fmt::join(named, ", "));
  }

  const SessionSpec& spec_;
  const StoppingRule& rule_;
  const SessionEnvironment& environment_;
  SessionEvents& events_;
  results::Result& result_;
  std::vector<ScheduledBenchmark> scheduled_;
  std::vector<std::vector<std::size_t>> arms_;  ///< by number of benchmark
  struct CachedWidth {
    int processes = 0;  ///< number of processes behind it, over all arms
    double half = 1;    ///< divided by the middle
  };
  std::vector<CachedWidth> widths_;  ///< by number of benchmark
  std::size_t rows_;                 ///< rows in the table of verdicts: benchmarks that have a base
  Schedule schedule_;
  ExactTurns exact_;
  std::vector<std::vector<std::size_t>> turn_groups_;  ///< the turns of the spec, by number of benchmark
  BlockChoice choice_;                                 ///< of a session with turns: what this block measures
  std::size_t kept_samples_ = kKeptSamples;
  std::size_t bytes_ = kHeadBytes;                        ///< of the result so far
  std::size_t block_bytes_ = 0;                           ///< of the last block
  std::map<std::string, ConformanceResult> conformance_;  ///< by identity
  std::map<std::string, std::filesystem::path> answers_;  ///< files, by "family/workload"
  double began_;
  double start_;  ///< of measuring
  bool interrupted_ = false;
  std::optional<Error> problem_;
};

}  // namespace

Expected<void> run_session(const SessionSpec& spec, const StoppingRule& rule, const SessionEnvironment& environment,
                           SessionEvents& events, results::Result& result) {
  return SessionRun(spec, rule, environment, events, result).run();
}

}  // namespace lab::measure
