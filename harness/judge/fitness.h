/// Whether a session may give verdicts, from its A/A control and from the other load on the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/control.h"
#include "harness/results/result.h"

namespace lab::judge {

struct Fitness {
  bool fit = true;
  std::string_view reason;             ///< kMachineReason or kBlindReason if unfit, else ""
  std::vector<std::string> sentences;  ///< why it is unfit
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
/// The same, if the control is already judged.
Fitness judge_fitness(const results::Result& result, const Control& control);

/// kUnfit if no time of the session has a verdict, else kOk. A user who chose the number of processes gets kOk with a
/// blind control: whether they are enough for a verdict was not asked.
ExitStatus exit_status(const results::Result& result, const Fitness& fitness);

}  // namespace lab::judge
