/// How a session spends its time: pure functions of what is asked for and what processes have cost so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::measure {

/// What a session aims for.
struct Pace {
  std::string mode;           ///< "quick", "default", "full" or "processes", as results record it
  double budget_seconds = 0;  ///< wall time of all processes together; 0: as long as it takes
  int blocks = 0;             ///< the budget is divided among so many; without a target there are no more
  int least_blocks = 0;       ///< fewer and the session did not do what it promised: it is "out of time"
  double most_seconds = 0;    ///< a process gets no more, however much time there is: another process teaches more
  double target = 0;          ///< ends when every interval is within this, half its width over its middle; 0: no target
  int exact_blocks = 3;       ///< so many ask for the exact metrics that take time; two may agree by chance
};

/// The target of --full.
inline constexpr double kTight = 0.01;

/// A session with a target has no more blocks than these, whatever its budget.
inline constexpr int kMostBlocks = 500;

/// The least time a process is asked to measure for; when even that is too much for the budget, there are fewer blocks.
inline constexpr double kLeastSeconds = 0.05;

Pace quick_pace();
Pace default_pace();
Pace full_pace();
Pace processes_pace(int processes);

/// `pace` for a session whose `rows` benchmarks are compared with another arm: blocks until the intervals of all ratios
/// are within `target` (not with --processes, which says when to end), and at least as many as let a row's p get below
/// stats::kAlpha after Holm's correction over the table.
///
/// A session ends by how wide its intervals are, never by where they lie. Of 400 rows without a change (noise 1 %,
/// drift 3 %, target 0.5 %, a look at every block, 31 blocks at the end) 8 % then had p below 0.05, which the
/// threshold, twice the target, keeps from being verdicts; of rows that end when p is small, 22 % would.
Pace against_pace(Pace pace, std::size_t rows, double target);

/// The order of one block: each of 0..count-1 once, shuffled (Fisher and Yates) by the session's seed and the block.
std::vector<std::size_t> block_order(std::size_t count, std::uint64_t seed, int block);

/// The order in which `arms` arms of one benchmark follow each other in a block: forwards in even blocks and backwards
/// in odd ones, so that every two blocks are ABBA; which arm begins moves on by one with each such pair, from one that
/// the seed chooses for each benchmark. What changes evenly over two blocks thus falls on all arms alike.
std::vector<std::size_t> arm_order(std::size_t arms, std::uint64_t seed, std::size_t benchmark, int block);

/// Divides the budget, block by block, among the processes of each: one a benchmark and arm. A process costs the
/// seconds it is asked to measure for and, on top, what it needs to start, prepare, repeat its least number of times
/// and end; that is learnt from each block and so the time left is divided anew before the next one.
class Schedule {
 public:
  Schedule(Pace pace, std::size_t processes);

  /// Seconds for every process of the next block; none when the session is over. `done`: complete blocks; `elapsed`:
  /// seconds since the session's first process; `tight`: whether every interval is within the target.
  std::optional<double> next_block(int done, double elapsed, bool tight) const;

  /// Seconds for the next process of a block that was given `seconds` each, and of which `remaining` processes, this
  /// one among them, are to cost `cost_left` in all: fewer where the block has turned out dearer than the time left
  /// allows; none where the process cannot be started and end within the budget.
  std::optional<double> next_process(std::size_t process, double seconds, double elapsed, double cost_left,
                                     std::size_t remaining) const;

  /// A process that was asked for `seconds` took `wall_seconds`, all that goes with it included.
  void measured(std::size_t process, double seconds, double wall_seconds);

  /// Whether it takes part in the blocks to come; all do at first.
  void rest(std::size_t process, bool rests);

  /// Seconds until the end, for people.
  double seconds_left(int done, double seconds, double elapsed, double left_in_block) const;

  /// What it will take, asked for `seconds`; nothing where it rests.
  double cost(std::size_t process, double seconds) const;

  /// How many blocks there will be in all, as it looks now.
  int expected_blocks(int done, double seconds, double elapsed) const;

  /// "complete" or "out of time" for a session that ended by itself.
  std::string state(int done, bool tight) const;

 private:
  double block_cost(double seconds) const;
  int blocks_wanted(int done) const;

  struct Cost {
    bool rests = false;
    std::optional<double> overhead;  ///< seconds beside the measuring, of its last process; none before the first
  };

  Pace pace_;
  std::vector<Cost> costs_;
  double known_overhead_ = 0;  ///< of all that are known, added up
  std::size_t known_ = 0;
};

/// How many blocks a session will have whose processes need `overheads` seconds beside the time they are asked to
/// measure for (none: not known), and whose target, if any, is never reached.
int planned_blocks(const Pace& pace, const std::vector<std::optional<double>>& overheads);

}  // namespace lab::measure
