#include "harness/simulate/simulate.h"

#include <array>

namespace lab::simulate {

namespace {

constexpr std::array kSimulations{
    Simulation{"changepoints", "false alarms and delay of the change points", simulate_change_points},
    Simulation{"ranks", "false alarms and power of the rank test within blocks", simulate_ranks},
    Simulation{"bisect", "256 commits, some of which do not build, and a slowdown in one of them", simulate_bisect},
    Simulation{"compare", "tables of 100 benchmarks through the real comparison", simulate_compare},
    Simulation{"nights", "how often a night is called unfit because much is far off at once", simulate_nights},
    Simulation{"history", "how fast a long history is read and opened", simulate_history},
};

}  // namespace

bool Finding::met() const {
  return goal == Goal::kNone || (goal == Goal::kAtMost ? value <= bound : value >= bound);
}

std::span<const Simulation> simulations() {
  return kSimulations;
}

}  // namespace lab::simulate
