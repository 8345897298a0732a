/// Which processes of a session are judged: the rule for all numbers, verdicts, controls, claims and levels.
///
/// Other work on the machine makes processes slower. So the times of a workload come from its undisturbed blocks, if
/// these are enough; the disturbed ones are set aside. If too few are undisturbed, the times of all blocks are judged:
/// variants and arms ran in random order within each block, so what disturbs a block disturbs any of them, and a test
/// between them stays exact. It finds less, and the control says whether it could have found anything.
///
/// Times of disturbed blocks are no level: they say which of two is faster, not what either takes on this machine. So
/// histories, comparisons of two sessions and claims of a number do not use them.
///
/// Blocks are chosen by their load alone, never by a value. The variants of a workload are judged on the same blocks.
/// Only times are disturbed; counts and bytes are judged in all blocks. Where no load was recorded, as in older
/// results, no block is disturbed.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/results/result.h"
#include "harness/stats/strata.h"

namespace lab::judge {

/// A block is disturbed if the CPU seconds used by other processes plus those withheld by the host exceed this share of
/// one CPU...
inline constexpr double kDisturbedShare = 0.1;
/// ...by more than this, in seconds: the kernel reports each of five sums (user, nice, system and both interrupts) in
/// whole ticks of 0.01 s, so the share of a short block is inexact.
inline constexpr double kTicks = 0.05;

bool is_disturbed(const results::Disturbance& block);

/// The fewest undisturbed blocks that are judged alone: as many as an interval needs (stats::least_count). A table of
/// several rows needs as many as can tell a change in it from chance (stats::fewest_blocks): with fewer, nothing is
/// found. Neither number was tuned.
inline constexpr std::size_t kLeastUndisturbed = 6;

/// Times are a level if disturbed blocks took at most this share of the time of the blocks that are judged: with few
/// blocks, a median is that of the undisturbed ones all the same. Blocks differ in length: one has all core benchmarks,
/// another the variants of one workload.
inline constexpr double kDisturbedTime = 0.2;

/// The judged blocks of one workload.
class JudgedBlocks {
 public:
  /// Of the workload of `benchmark`. `alpha`: of the session's own table.
  JudgedBlocks(const results::Result& result, std::string_view benchmark, double alpha = stats::kAlpha);

  /// Whether the times of this process of the workload are judged.
  bool judges(const results::Process& process) const {
    return !disturbed_.contains(process.block) || !sets_aside(process.session, process.benchmark);
  }
  /// Whether some of the benchmark's blocks were disturbed.
  bool is_affected(std::string_view benchmark) const;
  /// Whether the times of the benchmark's disturbed blocks are not judged, if it has any.
  bool sets_aside(std::string_view benchmark) const;
  /// Whether the judged times of the benchmark say what it takes on this machine, in each session of a picture.
  bool is_level(std::string_view benchmark) const;

 private:
  /// The blocks of one benchmark of head.
  struct Blocks {
    std::size_t all = 0, undisturbed = 0;
    double seconds = 0, disturbed_seconds = 0;
  };

  /// One session of a picture (picture.h), or the only one.
  struct Session {
    std::map<std::string, Blocks, std::less<>> benchmarks;
    std::size_t least = kLeastUndisturbed;
    bool sets_aside = false;

    Blocks blocks_of(std::string_view benchmark) const;
    bool sets_aside_of(std::string_view benchmark) const { return sets_aside && blocks_of(benchmark).all >= least; }
  };

  bool sets_aside(int session, std::string_view benchmark) const;

  std::set<int> disturbed_;
  std::map<int, Session> sessions_;
};

}  // namespace lab::judge
