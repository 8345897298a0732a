// The critical evidence of stats/segmentation.cpp: what unchanged series reach, by their length.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/quantile.h"
#include "harness/stats/segmentation.h"

namespace lab::simulate {

namespace {

constexpr double kQuantile = 0.97;

}  // namespace

void simulate_critical(const SimulationSettings& settings, const ResultSink& report) {
  NormalRandom random(settings.seed);
  for (const DrawnNoise& kind : tuning_noises())
    for (const std::size_t points : {10, 15, 20, 30, 40, 60, 100, 200, 1000}) {
      std::vector<double> largest(settings.trials(2000));
      for (double& evidence : largest)
        for (const stats::Division& division : stats::divisions(kind.draw(random, points)))
          evidence = std::max(evidence, division.evidence);
      report({fmt::format("{}, {} points: {:g} % quantile of the largest evidence", kind.name, points, 100 * kQuantile),
              stats::quantile(largest, kQuantile), Goal::kNone, 0, largest.size(), ""});
    }
}

}  // namespace lab::simulate
