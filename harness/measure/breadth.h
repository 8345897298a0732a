/// What the next block of a session measures: breadth before precision. First every core benchmark gets the processes
/// that an interval needs, then the control those that a fit session needs, then the others have their turns, and then
/// all of them get more processes. Pure functions.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace lab::measure {

/// A benchmark that the session may measure, in all of its arms.
struct BreadthBenchmark {
  std::size_t number = 0;  ///< of head's benchmark
  int processes = 0;       ///< of head, so far, without disturbed ones that are repeated
  double seconds = 0;      ///< of one process of each arm, kLeastSeconds of measuring in each
  bool control = false;    ///< whether it runs as control, too
};

/// How many processes a benchmark needs.
struct BreadthNeed {
  int interval = 0;  ///< for an interval
  int control = 0;   ///< for a control that detects the changes that a fit session must detect; at least `interval`
};

/// Benchmarks of one workload that are measured in the same blocks; the first have the first claim on time.
struct BreadthTurn {
  bool core = true;
  std::vector<BreadthBenchmark> benchmarks;
};

enum class BlockAim {
  kCore,       ///< intervals of core benchmarks
  kControl,    ///< more processes of the control
  kTurns,      ///< intervals of others
  kPrecision,  ///< more processes of those that have intervals
};

struct BlockChoice {
  BlockAim aim = BlockAim::kPrecision;
  std::set<std::size_t> numbers;  ///< of head's benchmarks
};

/// Chooses the benchmarks of the next block. `turns` are in the order of their claim on time, without benchmarks that
/// failed.
///
/// Of the turns that still need processes, those are chosen that `seconds_left` is enough for, the first ones first. A
/// choice is made anew for each block, so a turn that did not fit while other work slowed the machine down comes back
/// when there is time again. Turns that are not core are begun in groups that need at most half of the time left: if
/// they take longer than expected, only that group is at risk. Of a turn that is too large, as many benchmarks are
/// chosen as fit. If nothing fits and nothing has an interval, the first benchmark is chosen alone.
BlockChoice choose_block(const std::vector<BreadthTurn>& turns, BreadthNeed need, double seconds_left);

/// Within a block that was chosen for intervals: the numbers of its benchmarks that still fit.
std::set<std::size_t> still_fitting(const std::vector<BreadthTurn>& turns, const BlockChoice& choice, int interval,
                                    double seconds_left);

}  // namespace lab::measure
