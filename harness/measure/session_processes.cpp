#include "harness/measure/session_processes.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"
#include "harness/measure/variant_output.h"

namespace lab::measure {

namespace {

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
  if (outcome.end == ChildEnd::kTimedOut) return "timeout";
  if (outcome.end == ChildEnd::kTooMuchOutput) return "protocol";
  if (outcome.end != ChildEnd::kExited) return "crash";
  if (outcome.code == kCheckFailed) return std::string(results::kWrongAnswer);
  return outcome.code == kWrongUsage ? "refused" : "crash";
}

bool ended_well(const ChildOutcome& outcome) {
  return outcome.end == ChildEnd::kExited && outcome.code == 0;
}

results::Failure failure_of(const Benchmark& benchmark, std::string kind, std::string detail, std::string tail) {
  return {benchmark.name, 0, 0, std::move(kind), std::move(detail), std::move(tail), std::string(results::kHead)};
}

}  // namespace

std::optional<ConformanceResult> SessionProcesses::check(const Benchmark& benchmark) {
  std::optional<ConformanceResult> found =
      run_conformance(benchmark.executable, environment_.run, benchmark.malloc.get());
  if (!found) interrupted_ = true;
  return found;
}

ProcessEnd SessionProcesses::measure(const Benchmark& benchmark, double seconds, bool exact, std::size_t kept_samples) {
  // The base may be older than the workload's tolerance and take no reference.
  const auto answer = benchmark.workload.tolerance ? answers_.find(workload_of(benchmark)) : answers_.end();
  ChildSpec spec = measuring_process(benchmark, {spec_.seed, seconds, spec_.cpu, spec_.threads, exact, spec_.device,
                                                 answer == answers_.end() ? std::filesystem::path() : answer->second});
  spec.timeout_seconds =
      spec_.process_timeout.value_or((exact ? kExactTimeoutSeconds : kTimeoutSeconds) + kTimeoutFactor * seconds);
  const std::optional<ChildOutcome> outcome = run(spec);
  if (!outcome) return {};
  const std::string tail = printable(tail_of(*outcome, spec.tail_limit));
  // Also after a crash, which a library that is written to may cause.
  if (std::string change = benchmark.malloc ? benchmark.malloc->change() : ""; !change.empty())
    return {{}, failure_of(benchmark, "changed", std::move(change), tail)};
  if (!ended_well(*outcome)) {
    const std::string said = last_error(tail);
    return {{},
            failure_of(benchmark, kind_of(*outcome), describe_end(spec, *outcome) + (said.empty() ? "" : ": " + said),
                       tail)};
  }
  Expected<results::Process> process =
      parse_measurement(outcome->output, {benchmark.name, &benchmark.workload, spec_.seed, kept_samples});
  if (!process) return {{}, failure_of(benchmark, "protocol", process.error().what, tail)};
  process->cpu = spec.cpu;
  process->wall_seconds = outcome->wall_seconds;
  return {std::move(*process), {}};
}

std::optional<results::Failure> SessionProcesses::write_answer(const Benchmark& reference) {
  const std::string workload = workload_of(reference);
  std::string name = workload + ".answer";
  std::ranges::replace(name, '/', '.');
  const std::filesystem::path file = spec_.scratch / name;
  ChildSpec spec =
      workload_process(reference, "--answer", {spec_.seed, 0, spec_.cpu, spec_.threads, false, spec_.device});
  spec.command.insert(spec.command.end(), {"--out", file.string()});
  spec.timeout_seconds = spec_.process_timeout.value_or(kTimeoutSeconds);
  const std::optional<ChildOutcome> outcome = run(spec);
  if (!outcome) return std::nullopt;
  if (!ended_well(*outcome))
    return failure_of(reference, kind_of(*outcome), "--answer: " + describe_end(spec, *outcome),
                      printable(tail_of(*outcome, spec.tail_limit)));
  answers_[workload] = file;
  return std::nullopt;
}

std::optional<ChildOutcome> SessionProcesses::run(const ChildSpec& spec) {
  ChildOutcome outcome = environment_.run(spec);
  if (outcome.end != ChildEnd::kStopped) return outcome;
  interrupted_ = true;
  return std::nullopt;
}

}  // namespace lab::measure
