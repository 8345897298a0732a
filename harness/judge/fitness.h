/// Whether a session may give verdicts, from its A/A control and from the other load on the machine.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "harness/base/error.h"
#include "harness/judge/control.h"
#include "harness/results/result.h"

namespace lab::judge {

/// The disturbed blocks of a session that they make unfit.
struct DisturbedBlocks {
  std::size_t count = 0, all = 0;  ///< blocks
  double share_of_time = 0;        ///< of the session
  double seconds = 0;              ///< at least kTicks
  double foreign = 0, stolen = 0;  ///< CPU seconds: used by other processes, withheld by the host
  /// CPUs of the machine, if it cannot give as much CPU time as the kernel counted.
  std::optional<double> too_few_cpus = {};
};

struct Fitness {
  bool fit = true;
  std::string_view reason = {};                   ///< kMachineReason or kBlindReason if unfit, else ""
  std::optional<DisturbedBlocks> disturbed = {};  ///< if they make it unfit
  Control control = {};                           ///< may make it unfit, too
};

/// A block is disturbed if the CPU seconds used by other processes plus those withheld by the host exceed this share of
/// one CPU...
inline constexpr double kDisturbedShare = 0.1;
/// ...by more than this, in seconds: the kernel reports each of five sums (user, nice, system and both interrupts) in
/// whole ticks of 0.01 s, so the share of a short block is inexact.
inline constexpr double kTicks = 0.05;
/// A session is unfit if its disturbed blocks took more than this share of its time. They differ in length: one block
/// has all core benchmarks, another the variants of one workload.
inline constexpr double kDisturbedTime = 0.2;

/// Unfit if the control is unfit (judge_control) or too many blocks were disturbed. Data that was not recorded, as in
/// older results, makes no session unfit.
Fitness judge_fitness(const results::Result& result);

/// kUnfit if no time of the session has a verdict, else kOk. A user who chose the number of processes gets kOk with a
/// blind control: whether they are enough for a verdict was not asked.
ExitStatus exit_status(const results::Result& result, const Fitness& fitness);

}  // namespace lab::judge
