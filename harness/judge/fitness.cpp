#include "harness/judge/fitness.h"

#include <algorithm>

namespace lab::judge {

namespace {

bool is_disturbed(const results::Disturbance& block) {
  return block.foreign + block.stolen > kDisturbedShare * block.seconds + kTicks;
}

/// The machine's logical CPUs; 0 if unknown.
double cpus_of(const results::Result& result) {
  return std::max(result.context.num_cpus, result.machine.logical_cores);
}

/// None if they took little of the session's time. `cpus`: of the machine, 0 if unknown.
std::optional<DisturbedBlocks> find_disturbed(const std::vector<results::Disturbance>& blocks, double cpus) {
  DisturbedBlocks found{.all = blocks.size()};
  double all_seconds = 0;
  for (const results::Disturbance& block : blocks) {
    all_seconds += block.seconds;
    if (!is_disturbed(block)) continue;
    ++found.count;
    found.seconds += block.seconds;
    found.foreign += block.foreign;
    found.stolen += block.stolen;
  }
  if (found.seconds <= kDisturbedTime * all_seconds) return std::nullopt;
  found.share_of_time = found.seconds / all_seconds;
  found.seconds = std::max(found.seconds, kTicks);
  // In a container the kernel may count the CPUs of the whole host.
  if (cpus > 0 && found.foreign + found.stolen > cpus * (found.seconds + kTicks * static_cast<double>(found.count)))
    found.too_few_cpus = cpus;
  return found;
}

}  // namespace

Fitness judge_fitness(const results::Result& result) {
  Fitness fitness;
  fitness.disturbed = find_disturbed(result.session.disturbances, cpus_of(result));
  fitness.control = judge_control(result);
  fitness.fit = !fitness.disturbed && fitness.control.fit;
  // The disturbance comes first, because it may be the cause of the control's finding.
  fitness.reason = fitness.disturbed ? kMachineReason : fitness.control.reason;
  return fitness;
}

ExitStatus exit_status(const results::Result& result, const Fitness& fitness) {
  const bool asked_for_a_verdict = result.session.mode != "processes" || fitness.reason != kBlindReason;
  return fitness.fit || !asked_for_a_verdict ? ExitStatus::kOk : ExitStatus::kUnfit;
}

}  // namespace lab::judge
