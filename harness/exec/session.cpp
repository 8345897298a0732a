#include "harness/exec/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/exec/answer.h"
#include "harness/results/summary.h"
#include "harness/results/verify.h"

namespace lab::exec {

namespace {

/// How many intervals are named that a session could not make tight.
constexpr std::size_t kNamedLoose = 5;

/// What an exit status means is variant_main's to say (harness/bench/variant.h).
constexpr int kOwnCheckFailed = 1;
constexpr int kNotUnderstood = 2;

/// The end of what a failed process said, on standard error or, where it said nothing there, on standard output.
std::string tail_of(const ChildOutcome& outcome, std::size_t limit) {
  if (!outcome.error_tail.empty()) return outcome.error_tail;
  return outcome.output.substr(outcome.output.size() - std::min(outcome.output.size(), limit));
}

/// Standard error and output are bytes; a result is UTF-8.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte >= 0x7f) c = '?';
  }
  return text;
}

std::string kind_of(const ChildOutcome& outcome) {
  switch (outcome.end) {
    case ChildEnd::kTimedOut:
      return "timeout";
    case ChildEnd::kTooMuchOutput:
      return "protocol";
    case ChildEnd::kExited:
      if (outcome.code == kOwnCheckFailed) return std::string(results::kWrongAnswer);
      return outcome.code == kNotUnderstood ? "refused" : "crash";
    default:
      return "crash";
  }
}

class Run {
 public:
  Run(const SessionSpec& spec, const World& world, const Observer& observer, results::Result& result)
      : spec_(spec),
        world_(world),
        observer_(observer),
        result_(result),
        benchmarks_(spec.selection.benchmarks),
        schedule_(spec.pace, benchmarks_.size()),
        failed_(benchmarks_.size()),
        processes_(benchmarks_.size()),
        start_(world.now()) {}

  Expected<void> to_the_end() {
    for (const Benchmark& reference : spec_.selection.checks)
      if (!interrupted_) answer(reference);
    int block = 0;
    while (go_on()) {
      const std::optional<double> seconds = schedule_.next_block(block, elapsed(), tight());
      if (!seconds) break;
      const bool complete = run_block(block, *seconds);
      settle();
      if (!complete) break;
      result_.session.blocks = ++block;
      result_.session.ended = world_.utc();
      if (observer_.on_block && go_on()) observer_.on_block(result_);
    }
    finish(block);
    if (problem_) return *problem_;
    return {};
  }

 private:
  double elapsed() const { return world_.now() - start_; }

  bool go_on() {
    interrupted_ = interrupted_ || world_.interrupted();
    return !interrupted_ && !problem_;
  }

  /// False where the block was cut short.
  bool run_block(int block, double seconds) {
    std::vector<std::size_t> order = block_order(benchmarks_.size(), spec_.seed, block);
    std::erase_if(order, [&](std::size_t i) { return failed_[i]; });
    for (std::size_t position = 0; position < order.size(); ++position) {
      if (!go_on()) return false;
      const std::size_t i = order[position];
      double cost_left = 0;
      for (std::size_t later = position; later < order.size(); ++later)
        cost_left += schedule_.cost(order[later], seconds);
      const double now = elapsed();
      const std::optional<double> given = schedule_.next_process(i, seconds, now, cost_left, order.size() - position);
      if (!given) return false;
      if (observer_.on_process)
        observer_.on_process({benchmarks_[i].name, block, schedule_.expected_blocks(block, seconds, now), position,
                              order.size(), schedule_.seconds_left(block, seconds, now, cost_left),
                              result_.failures.size()});
      measure(i, block, static_cast<int>(position), *given);
    }
    return go_on();
  }

  ChildSpec command(const Benchmark& benchmark, double seconds) const {
    ChildSpec spec;
    spec.command = {benchmark.executable.string(), "--run",     benchmark.workload.name,       "--seed",
                    std::to_string(spec_.seed),    "--seconds", fmt::format("{:.6g}", seconds)};
    if (benchmark.workload.parallel) {
      spec.command.insert(spec.command.end(), {"--threads", std::to_string(spec_.threads)});
    } else {
      spec.cpu = spec_.cpu;
    }
    spec.timeout_seconds = spec_.process_timeout.value_or(kTimeoutSeconds + kTimeoutFactor * seconds);
    return spec;
  }

  /// One process of `benchmark`. Nothing where it was interrupted; `failure` is set where it failed.
  std::optional<results::Process> execute(const Benchmark& benchmark, double seconds, results::Failure& failure) {
    const ChildSpec spec = command(benchmark, seconds);
    const ChildOutcome outcome = world_.run(spec);
    if (outcome.end == ChildEnd::kStopped) {
      interrupted_ = true;
      return std::nullopt;
    }
    failure.output_tail = printable(tail_of(outcome, spec.tail_limit));
    if (outcome.end != ChildEnd::kExited || outcome.code != 0) {
      failure.kind = kind_of(outcome);
      failure.detail = describe_end(spec, outcome);
      return std::nullopt;
    }
    Expected<results::Process> process =
        parse_measurement(outcome.output, {benchmark.name, &benchmark.workload, spec_.seed});
    if (!process) {
      failure.kind = "protocol";
      failure.detail = process.error().what;
      return std::nullopt;
    }
    process->cpu = spec.cpu;
    process->wall_seconds = outcome.wall_seconds;
    return std::move(*process);
  }

  /// Asks a reference that was not selected for its answer, and for no time.
  void answer(const Benchmark& reference) {
    results::Failure failure{reference.name, 0, 0, "", "", ""};
    const std::optional<results::Process> process = execute(reference, kLeastSeconds, failure);
    if (!process) return record(std::move(failure));
    result_.answers.push_back({reference.name, spec_.seed, process->checksum});
    keep(results::journal_line(result_.answers.back()));
  }

  void measure(std::size_t i, int block, int position, double seconds) {
    results::Failure failure{benchmarks_[i].name, processes_[i], block, "", "", ""};
    const double before = world_.now();
    std::optional<results::Process> process = execute(benchmarks_[i], seconds, failure);
    if (!process) {
      if (interrupted_) return;
      give_up(i);
      return record(std::move(failure));
    }
    process->process = processes_[i]++;
    process->block = block;
    process->position = position;
    if (keep(results::journal_line(*process))) result_.processes.push_back(std::move(*process));
    schedule_.measured(i, seconds, world_.now() - before);
  }

  void give_up(std::size_t i) {
    failed_[i] = true;
    schedule_.drop(i);
  }

  void record(results::Failure failure) {
    if (interrupted_ || failure.kind.empty()) return;
    keep(results::journal_line(failure));
    if (observer_.on_failure) observer_.on_failure(failure);
    result_.failures.push_back(std::move(failure));
  }

  bool keep(const std::string& line) {
    const Expected<void> kept = world_.journal(line);
    if (!kept && !problem_) problem_ = kept.error();
    return kept.has_value();
  }

  /// Takes the numbers from what answered wrongly.
  void settle() {
    const std::size_t known = result_.failures.size();
    const std::vector<std::string> wrong = results::verify(result_);
    for (std::size_t i = 0; i < benchmarks_.size(); ++i)
      if (!failed_[i] && std::binary_search(wrong.begin(), wrong.end(), benchmarks_[i].name)) give_up(i);
    for (std::size_t i = known; i < result_.failures.size(); ++i) {
      keep(results::journal_line(result_.failures[i]));
      if (observer_.on_failure) observer_.on_failure(result_.failures[i]);
    }
  }

  /// Every benchmark's interval wider than kTight (or missing), widest first.
  std::vector<std::pair<double, std::string>> loose() const {
    std::map<std::string, std::vector<stats::Datum>> times;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i)
      if (!failed_[i]) times[benchmarks_[i].name];
    for (const results::Process& process : result_.processes)
      if (const auto found = times.find(process.benchmark); found != times.end())
        found->second.push_back({process.block, process.real_time});
    std::vector<std::pair<double, std::string>> wide;
    for (const auto& [name, data] : times) {
      const std::optional<double> width =
          data.empty() ? std::nullopt : stats::relative_half_width(results::estimate(data));
      if (!width || *width > kTight) wide.emplace_back(width.value_or(1), name);
    }
    std::sort(wide.rbegin(), wide.rend());
    return wide;
  }

  bool tight() const { return spec_.pace.until_tight && loose().empty(); }

  void finish(int blocks) {
    std::vector<std::string>& unusual = result_.session.unusual;
    for (const std::string& workload : results::without_reference(result_))
      unusual.push_back(
          fmt::format("the reference gave no answer to {}: variants were compared with each other", workload));
    const bool enough = tight();
    result_.session.state = interrupted_ || problem_ ? "interrupted" : schedule_.state(blocks, enough);
    result_.session.ended = world_.utc();
    if (!spec_.pace.until_tight || enough) return;
    std::vector<std::string> named;
    const auto wide = loose();
    for (std::size_t i = 0; i < std::min(wide.size(), kNamedLoose); ++i)
      named.push_back(fmt::format("{} (+-{:.1f} %)", wide[i].second, 100 * wide[i].first));
    if (wide.size() > kNamedLoose) named.push_back(fmt::format("{} more", wide.size() - kNamedLoose));
    unusual.push_back(fmt::format("the session ended before these intervals were within {:.0f} %: {}", 100 * kTight,
                                  fmt::join(named, ", ")));
  }

  const SessionSpec& spec_;
  const World& world_;
  const Observer& observer_;
  results::Result& result_;
  const std::vector<Benchmark>& benchmarks_;
  Schedule schedule_;
  std::vector<bool> failed_;
  std::vector<int> processes_;
  double start_;
  bool interrupted_ = false;
  std::optional<Error> problem_;
};

}  // namespace

Expected<void> run_session(const SessionSpec& spec, const World& world, const Observer& observer,
                           results::Result& result) {
  return Run(spec, world, observer, result).to_the_end();
}

}  // namespace lab::exec
