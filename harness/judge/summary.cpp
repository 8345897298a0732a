#include "harness/judge/summary.h"

#include <map>

#include "harness/stats/quantile.h"

namespace lab::judge {

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

stats::Estimate estimate(const std::vector<stats::Datum>& data) {
  std::vector<double> values;
  for (const stats::Datum& datum : data) values.push_back(datum.value);
  return stats::estimate_median(values);
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

}  // namespace lab::judge
