#include "harness/measure/breadth.h"

#include <algorithm>

namespace lab::measure {

namespace {

/// The first process of a benchmark reads its executable with cold caches. Until a second one has shown what they take,
/// a core benchmark does not wait for a slow first one unless even this part of it would be too much.
constexpr double kPartOfFirst = 0.5;

/// The most that new turns may need of the time left.
constexpr double kPartOfRest = 0.5;

/// What a turn still needs.
struct Need {
  std::vector<const BreadthBenchmark*> benchmarks;
  bool core = true;
  bool begun = false;
  int least = 0;

  double seconds_of(const BreadthBenchmark& one) const {
    const double each = core && one.processes < 2 ? kPartOfFirst * one.seconds : one.seconds;
    return (least - one.processes) * each;
  }
  double seconds() const {
    double sum = 0;
    for (const BreadthBenchmark* one : benchmarks) sum += seconds_of(*one);
    return sum;
  }
};

Need need_of(const BreadthTurn& turn, int least) {
  Need need{{}, turn.core, false, least};
  for (const BreadthBenchmark& one : turn.benchmarks) {
    if (one.processes < least) need.benchmarks.push_back(&one);
    need.begun = need.begun || one.processes > 0;
  }
  return need;
}

/// Of the turns that still need something; those that have begun come first.
std::vector<Need> needs_of(const std::vector<BreadthTurn>& turns, bool core, int least) {
  std::vector<Need> needs;
  for (const BreadthTurn& turn : turns)
    if (Need need = need_of(turn, least); turn.core == core && !need.benchmarks.empty())
      needs.push_back(std::move(need));
  std::stable_partition(needs.begin(), needs.end(), [](const Need& need) { return need.begun; });
  return needs;
}

/// Those that fit into `seconds`, the first ones first.
std::vector<const BreadthBenchmark*> fitting(const std::vector<Need>& needs, double seconds) {
  std::vector<const BreadthBenchmark*> chosen;
  for (const Need& need : needs) {
    if (need.seconds() > seconds) continue;
    seconds -= need.seconds();
    chosen.insert(chosen.end(), need.benchmarks.begin(), need.benchmarks.end());
  }
  return chosen;
}

/// The first benchmarks of a turn that fit into `seconds`. One alone gives no ratio.
std::vector<const BreadthBenchmark*> part_of(const Need& need, double seconds) {
  std::vector<const BreadthBenchmark*> chosen;
  for (const BreadthBenchmark* one : need.benchmarks) {
    seconds -= need.seconds_of(*one);
    if (seconds < 0) break;
    chosen.push_back(one);
  }
  if (chosen.size() == 1 && need.benchmarks.size() > 1) chosen.clear();
  return chosen;
}

/// The turns that fit or, if none does, a part of the first one.
std::vector<const BreadthBenchmark*> first_of(const std::vector<Need>& needs, double seconds) {
  if (std::vector<const BreadthBenchmark*> all = fitting(needs, seconds); !all.empty() || needs.empty()) return all;
  return part_of(needs.front(), seconds);
}

/// Of turns that are not core: those that have begun, otherwise a group of new ones.
std::vector<const BreadthBenchmark*> of_others(std::vector<Need> needs, double seconds) {
  const auto fresh = std::ranges::find(needs, false, &Need::begun);
  if (const std::vector<Need> begun(needs.begin(), fresh); !begun.empty()) return first_of(begun, seconds);
  if (std::vector<const BreadthBenchmark*> some = fitting(needs, kPartOfRest * seconds); !some.empty()) return some;
  std::erase_if(needs, [&](const Need& need) { return need.seconds() > seconds; });
  if (needs.size() > 1) needs.resize(1);
  return fitting(needs, seconds);
}

BlockChoice choice_of(BlockAim aim, const std::vector<const BreadthBenchmark*>& benchmarks) {
  BlockChoice choice{aim, {}};
  for (const BreadthBenchmark* one : benchmarks) choice.numbers.insert(one->number);
  return choice;
}

/// The control's benchmarks that need more processes, if all of those that they need fit.
std::vector<const BreadthBenchmark*> of_control(const std::vector<BreadthTurn>& turns, BreadthNeed need,
                                                double seconds) {
  std::vector<const BreadthBenchmark*> chosen;
  for (const BreadthTurn& turn : turns)
    for (const BreadthBenchmark& one : turn.benchmarks) {
      if (!one.control || one.processes < need.interval || one.processes >= need.control) continue;
      seconds -= (need.control - one.processes) * one.seconds;
      chosen.push_back(&one);
    }
  if (seconds < 0) chosen.clear();
  return chosen;
}

}  // namespace

BlockChoice choose_block(const std::vector<BreadthTurn>& turns, BreadthNeed need, double seconds_left) {
  const std::vector<Need> core = needs_of(turns, true, need.interval);
  if (const auto chosen = first_of(core, seconds_left); !chosen.empty()) return choice_of(BlockAim::kCore, chosen);
  if (core.empty()) {
    if (const auto chosen = of_control(turns, need, seconds_left); !chosen.empty())
      return choice_of(BlockAim::kControl, chosen);
    if (const auto chosen = of_others(needs_of(turns, false, need.interval), seconds_left); !chosen.empty())
      return choice_of(BlockAim::kTurns, chosen);
  }
  std::vector<const BreadthBenchmark*> known, all;
  for (const BreadthTurn& turn : turns)
    for (const BreadthBenchmark& one : turn.benchmarks) {
      all.push_back(&one);
      if (one.processes >= need.interval) known.push_back(&one);
    }
  if (known.empty() && !all.empty()) return choice_of(BlockAim::kCore, {all.front()});
  return choice_of(BlockAim::kPrecision, known);
}

std::set<std::size_t> still_fitting(const std::vector<BreadthTurn>& turns, const BlockChoice& choice, int interval,
                                    double seconds_left) {
  std::vector<Need> needs;
  for (const BreadthTurn& turn : turns) {
    Need need = need_of(turn, interval);
    std::erase_if(need.benchmarks, [&](const BreadthBenchmark* one) { return !choice.numbers.contains(one->number); });
    if (!need.benchmarks.empty()) needs.push_back(std::move(need));
  }
  return choice_of(choice.aim, first_of(needs, seconds_left)).numbers;
}

}  // namespace lab::measure
