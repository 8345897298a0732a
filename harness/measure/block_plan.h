/// What each block of a session measures, and for how long: by the plan, by the turns (breadth.h) and by the target.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/breadth.h"
#include "harness/measure/exact_turns.h"
#include "harness/measure/plan.h"
#include "harness/measure/session_arms.h"

namespace lab::measure {

/// The intervals of a session with a target: which are still too wide.
class TargetIntervals {
 public:
  /// All must outlive it. `rule` defines the interval.
  TargetIntervals(const SessionSpec& spec, const StoppingRule& rule, const SessionArms& arms,
                  const results::Result& result)
      : spec_(spec), rule_(rule), arms_(arms), result_(result), known_(arms.groups()), compared_(arms.compared()) {}

  /// Every interval wider than the target, widest first, with the number of its benchmark.
  std::vector<std::pair<double, std::size_t>> wide();
  /// Whether there is a target, and none is wider.
  bool reached() { return spec_.length.target > 0 && wide().empty(); }
  /// Which intervals missed the target.
  std::string missed_sentence();

 private:
  struct Width {
    int processes = 0;  ///< number of processes behind it, over all arms
    double half = 1;    ///< divided by the middle
  };

  const SessionSpec& spec_;
  const StoppingRule& rule_;
  const SessionArms& arms_;
  const results::Result& result_;
  /// By number of benchmark: an exact interval of many processes takes a while to compute, and that of a paused
  /// benchmark does not change.
  std::vector<Width> known_;
  std::size_t compared_;
};

/// A block's next process.
struct PlannedProcess {
  std::size_t scheduled = 0;  ///< number in SessionArms
  double seconds = 0;         ///< of measuring
  double cost_left = 0;       ///< seconds that the block's processes will take from this one on
};

class BlockPlan {
 public:
  /// All must outlive it. `elapsed`: seconds of measuring since the session's first process.
  BlockPlan(const SessionSpec& spec, SessionArms& arms, TargetIntervals& intervals, std::function<double()> elapsed);

  /// Begins a block; false if the session is over. `bytes`: of the result so far.
  bool begin(int block, std::size_t bytes);
  /// What the block measures, in its order. Some of it may end or be paused before its turn.
  const std::vector<std::size_t>& order() const { return order_; }
  bool is_out(std::size_t i) const { return arms_[i].ended || schedule_.is_paused(i); }
  /// The block's process at `position`; none if the session has no time for it.
  std::optional<PlannedProcess> process(std::size_t position) const;
  /// Whether it collects exact metrics.
  bool is_exact(std::size_t i) const { return exact_.wants(arms_[i].group); }
  /// Most samples to keep of each phase of a process of this block.
  std::size_t kept_samples() const { return kept_samples_; }
  /// Records that a process took `wall_seconds` in all.
  void took(const PlannedProcess& process, double wall_seconds, bool exact);
  /// After a block that other work disturbed: what it measured is repeated, as far as kMostRepeated and the budget
  /// allow. `measured`: the benchmarks that had a process in it, by number in SessionArms.
  void repeat(const std::vector<std::size_t>& measured);
  /// Between two processes: pauses the last turns of a block if the others would lose their intervals.
  void pause_what_no_longer_fits();
  /// Ends a benchmark.
  void end(std::size_t i);

  /// For display, while the process is about to run: expected blocks (0: as many as there is time for), and the
  /// seconds until the end.
  std::pair<int, double> outlook(int block, const PlannedProcess& process) const;
  /// At the end: the benchmarks of the turns without an interval. If nothing has one, what has the most processes is
  /// none of them.
  std::vector<std::size_t> without_interval() const;
  /// Seconds that a process of head's benchmark takes at least; none if that is not known.
  std::optional<double> least_seconds(std::size_t group) const;
  /// See Schedule::state.
  std::string state(int blocks) const { return schedule_.state(blocks, intervals_.reached()); }

 private:
  double planned_elapsed() const { return elapsed_() + exact_.reserve(); }
  /// Whether the session takes turns and the block is for intervals.
  bool seeks_intervals() const { return !turns_.empty() && choice_.aim != BlockAim::kPrecision; }
  std::optional<double> seconds_of_block(int block);
  std::optional<double> seconds_of_precise_block();
  void pause_all_but(const std::set<std::size_t>& groups);
  void pause_narrow_benchmarks(int done);
  /// The processes of head's benchmark that count for its interval: without the disturbed ones that are repeated.
  int counted(std::size_t group) const;
  std::vector<BreadthTurn> breadth_turns() const;
  /// Processes of each arm that the control needs.
  int control_processes() const { return std::max(kControlProcesses, spec_.length.least_blocks); }
  /// Whether a core benchmark lacks an interval or the control lacks processes, for which there is the reserve.
  bool needs_reserve() const;
  /// Seconds that processes for intervals may take from now on.
  double seconds_to_choose() const;
  std::vector<int> wanted() const;
  std::vector<bool> ready_for_exact() const;
  std::size_t samples_to_keep(int block, std::size_t bytes) const;

  const SessionSpec& spec_;
  SessionArms& arms_;
  TargetIntervals& intervals_;
  std::function<double()> elapsed_;
  std::vector<std::vector<std::size_t>> turns_;  ///< those of the spec, by number of benchmark
  Schedule schedule_;
  ExactTurns exact_;
  BlockChoice choice_;  ///< of a session with turns: what this block measures
  std::vector<std::size_t> order_;
  double seconds_ = 0;  ///< of each process of this block
  std::size_t kept_samples_ = 0;
};

}  // namespace lab::measure
