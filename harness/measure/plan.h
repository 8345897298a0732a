/// How a session divides its time: pure functions of the settings and of the processes' cost so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/result_name.h"
#include "harness/stats/interval.h"

namespace lab::measure {

/// The settings of a session's length.
struct SessionLength {
  std::string mode;           ///< "quick", "default", "full" or "processes", as results record it
  double budget_seconds = 0;  ///< wall time of all processes together; 0: no limit
  int blocks = 0;             ///< the budget is divided among this many; also the maximum if there is no target
  int least_blocks = 0;       ///< a session with fewer blocks is "out of time"
  double most_seconds = 0;    ///< most measuring time of one process: beyond it, another process gives more information
  double target = 0;          ///< ends when each interval's half width over its middle is within this; 0: no target
  /// More seconds for core benchmarks without an interval and for the control's processes, on a slow machine.
  double reserve_seconds = 0;
  int exact_blocks = 3;  ///< processes of each arm that collect costly exact metrics; only two could agree by chance

  /// A budget that a user named has no reserve.
  void set_budget(double seconds) {
    budget_seconds = seconds;
    reserve_seconds = 0;
  }

  /// Most of the budget for each thing beside timing: exact metrics, conformance. 0 without a budget.
  double side_seconds() const;
  /// Most seconds that planned processes may take without exact metrics, tolerance and reserve included.
  double affordable_seconds() const;
};

/// Estimates of cost are no better than this factor: a session may take this much more than its budget.
inline constexpr double kTolerance = 1.02;

/// The target of --full.
inline constexpr double kFullTarget = 0.01;

/// Most blocks of a session with a target, whatever its budget.
inline constexpr int kMostBlocks = 500;

/// The least measuring time of a process; if even that exceeds the budget, there are fewer blocks. Times
/// differ more between processes than within one, so that more processes say more than longer ones.
inline constexpr double kLeastSeconds = 0.02;

/// Start, preparation and end of a process, in seconds, before anything is known of any benchmark.
inline constexpr double kAssumedOverhead = 0.05;

/// With a budget, a benchmark collects exact metrics after so many processes without them, which show what one costs.
inline constexpr int kPlainProcesses = 1;

/// Processes of each arm that a control gets even if the other benchmarks have fewer. With the least number, an
/// interval is as wide as the whole range of the processes: one that the host delayed makes the session unfit.
inline constexpr int kControlProcesses = 12;

/// Most blocks that are repeated because other work disturbed them, as a share of those planned: on a machine that is
/// always busy, repeating does not help.
inline constexpr double kMostRepeated = 0.5;

/// Most bytes of a result.
using results::kMostResultBytes;

/// How many samples to keep of each phase of a process, so that `processes` more processes with `phases` phases in all
/// take at most `bytes_left` bytes of a result; at most `most`.
std::size_t kept_samples(double bytes_left, double processes, double phases, std::size_t most);

SessionLength quick_length();
SessionLength default_length();
SessionLength full_length();
SessionLength processes_length(int processes);

/// `length` for a session whose `rows` benchmarks are compared with another arm. It runs blocks until the intervals of
/// all ratios are within `target` (except with --processes, which fixes the end), and at least as many as a row's p
/// needs to get below stats::kAlpha after Holm's correction over the table.
///
/// A session ends by the width of its intervals, never by their position. Of 400 rows without a change (noise 1 %,
/// drift 3 %, target 0.5 %, a test at every block, 31 blocks at the end) 8 % then had p below 0.05; the threshold,
/// twice the target, keeps these from being verdicts. Of rows that end when p is small, 22 % would have.
SessionLength against_length(SessionLength length, std::size_t rows, double target);

/// How many of `disturbed` blocks are repeated, if `planned` are planned.
int repeats(int disturbed, int planned);

/// The order of one block: each of 0..count-1 once, shuffled (Fisher and Yates), seeded by the session's seed and the
/// block.
std::vector<std::size_t> block_order(std::size_t count, std::uint64_t seed, int block);

/// The order of the `arms` arms of one benchmark in a block: forwards in even blocks and backwards in odd ones, so that
/// every two blocks are ABBA. The first arm advances by one with each such pair, from one that the seed chooses for
/// each benchmark. So a linear change over two blocks affects all arms equally.
std::vector<std::size_t> arm_order(std::size_t arms, std::uint64_t seed, std::size_t benchmark, int block);

/// Divides the budget, block by block, among the processes of each: one per benchmark and arm. A process costs its
/// measuring time plus an overhead: to start, prepare, repeat its least number of times and end. The overhead is learnt
/// from each block, and the time left is divided again before the next one.
class Schedule {
 public:
  Schedule(SessionLength length, std::size_t processes);

  /// Measuring seconds for every process of the next block; none when the session is over. `done`: complete blocks;
  /// `elapsed`: seconds since the session's first process; `within_target`: whether every interval is within the
  /// target.
  std::optional<double> next_block(int done, double elapsed, bool within_target) const;

  /// Measuring seconds for the next process of a block planned with `seconds` per process. `remaining` processes,
  /// including this one, are expected to cost `cost_left` in all. Less than `seconds` if the block has become more
  /// expensive than the time left allows; none if the process cannot start and end within the budget.
  std::optional<double> next_process(std::size_t process, double seconds, double elapsed, double cost_left,
                                     std::size_t remaining) const;

  /// Records that a process with `seconds` of measuring time took `wall_seconds` in all, overhead included. Exact
  /// metrics are no part of it.
  void measured(std::size_t process, double seconds, double wall_seconds);

  /// Plans one more block than before, because other work disturbed one: a session needs as many undisturbed ones. At
  /// most kMostRepeated of the planned number; none without a budget, because then the user chose the number.
  void repeat_block();

  /// From now on, processes may use the reserve, or may not.
  void use_reserve(bool use) { reserve_ = use ? length_.reserve_seconds : 0; }

  /// The least number of blocks, with those that are repeated.
  int least_blocks() const { return length_.least_blocks + repeated_; }

  /// Sets whether the process is paused, i.e. has no part in later blocks; at first none is.
  void set_paused(std::size_t process, bool paused) { costs_[process].paused = paused; }
  bool is_paused(std::size_t process) const { return costs_[process].paused; }

  /// Seconds until the end, for display.
  double seconds_left(int done, double seconds, double elapsed, double left_in_block) const;

  /// Expected cost with `seconds` of measuring time; 0 if it is paused.
  double cost(std::size_t process, double seconds) const;
  /// The same, paused or not.
  double cost_unpaused(std::size_t process, double seconds) const;

  /// Measuring seconds for each process if `wanted[i]` more of each process i were to fill the budget.
  double even_seconds(const std::vector<int>& wanted, double elapsed) const;

  /// Seconds that a process outside measuring is known to need; none before the first one ended.
  std::optional<double> overhead(std::size_t process) const { return costs_[process].overhead; }

  /// Total number of blocks expected now.
  int expected_blocks(int done, double seconds, double elapsed) const;

  /// "complete" or "out of time" for a session that ended by itself.
  std::string state(int done, bool within_target) const;

 private:
  double block_cost(double seconds) const;
  int blocks_wanted(int done) const;

  struct Cost {
    bool paused = false;
    std::optional<double> overhead;  ///< seconds of its last process outside measuring; none before the first
  };

  /// Planned blocks, with those that are repeated.
  int blocks() const { return length_.blocks + repeated_; }

  SessionLength length_;
  int repeated_ = 0;
  double reserve_ = 0;  ///< seconds that may be used beyond the budget
  std::vector<Cost> costs_;
  double known_overhead_ = 0;  ///< sum over all that are known
  std::size_t known_ = 0;
};

/// How many blocks a session will have if its processes have these `overheads`, in seconds (none: unknown), and it
/// never reaches its target, if any.
int planned_blocks(const SessionLength& length, const std::vector<std::optional<double>>& overheads);

}  // namespace lab::measure
