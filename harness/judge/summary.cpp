#include "harness/judge/summary.h"

#include <algorithm>
#include <map>

#include "harness/stats/quantile.h"
#include "harness/stats/strata.h"

namespace lab::judge {

namespace {

std::vector<double> values_of(std::span<const stats::Datum> data) {
  std::vector<double> values;
  for (const stats::Datum& datum : data) values.push_back(datum.value);
  return values;
}

}  // namespace

std::vector<stats::Datum> process_times(const results::Result& result, std::string_view benchmark,
                                        std::string_view phase, std::string_view arm) {
  std::vector<stats::Datum> times;
  const results::WorkloadInfo* const workload = find_workload(result, benchmark);
  for (const results::Process& process : result.processes) {
    if (process.benchmark != benchmark || process.arm != arm) continue;
    if (phase.empty()) {
      times.push_back({process.block, process.real_time});
    } else if (const auto samples = process.samples.find(std::string(phase)); samples != process.samples.end()) {
      const std::uint64_t operations =
          workload == nullptr ? process.operations : operations_of(*workload, std::string(phase));
      times.push_back({process.block, stats::median(samples->second) / static_cast<double>(operations)});
    }
  }
  return times;
}

bool is_time(const results::Result& result, std::string_view benchmark, std::string_view metric) {
  return metric == kTime ||
         std::any_of(result.processes.begin(), result.processes.end(), [&](const results::Process& process) {
           return process.benchmark == benchmark && process.samples.contains(std::string(metric));
         });
}

std::vector<stats::Datum> metric_values(const results::Result& result, std::string_view benchmark,
                                        std::string_view metric, std::string_view arm) {
  if (is_time(result, benchmark, metric)) return process_times(result, benchmark, metric == kTime ? "" : metric, arm);
  std::vector<stats::Datum> values;
  for (const results::Process& process : result.processes)
    if (process.benchmark == benchmark && process.arm == arm)
      if (const auto value = process.counters.find(std::string(metric)); value != process.counters.end())
        values.push_back({process.block, value->second});
  return values;
}

double median_of(std::span<const stats::Datum> data) {
  return data.empty() ? 0 : stats::median(values_of(data));
}

stats::Estimate estimate(const std::vector<stats::Datum>& data) {
  return stats::estimate_median(values_of(data));
}

std::vector<SummaryRow> summarize(const results::Result& result) {
  std::map<std::string, std::vector<stats::Datum>> times;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead) times[process.benchmark].push_back({process.block, process.real_time});
  std::vector<SummaryRow> rows;
  for (const auto& [benchmark, data] : times) {
    const results::VariantInfo* variant = find_variant(result, benchmark);
    rows.push_back({benchmark, variant != nullptr && variant->reference, estimate(data)});
  }
  return rows;
}

double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared) {
  const std::vector<stats::Datum> head = process_times(result, benchmark);
  if (head.empty()) return 1;
  if (compared == 0) return stats::relative_half_width(estimate(head)).value_or(1);
  const std::vector<stats::Datum> base = process_times(result, benchmark, "", results::kBase);
  const std::size_t stratum = stats::stratum_blocks(stats::common_blocks(base, head), compared, stats::kAlpha);
  const auto ratio = stats::in_strata(base, head, stratum).interval(1 - stats::kConfidence);
  return ratio ? (ratio->high - ratio->low) / (ratio->high + ratio->low) : 1;
}

}  // namespace lab::judge
