/// Simulated sessions like those of `run`: base, head and control of a table of benchmarks, interleaved in blocks.
#pragma once

#include "harness/results/result.h"
#include "harness/simulate/noise.h"

namespace lab::simulate {

inline constexpr int kRows = 100;

/// Other work on a machine of kSimulatedCpus. A process beside it is slowed with the probability that its CPU is busy,
/// CPUs in use over kSimulatedCpus, by a factor e^x, where x is exponential: most lose little, some lose much. On a
/// virtual machine with both CPUs busy, processes took e^x times as long as the fastest one of their arm, where the
/// mean of x was 0.003 to 0.04 for repetitions of 0.8 ms, and 0.08 to 0.6 for repetitions of 70 to 350 ms, which are
/// longer than a process runs at a time.
struct OtherWork {
  double cpus = 0;         ///< in use by it, on average over the session
  bool in_bursts = false;  ///< twice as many in half of the blocks, in runs of three on average; else the same in all
  double slowdown = 0.03;  ///< mean of x
};

inline constexpr double kSimulatedCpus = 2;

/// The parameters of a simulated session, as shares.
struct SessionParameters {
  int processes = 15;     ///< of each arm, without those of repeated blocks
  double between = 0.01;  ///< sigma between processes
  double change = 0;      ///< of head, in every row from `changed_from` on
  int changed_from = kRows;
  double level = 0;      ///< of a second session: logarithm of the machine's slowdown
  double own_level = 0;  ///< of a second session: sigma of each benchmark's own deviation
  double links = 0;      ///< sigma between the links of a build, kLinks in each arm; 0: builds of one link
  OtherWork work = {};
  int rows = kRows;
};

/// A session like one of `run`: each block has every benchmark once, shuffled, with its arms in succession, in an order
/// that alternates from block to block. Every tenth benchmark has a control. Without `both_arms`, only head.
results::Result session(NormalRandom& random, const SessionParameters& parameters, bool both_arms);

/// The number of the row with this benchmark.
int row_of(const std::string& benchmark);

}  // namespace lab::simulate
