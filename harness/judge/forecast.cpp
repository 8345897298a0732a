#include "harness/judge/forecast.h"

#include <algorithm>

#include "harness/judge/comparison.h"
#include "harness/judge/summary.h"
#include "harness/results/metrics.h"
#include "harness/stats/power.h"
#include "harness/stats/spread.h"

namespace lab::judge {

std::vector<std::string> tested_rows(const std::string& benchmark, const results::WorkloadInfo& workload,
                                     const std::vector<std::string>& also) {
  std::vector<std::string> rows;
  for (const results::Metric& metric : results::judged_metrics(workload, also))
    rows.push_back(results::metric_name(benchmark, workload, metric.name));
  return rows;
}

std::vector<ForecastRow> forecast(const std::vector<std::string>& rows, const results::Result* pilot, int blocks,
                                  double alpha) {
  std::vector<ForecastRow> forecasts;
  for (const std::string& name : rows) {
    ForecastRow& row = forecasts.emplace_back(ForecastRow{name, {}, {}});
    if (pilot == nullptr) continue;
    const std::vector<stats::Datum> values = metric_values(*pilot, name);
    if (std::ranges::any_of(values, [](const stats::Datum& one) { return one.value <= 0; })) continue;
    row.noise = stats::spread_between(values);
    if (!row.noise) continue;
    row.detectable_change = stats::detectable_change(
        {static_cast<std::size_t>(blocks), *row.noise, family_size(rows.size()), alpha, kThreshold});
  }
  return forecasts;
}

}  // namespace lab::judge
