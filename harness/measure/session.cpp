#include "harness/measure/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/measure/block_plan.h"
#include "harness/measure/conformance_gate.h"
#include "harness/measure/quiet_wait.h"
#include "harness/measure/session_arms.h"
#include "harness/measure/session_log.h"
#include "harness/measure/session_processes.h"

namespace lab::measure {

namespace {

class SessionRun {
 public:
  SessionRun(const SessionSpec& spec, const StoppingRule& rule, const SessionEnvironment& environment,
             SessionEvents& events, results::Result& result)
      : spec_(spec),
        rule_(rule),
        environment_(environment),
        events_(events),
        result_(result),
        log_(environment, events, result),
        processes_(spec, environment),
        arms_(spec),
        intervals_(spec, rule, arms_, result),
        plan_(spec, arms_, intervals_, [this] { return environment_.now() - start_; }),
        quiet_(spec, rule, environment, events) {}

  Expected<void> run() {
    const double began = environment_.now();
    check_conformance();
    start_ = environment_.now();  // the budget covers only measuring
    collect_answers();
    int block = 0;
    while (may_continue() && plan_.begin(block, log_.bytes()) && !is_full()) {
      const std::size_t bytes_before = log_.bytes();
      const bool complete = measure_block(block);
      block_bytes_ = log_.bytes() - bytes_before;
      drop_wrong_answers();
      if (!complete) break;
      result_.session.blocks = ++block;
      result_.session.ended = environment_.utc();
      if (may_continue()) events_.on_block(result_);
    }
    if (ended_by_itself()) let_unfinished_wait();
    finish(block, began);
    if (log_.problem()) return *log_.problem();
    return {};
  }

 private:
  bool may_continue() { return !processes_.interrupted() && !log_.problem(); }
  /// The same as when it was last asked.
  bool may_still_say() const { return !processes_.was_interrupted() && !log_.problem(); }

  /// Whether its numbers may be judged.
  bool ended_by_itself() const {
    return !log_.problem() && (!processes_.was_interrupted() || (spec_.until_stopped && !result_.processes.empty()));
  }

  void check_conformance() {
    ConformanceGate gate(environment_, events_, processes_, log_);
    gate.check(arms_, spec_.selection.checks, spec_.length.side_seconds());
    for (std::size_t i = 0; i < arms_.size(); ++i)
      if (gate.fails(*arms_[i].benchmark, arms_[i].arm)) plan_.end(i);
    for (const Benchmark& reference : spec_.selection.checks)
      if (!gate.fails(reference, results::kHead)) references_.push_back(&reference);
  }

  /// References that were not selected run only for their answers, not for their time.
  void collect_answers() {
    for (const Benchmark* reference : references_) {
      if (processes_.was_interrupted()) return;
      if (reference->workload.tolerance)
        write_answer(*reference);
      else if (ProcessEnd end = processes_.measure(*reference, kLeastSeconds, false, kKeptSamples); end.process)
        log_.add(results::ReferenceChecksum{reference->name, spec_.seed, end.process->checksum});
      else if (end.failure)
        log_.add(std::move(*end.failure));
    }
    for (std::size_t group = 0; group < arms_.groups() && !processes_.was_interrupted(); ++group)
      if (const Benchmark& head = *arms_.head(group).benchmark;
          head.reference && head.workload.tolerance && !arms_.head(group).ended)
        write_answer(head);
  }

  void write_answer(const Benchmark& reference) {
    if (std::optional<results::Failure> failure = processes_.write_answer(reference)) log_.add(std::move(*failure));
  }

  /// Whether another block would exceed the size of a result.
  bool is_full() {
    if (log_.bytes() + block_bytes_ <= spec_.most_bytes) return false;
    log_.add_unusual(
        fmt::format("the session ended early: its result has reached {} MiB; measure fewer benchmarks or processes",
                    spec_.most_bytes >> 20));
    return true;
  }

  /// run_block, and its disturbance. All of the session's own processes have ended before and after it, so their CPU
  /// use is known.
  bool measure_block(int block) {
    if (!environment_.cpu_use) return run_block(block);
    if (was_disturbed_) quiet_.wait(processes_);
    const std::size_t bytes_before = log_.bytes();
    const double start = environment_.now();
    const CpuUse before = environment_.cpu_use();
    const bool complete = run_block(block);
    const double seconds = environment_.now() - start;
    const results::Disturbance found = disturbance_between(before, environment_.cpu_use(), block, seconds);
    if (log_.bytes() > bytes_before) log_.add(found);
    was_disturbed_ = rule_.is_disturbed && rule_.is_disturbed(found);
    if (was_disturbed_) plan_.repeat(measured_);
    return complete;
  }

  /// False if the block was cut short.
  bool run_block(int block) {
    const std::vector<std::size_t>& order = plan_.order();
    measured_.clear();
    for (std::size_t position = 0; position < order.size(); ++position) {
      if (!may_continue()) return false;
      if (plan_.is_out(order[position])) continue;  // since this block began
      const std::optional<PlannedProcess> next = plan_.process(position);
      if (!next) return false;
      events_.on_process(progress(*next, block, position));
      measure(*next, block, static_cast<int>(position));
      if (!processes_.was_interrupted()) plan_.pause_what_no_longer_fits();
    }
    return may_continue();
  }

  SessionProgress progress(const PlannedProcess& next, int block, std::size_t position) const {
    const ScheduledBenchmark& scheduled = arms_[next.scheduled];
    const auto [blocks, seconds_left] = plan_.outlook(block, next);
    return {scheduled.benchmark->name, scheduled.arm, block, blocks, position, plan_.order().size(), seconds_left,
            result_.failures.size()};
  }

  void measure(const PlannedProcess& next, int block, int position) {
    const ScheduledBenchmark& scheduled = arms_[next.scheduled];
    const double before = environment_.now();
    const bool exact = plan_.is_exact(next.scheduled);
    const CodeLayout layout = arms_.next_layout(next.scheduled, exact);
    Benchmark drawn = *scheduled.benchmark;
    drawn.executable = layout.executable;
    ProcessEnd end = processes_.measure(drawn, next.seconds, exact, plan_.kept_samples());
    if (end.failure) {
      end.failure->process = scheduled.processes;
      end.failure->block = block;
      end.failure->arm = scheduled.arm;
      plan_.end(next.scheduled);
      log_.add(std::move(*end.failure));
    }
    if (!end.process) return;
    results::Process& process = *end.process;
    process.process = arms_.count_process(next.scheduled);
    measured_.push_back(next.scheduled);
    process.block = block;
    process.position = position;
    process.arm = scheduled.arm;
    process.layout = layout.number;
    log_.add(std::move(process));
    plan_.took(next, environment_.now() - before, exact);
  }

  /// Removes the numbers of benchmarks with wrong answers.
  void drop_wrong_answers() {
    const std::size_t found = rule_.reject_wrong_answers(result_);
    for (std::size_t f = result_.failures.size() - found; f < result_.failures.size(); ++f) {
      const results::Failure& failure = result_.failures[f];
      for (std::size_t i = 0; i < arms_.size(); ++i)
        if (arms_[i].benchmark->name == failure.benchmark && arms_[i].arm == failure.arm) plan_.end(i);
      log_.report(failure);
    }
  }

  /// What the session had no time for waits for another one.
  void let_unfinished_wait() {
    for (const std::size_t group : plan_.without_interval()) {
      if (arms_.head(group).ended) continue;
      plan_.end(arms_.group(group).front());
      const std::string& name = spec_.selection.benchmarks[group].name;
      std::erase_if(result_.processes, [&](const results::Process& process) { return process.benchmark == name; });
      std::vector<results::Waiting>& waiting = result_.session.waiting;
      const auto place = std::ranges::upper_bound(waiting, name, {}, &results::Waiting::benchmark);
      waiting.insert(place, {name, plan_.least_seconds(group)});
    }
  }

  void finish(int blocks, double began) {
    results::Session& session = result_.session;
    for (const std::string& workload : rule_.without_reference(result_))
      log_.add_unusual(
          fmt::format("the reference gave no answer to {}: variants were compared with each other", workload));
    session.state = !ended_by_itself()  ? "interrupted"
                    : arms_.all_ended() ? "complete"  // more time would not have helped
                                        : plan_.state(blocks);
    if (quiet_.seconds() > 0)
      log_.add_unusual(fmt::format("{:.0f} s of the budget were spent waiting for other work on this machine to end",
                                   quiet_.seconds()));
    session.ended = environment_.utc();
    session.wall_seconds = environment_.now() - spec_.started.value_or(began);
    session.timed_seconds = 0;
    for (const results::Process& process : result_.processes) session.timed_seconds += process.timed_seconds;
    if (spec_.length.target > 0 && !intervals_.reached()) log_.add_unusual(intervals_.missed_sentence());
  }

  const SessionSpec& spec_;
  const StoppingRule& rule_;
  const SessionEnvironment& environment_;
  SessionEvents& events_;
  results::Result& result_;
  SessionLog log_;
  SessionProcesses processes_;
  SessionArms arms_;
  TargetIntervals intervals_;
  BlockPlan plan_;
  QuietWait quiet_;
  bool was_disturbed_ = false;                ///< the last block
  std::vector<std::size_t> measured_;         ///< by the last block, by number in SessionArms
  std::vector<const Benchmark*> references_;  ///< not selected, but conforming
  std::size_t block_bytes_ = 0;               ///< of the last block
  double start_ = 0;                          ///< of measuring
};

}  // namespace

Expected<void> run_session(const SessionSpec& spec, const StoppingRule& rule, const SessionEnvironment& environment,
                           SessionEvents& events, results::Result& result) {
  return SessionRun(spec, rule, environment, events, result).run();
}

}  // namespace lab::measure
