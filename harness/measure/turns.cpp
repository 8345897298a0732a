#include "harness/measure/turns.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "harness/measure/arms.h"
#include "harness/stats/interval.h"
#include "harness/stats/quantile.h"

namespace lab::measure {

namespace {

/// The least number of repetitions of a process, warm-up included (harness/bench/recorder.cpp).
constexpr double kLeastRepetitions = 5;

/// Core benchmarks wait only if they would need this many times the session's time: what an earlier session measured
/// beside other work may be too much. A session that has too much time for them finds out (breadth.h).
constexpr double kCoreDoubt = 2;

/// All candidates of one workload.
struct Group {
  std::vector<const TurnCandidate*> members;  ///< the reference first, then the least recently measured
  std::string last_measured;
  double seconds = 0;

  const TurnCandidate& first() const { return *members.front(); }
};

Group make_group(std::vector<const TurnCandidate*> members) {
  std::sort(members.begin(), members.end(), [](const TurnCandidate* a, const TurnCandidate* b) {
    return std::tie(b->reference, a->last_measured, a->name) < std::tie(a->reference, b->last_measured, b->name);
  });
  Group group{std::move(members), "", 0};
  group.last_measured = group.first().last_measured;
  for (const TurnCandidate* const one : group.members) {
    group.last_measured = std::min(group.last_measured, one->last_measured);
    group.seconds += one->seconds;
  }
  return group;
}

/// In the order of their turns.
std::vector<Group> grouped(const std::vector<TurnCandidate>& candidates) {
  std::map<std::string, std::vector<const TurnCandidate*>> members;
  for (const TurnCandidate& one : candidates) members[one.workload].push_back(&one);
  std::vector<Group> groups;
  for (auto& [workload, those] : members) groups.push_back(make_group(std::move(those)));
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::tie(b.first().core, a.last_measured, a.first().workload) <
           std::tie(a.first().core, b.last_measured, b.first().workload);
  });
  return groups;
}

/// How many of the group's first members fit into `seconds`. A reference without another variant gives no ratio.
std::size_t fitting(const Group& group, double seconds) {
  std::size_t count = 0;
  while (count < group.members.size() && group.members[count]->seconds <= seconds)
    seconds -= group.members[count++]->seconds;
  return count == 1 && group.first().reference && group.members.size() > 1 ? 0 : count;
}

/// Seconds of one repetition, untimed parts included. The main thread of a parallel workload may sleep, and an untimed
/// part is in no sample, so the larger of both counts.
double repetition_seconds(const results::Process& process) {
  const double timed = process.timed_seconds / static_cast<double>(std::max<std::uint64_t>(1, process.repetitions));
  return std::max(timed, process.cpu_time * 1e-9 * static_cast<double>(process.operations));
}

double overhead_of(const results::Process& process) {
  const double repetition = repetition_seconds(process);
  const double warmup = process.warmup ? process.warmup->seconds : 0;
  const double repeating = warmup + repetition * static_cast<double>(process.repetitions);
  return std::max(0.0, process.wall_seconds - repeating) +
         std::max(0.0, kLeastRepetitions * repetition - kLeastSeconds);
}

/// The benchmarks that failed; all of a variant if it failed as a whole.
std::set<std::string> failed_in(const results::Result& result) {
  std::set<std::string> failed;
  for (const results::Failure& failure : result.failures) {
    const results::BenchmarkParts parts = results::benchmark_parts(failure.benchmark);
    if (!parts.workload.empty()) failed.insert(failure.benchmark);
    if (!parts.workload.empty()) continue;
    for (const results::WorkloadInfo& workload : result.workloads)
      if (workload.family == parts.family)
        failed.insert(results::benchmark_name(parts.family, parts.variant, workload.name));
  }
  return failed;
}

/// The benchmarks that had their turn: those with an interval, and those that failed, so that they delay no others.
std::set<std::string> measured_in(const results::Result& result) {
  std::map<std::string, std::size_t> processes;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead) ++processes[process.benchmark];
  std::set<std::string> measured = failed_in(result);
  for (const auto& [benchmark, count] : processes)
    if (count >= stats::least_count()) measured.insert(benchmark);
  return measured;
}

/// The mean of those that are known.
double typical_overhead(const PastTurns& past) {
  double sum = 0;
  int known = 0;
  for (const auto& [benchmark, turn] : past) {
    sum += turn.overhead.value_or(0);
    known += turn.overhead.has_value();
  }
  return known == 0 ? kAssumedOverhead : sum / known;
}

/// The benchmarks of the session, with the time that they need for an interval, the control's included.
std::vector<TurnCandidate> candidates_of(const SessionSpec& spec, const PastTurns& past) {
  std::set<std::string> controlled;
  for (const ArmBenchmark& control : choose_control(spec.selection.benchmarks))
    controlled.insert(control.benchmark.name);
  std::vector<TurnCandidate> candidates;
  for (const Benchmark& benchmark : spec.selection.benchmarks) {
    const auto found = past.find(benchmark.name);
    const int arms = controlled.contains(benchmark.name) ? 2 : 1;
    candidates.push_back({benchmark.name, workload_of(benchmark), benchmark.reference, benchmark.core,
                          found == past.end() ? "" : found->second.measured,
                          seconds_of(benchmark.name, arms * spec.length.least_blocks, past)});
  }
  return candidates;
}

/// Leaves the session the benchmarks in `names`; the others wait.
void keep_only(SessionSpec& spec, const std::set<std::string>& names) {
  for (const Benchmark& benchmark : spec.selection.benchmarks)
    if (!names.contains(benchmark.name)) spec.waiting.push_back({benchmark.name, std::nullopt});
  std::sort(spec.waiting.begin(), spec.waiting.end(),
            [](const results::Waiting& a, const results::Waiting& b) { return a.benchmark < b.benchmark; });
  spec.selection = part_of(std::move(spec.selection), names);
}

}  // namespace

Turns choose_turns(const std::vector<TurnCandidate>& candidates, double seconds) {
  const std::vector<Group> groups = grouped(candidates);
  double core_seconds = 0;
  for (const Group& group : groups) core_seconds += group.first().core ? group.seconds : 0;
  Turns turns;
  double left_for_core = kCoreDoubt * seconds, left_for_others = seconds;
  for (const Group& group : groups) {
    const bool core = group.first().core;
    double& left = core ? left_for_core : left_for_others;
    const double most = core ? kCoreDoubt * seconds : seconds - core_seconds;  // that any session has for it
    std::size_t taken = fitting(group, left);
    if (taken < group.members.size() && group.seconds <= most) taken = 0;
    if (turns.measured.empty()) taken = std::max<std::size_t>(1, taken);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      (i < taken ? names : turns.waiting).push_back(group.members[i]->name);
      const double needed = i < taken ? group.members[i]->seconds : 0;
      left_for_others -= needed;
      if (core) left_for_core -= needed;
    }
    if (!names.empty()) turns.measured.push_back(std::move(names));
  }
  std::sort(turns.waiting.begin(), turns.waiting.end());
  return turns;
}

std::map<std::string, double> overheads_of(const results::Result& result) {
  // The first processes also collect exact metrics, so the later ones count if there are any.
  constexpr int kExactProcesses = kPlainProcesses + SessionLength{}.exact_blocks;
  std::map<std::string, std::vector<double>> first, later;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && process.wall_seconds > 0)
      (process.process < kExactProcesses ? first : later)[process.benchmark].push_back(overhead_of(process));
  std::map<std::string, double> overheads;
  for (const auto* const part : {&first, &later})
    for (const auto& [benchmark, values] : *part) overheads[benchmark] = stats::median(values);
  return overheads;
}

void remember(const results::Result& result, PastTurns& past) {
  std::map<std::string, double> overheads = overheads_of(result);
  for (const results::Waiting& one : result.session.waiting)
    if (one.process_seconds) overheads[one.benchmark] = std::max(0.0, *one.process_seconds - kLeastSeconds);
  for (const auto& [benchmark, overhead] : overheads)
    if (result.session.started >= past[benchmark].measured) past[benchmark].overhead = overhead;
  for (const std::string& benchmark : measured_in(result))
    past[benchmark].measured = std::max(past[benchmark].measured, result.session.started);
}

double seconds_of(const std::string& benchmark, int processes, const PastTurns& past) {
  const auto found = past.find(benchmark);
  const bool known = found != past.end() && found->second.overhead;
  return processes * ((known ? *found->second.overhead : typical_overhead(past)) + kLeastSeconds);
}

void select_core(SessionSpec& spec) {
  std::set<std::string> core;
  for (const Benchmark& benchmark : spec.selection.benchmarks)
    if (benchmark.core) core.insert(benchmark.name);
  keep_only(spec, core);
}

void take_turns(SessionSpec& spec, const PastTurns& past) {
  if (spec.length.budget_seconds <= 0) return;
  Turns turns = choose_turns(candidates_of(spec, past), spec.length.affordable_seconds());
  std::set<std::string> measured;
  for (const std::vector<std::string>& turn : turns.measured) measured.insert(turn.begin(), turn.end());
  keep_only(spec, measured);
  spec.turns = std::move(turns.measured);
}

}  // namespace lab::measure
