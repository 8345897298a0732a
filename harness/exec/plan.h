/// How a session spends its time: pure functions of what is asked for and what processes have cost so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::exec {

/// What a session aims for.
struct Pace {
  std::string mode;           ///< "quick", "default", "full" or "processes", as results record it
  double budget_seconds = 0;  ///< wall time of all processes together; 0: as long as it takes
  int blocks = 0;             ///< at most so many
  int least_blocks = 0;       ///< fewer and the session did not do what it promised: it is "out of time"
  double most_seconds = 0;    ///< a process gets no more, however much time there is: another process teaches more
  bool until_tight = false;   ///< ends when every interval is within kTight
};

/// Half the width of an interval over its median, at which --full has measured enough.
inline constexpr double kTight = 0.01;

/// The least time a process is asked to measure for; when even that is too much for the budget, there are fewer blocks.
inline constexpr double kLeastSeconds = 0.05;

Pace quick_pace();
Pace default_pace();
Pace full_pace();
Pace processes_pace(int processes);

/// The order of one block: each of 0..count-1 once, shuffled (Fisher and Yates) by the session's seed and the block.
std::vector<std::size_t> block_order(std::size_t count, std::uint64_t seed, int block);

/// Divides the budget, block by block. A process costs the seconds it is asked to measure for and, on top, what it
/// needs to start, prepare, repeat its least number of times and end; that is learnt from each block and so the time
/// left is divided anew before the next one.
class Schedule {
 public:
  Schedule(Pace pace, std::size_t benchmarks);

  /// Seconds for every process of the next block; none when the session is over. `done`: complete blocks; `elapsed`:
  /// seconds since the session's first process; `tight`: whether every interval is within kTight.
  std::optional<double> next_block(int done, double elapsed, bool tight) const;

  /// Seconds for the next process of a block that was given `seconds` each, and of which `remaining` processes, this
  /// one among them, are to cost `cost_left` in all: fewer where the block has turned out dearer than the time left
  /// allows; none where the process cannot be started and end within the budget.
  std::optional<double> next_process(std::size_t benchmark, double seconds, double elapsed, double cost_left,
                                     std::size_t remaining) const;

  /// A process that was asked for `seconds` took `wall_seconds`, all that goes with it included.
  void measured(std::size_t benchmark, double seconds, double wall_seconds);

  /// A benchmark that is not run again.
  void drop(std::size_t benchmark);

  /// Seconds until the end, for people.
  double seconds_left(int done, double seconds, double elapsed, double left_in_block) const;

  /// What a process of `benchmark` will take, asked for `seconds`.
  double cost(std::size_t benchmark, double seconds) const;

  /// How many blocks there will be in all, as it looks now.
  int expected_blocks(int done, double seconds, double elapsed) const;

  /// "complete" or "out of time" for a session that ended by itself.
  std::string state(int done, bool tight) const;

 private:
  double block_cost(double seconds) const;
  int blocks_wanted(int done) const;

  struct Cost {
    bool dropped = false;
    std::optional<double> overhead;  ///< seconds beside the measuring, of its last process; none before the first
  };

  Pace pace_;
  std::vector<Cost> costs_;
  double known_overhead_ = 0;  ///< of all that are known, added up
  std::size_t known_ = 0;
};

}  // namespace lab::exec
