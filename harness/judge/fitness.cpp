#include "harness/judge/fitness.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::judge {

namespace {

bool is_disturbed(const results::Disturbance& block) {
  return block.foreign + block.stolen > kDisturbedShare * block.seconds + kTicks;
}

/// "unfit: other processes used 164 % of a CPU and the host withheld 3 % of a CPU in 9 of 10 blocks; 10 % together is
/// the limit"; "" if few blocks were disturbed.
std::string disturbed_sentence(const std::vector<results::Disturbance>& blocks) {
  const auto disturbed = static_cast<std::size_t>(std::count_if(blocks.begin(), blocks.end(), is_disturbed));
  if (static_cast<double>(disturbed) <= kDisturbedBlocks * static_cast<double>(blocks.size())) return "";
  results::Disturbance sum;  // of the disturbed blocks, so that at least one of the two is 5 %
  for (const results::Disturbance& block : blocks) {
    if (!is_disturbed(block)) continue;
    sum.seconds += block.seconds;
    sum.foreign += block.foreign;
    sum.stolen += block.stolen;
  }
  const double percent = 100 / std::max(sum.seconds, kTicks);
  std::vector<std::string> who;
  if (percent * sum.foreign >= 1)
    who.push_back(fmt::format("other processes used {:.0f} % of a CPU", percent * sum.foreign));
  if (percent * sum.stolen >= 1)
    who.push_back(fmt::format("the host withheld {:.0f} % of a CPU", percent * sum.stolen));
  return fmt::format("unfit: {} in {} of {} block{}; {:.0f} %{} is the limit", fmt::join(who, " and "), disturbed,
                     blocks.size(), blocks.size() == 1 ? "" : "s", 100 * kDisturbedShare,
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
  if (std::string sentence = disturbed_sentence(result.session.disturbances); !sentence.empty())
    mark_unfit(kMachineReason, std::move(sentence));
  if (!control.fit) mark_unfit(control.reason, control.sentence);
  return fitness;
}

}  // namespace lab::judge
