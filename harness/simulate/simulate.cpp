#include "harness/simulate/simulate.h"

#include <array>

namespace lab::simulate {

namespace {

constexpr std::array kSimulations{
    Simulation{"changepoints", "false alarms and delay of change point detection", simulate_change_points},
    Simulation{"ranks", "false alarms and power of the rank test within blocks", simulate_ranks},
    Simulation{"bisect", "bisect over 256 commits, of which one is slower and some do not build", simulate_bisect},
    Simulation{"compare", "tables of 100 benchmarks through the real comparison", simulate_compare},
    Simulation{"nights", "how often a night is called unfit because many benchmarks deviate at once", simulate_nights},
    Simulation{"history", "time to read and open a long history", simulate_history},
};

}  // namespace

bool Finding::met() const {
  return goal == Goal::kNone || (goal == Goal::kAtMost ? value <= bound : value >= bound);
}

std::span<const Simulation> simulations() {
  return kSimulations;
}

}  // namespace lab::simulate
