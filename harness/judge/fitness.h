/// Whether verdicts may be taken from a session: by its own control, and by what else ran on the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/control.h"
#include "harness/results/result.h"

namespace lab::judge {

struct Fitness {
  bool fit = true;
  std::string_view reason;             ///< kMachineReason or kBlindReason where it is not fit, else ""
  std::vector<std::string> sentences;  ///< why it is not fit
};

/// A block is disturbed where the CPU seconds that other processes used and the host withheld, together, are more than
/// this share of one CPU...
inline constexpr double kDisturbedShare = 0.1;
/// ...and by this much, in seconds: the kernel gives each of five sums (user, nice, system and both interrupts) in
/// whole ticks of 0.01 s, so a short block's share is rough.
inline constexpr double kTicks = 0.05;
/// A session is unfit where more than this share of its blocks is disturbed.
inline constexpr double kDisturbedBlocks = 0.2;

/// Unfit where the control says so (judge_control) or too many blocks were disturbed. What was not recorded, as in
/// results from before it was, makes no session unfit.
Fitness judge_fitness(const results::Result& result);
/// The same with the control's judgement, where that is at hand.
Fitness judge_fitness(const results::Result& result, const Control& control);

}  // namespace lab::judge
