#include "harness/judge/forecast.h"

#include "harness/judge/compare.h"
#include "harness/judge/summary.h"
#include "harness/stats/power.h"
#include "harness/stats/spread.h"

namespace lab::judge {

std::vector<ForecastRow> forecast(const std::vector<std::string>& benchmarks, const results::Result* pilot, int blocks,
                                  double alpha) {
  std::vector<ForecastRow> rows;
  for (const std::string& benchmark : benchmarks) {
    ForecastRow& row = rows.emplace_back(ForecastRow{benchmark, {}, {}});
    if (pilot != nullptr) row.noise = stats::spread_between(process_times(*pilot, benchmark));
    if (!row.noise) continue;
    row.detectable_change = stats::detectable_change(
        {static_cast<std::size_t>(blocks), *row.noise, benchmarks.size(), alpha, kThreshold, kForecastPower});
  }
  return rows;
}

}  // namespace lab::judge
