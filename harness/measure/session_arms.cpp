#include "harness/measure/session_arms.h"

namespace lab::measure {

SessionArms::SessionArms(const SessionSpec& spec) {
  const std::vector<Benchmark>& head = spec.selection.benchmarks;
  for (std::size_t i = 0; i < head.size(); ++i)
    scheduled_.push_back({&head[i], std::string(results::kHead), i, {head[i], results::kHead, spec.seed}});
  for (const ArmBenchmark& other : spec.other_arms) {
    const auto found =
        std::find_if(head.begin(), head.end(), [&](const Benchmark& one) { return one.name == other.benchmark.name; });
    if (found != head.end())
      scheduled_.push_back({&other.benchmark,
                            other.arm,
                            static_cast<std::size_t>(found - head.begin()),
                            {other.benchmark, other.arm, spec.seed}});
  }
  groups_.resize(head.size());
  for (std::size_t i = 0; i < scheduled_.size(); ++i) groups_[scheduled_[i].group].push_back(i);
}

bool SessionArms::is_active(std::size_t group, std::string_view arm) const {
  return std::any_of(groups_[group].begin(), groups_[group].end(),
                     [&](std::size_t i) { return !scheduled_[i].ended && scheduled_[i].arm == arm; });
}

std::vector<std::size_t> SessionArms::controls() const {
  std::vector<std::size_t> controls;
  for (std::size_t group = 0; group < groups_.size(); ++group)
    if (is_active(group, results::kControl)) controls.push_back(group);
  return controls;
}

std::size_t SessionArms::compared() const {
  return static_cast<std::size_t>(std::ranges::count(
      scheduled_, results::kBase, [](const ScheduledBenchmark& one) { return std::string_view(one.arm); }));
}

std::vector<std::size_t> SessionArms::order(std::uint64_t seed, int block) const {
  std::vector<std::size_t> order;
  for (const std::size_t group : block_order(groups_.size(), seed, block))
    for (const std::size_t arm : arm_order(groups_[group].size(), seed, group, block))
      order.push_back(groups_[group][arm]);
  return order;
}

CodeLayout SessionArms::next_layout(std::size_t i, bool exact) {
  return exact ? scheduled_[i].layouts.first() : scheduled_[i].layouts.next();
}

std::vector<std::size_t> SessionArms::end(std::size_t i) {
  const std::vector<std::size_t>& arms = groups_[scheduled_[i].group];
  std::vector<std::size_t> ended = i == arms.front() ? arms : std::vector<std::size_t>{i};
  for (const std::size_t one : ended) scheduled_[one].ended = true;
  return ended;
}

}  // namespace lab::measure
