#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/change_points.h"
#include "harness/stats/hindsight.h"

namespace lab::simulate {

namespace {

/// What is measured, so that no result is computed for nothing.
volatile std::size_t seen = 0;

/// Reports the seconds of `work(measured)`, extrapolated to `all`. Processor time, so that other work on the machine
/// does not count.
template <typename Work>
void report_seconds(const ResultSink& report, std::string what, std::uint64_t all, std::uint64_t measured, double goal,
                    Work work) {
  measured = std::min(all, measured);
  const std::clock_t start = std::clock();
  work(static_cast<std::size_t>(measured));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (measured < all) what += ", extrapolated from a part";
  report({std::move(what), seconds * static_cast<double>(all) / static_cast<double>(measured), Goal::kAtMost, goal,
          measured, "s"});
}

}  // namespace

void report_speed(const SimulationSettings& settings, const ResultSink& report) {
  NormalRandom random(settings.seed);
  const Draw draw = noises().front().draw;
  report_seconds(report, "time of alarms and hindsight of 10,000 series of 100 nights", 10'000, settings.trials(10'000),
                 9, [&](std::size_t measured) {
                   for (std::size_t i = 0; i < measured; ++i) {
                     const std::vector<double> values = draw(random, 100);
                     seen = seen + stats::find_change_points(values).size() + stats::look_back(values).changes.size();
                   }
                 });
  report_seconds(report, "time of hindsight after each of 365 nights of 500 series", 500, settings.trials(100), 60,
                 [&](std::size_t measured) {
                   for (std::size_t i = 0; i < measured; ++i) {
                     const std::vector<double> values = draw(random, 365);
                     for (std::size_t count = 1; count <= values.size(); ++count)
                       seen = seen + stats::look_back(std::span(values).first(count)).changes.size();
                   }
                 });
  constexpr std::size_t kStay = 200;
  for (const bool steps : {false, true})
    report_seconds(report,
                   fmt::format("time of alarms in one series of 1,000,000 points{}",
                               steps ? fmt::format(", a step of 5 sigma every {}", kStay) : ""),
                   1'000'000, settings.trials(steps ? 200'000 : 1'000'000), 20, [&](std::size_t measured) {
                     std::vector<double> values = draw(random, measured);
                     if (steps)
                       for (std::size_t i = 0; i < measured; ++i)
                         if (i / kStay % 2 == 1) values[i] += 5 * noises().front().robust_sigma;
                     stats::ChangePointDetector detector;
                     for (const double value : values) seen = seen + detector.add(value);
                   });
}

}  // namespace lab::simulate
