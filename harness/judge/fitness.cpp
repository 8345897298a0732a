#include "harness/judge/fitness.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/cpu_share.h"

namespace lab::judge {

namespace {

bool is_disturbed(const results::Disturbance& block) {
  return block.foreign + block.stolen > kDisturbedShare * block.seconds + kTicks;
}

/// The machine's logical CPUs; 0 if unknown.
double cpus_of(const results::Result& result) {
  return std::max(result.context.num_cpus, result.machine.logical_cores);
}

/// "unfit: other processes used 1.64 CPUs and the host withheld 3 % of a CPU in 9 of 10 blocks, 90 % of the time; 10 %
/// of a CPU together is the limit"; "" if few blocks were disturbed. `cpus`: of the machine, 0 if unknown.
std::string disturbed_sentence(const std::vector<results::Disturbance>& blocks, double cpus) {
  const auto disturbed = static_cast<std::size_t>(std::count_if(blocks.begin(), blocks.end(), is_disturbed));
  double all_seconds = 0;
  results::Disturbance sum;  // of the disturbed blocks, so that at least one of the two is 5 %
  for (const results::Disturbance& block : blocks) {
    all_seconds += block.seconds;
    if (!is_disturbed(block)) continue;
    sum.seconds += block.seconds;
    sum.foreign += block.foreign;
    sum.stolen += block.stolen;
  }
  if (sum.seconds <= kDisturbedTime * all_seconds) return "";
  const std::string where = fmt::format("in {} of {} block{}, {:.0f} % of the time", disturbed, blocks.size(),
                                        blocks.size() == 1 ? "" : "s", 100 * sum.seconds / all_seconds);
  const double seconds = std::max(sum.seconds, kTicks);
  // In a container the kernel may count the CPUs of the whole host.
  if (cpus > 0 && sum.foreign + sum.stolen > cpus * (seconds + kTicks * static_cast<double>(disturbed)))
    return fmt::format(
        "unfit: the load on this machine is not known, because the kernel counted more CPU time than its {:.0f} CPU{} "
        "can give {}",
        cpus, cpus == 1 ? "" : "s", where);
  constexpr double kLeastShown = 0.01;
  std::vector<std::string> who;
  if (sum.foreign >= kLeastShown * seconds)
    who.push_back(fmt::format("other processes used {}", cpus_text(sum.foreign / seconds)));
  if (sum.stolen >= kLeastShown * seconds)
    who.push_back(fmt::format("the host withheld {}", cpus_text(sum.stolen / seconds)));
  return fmt::format("unfit: {} {}; {}{} is the limit", fmt::join(who, " and "), where, cpus_text(kDisturbedShare),
                     who.size() > 1 ? " together" : "");
}

}  // namespace

Fitness judge_fitness(const results::Result& result) {
  return judge_fitness(result, judge_control(result));
}

Fitness judge_fitness(const results::Result& result, const Control& control) {
  Fitness fitness;
  const auto mark_unfit = [&](std::string_view reason, std::string sentence) {
    if (fitness.fit) fitness.reason = reason;
    fitness.fit = false;
    fitness.sentences.push_back(std::move(sentence));
  };
  // The disturbance comes first, because it may be the cause of the control's finding.
  if (std::string sentence = disturbed_sentence(result.session.disturbances, cpus_of(result)); !sentence.empty())
    mark_unfit(kMachineReason, std::move(sentence));
  if (!control.fit) mark_unfit(control.reason, control.sentence);
  return fitness;
}

ExitStatus exit_status(const results::Result& result, const Fitness& fitness) {
  const bool asked_for_a_verdict = result.session.mode != "processes" || fitness.reason != kBlindReason;
  return fitness.fit || !asked_for_a_verdict ? ExitStatus::kOk : ExitStatus::kUnfit;
}

}  // namespace lab::judge
