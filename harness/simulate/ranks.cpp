#include "harness/stats/ranks.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

constexpr double kAlpha = 0.05;
constexpr double kSigma = 0.01;  ///< between processes
constexpr double kDrift = 0.03;  ///< from the first process of a session to its last

/// p of one benchmark in `pairs` blocks, each with one process of each arm, in ABBA order. Head is `ratio` times base.
double p_value(NormalRandom& random, int pairs, double ratio) {
  std::vector<stats::Datum> base, head;
  for (int block = 0; block < pairs; ++block) {
    for (const int place : {0, 1}) {
      const bool is_head = (place == 0) == (block % 2 == 1);
      const double when = (2 * block + place) / (2.0 * pairs - 1);
      const double level = (1 + kDrift * when) * (is_head ? ratio : 1);
      (is_head ? head : base).push_back({block, level * std::exp(kSigma * random.normal())});
    }
  }
  return stats::BlockedArms(base, head).p_value();
}

}  // namespace

void simulate_ranks(const SimulationSettings& settings, const ResultSink& report) {
  NormalRandom random(settings.seed);
  const auto trials = settings.trials(4000);
  const auto share = [&](int pairs, double ratio) {
    std::uint64_t rejected = 0;
    for (std::uint64_t trial = 0; trial < trials; ++trial) rejected += p_value(random, pairs, ratio) < kAlpha;
    return static_cast<double>(rejected) / static_cast<double>(trials);
  };
  for (const int pairs : {8, 15, 20}) {
    report(
        {fmt::format("p < 0.05 without a difference, {} pairs", pairs), share(pairs, 1), Goal::kNone, kAlpha, trials});
    report({fmt::format("p < 0.05 at 1 % slower, {} pairs", pairs), share(pairs, 1.01), Goal::kNone, 0, trials});
  }
}

}  // namespace lab::simulate
