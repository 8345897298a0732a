/// Computes the displayed numbers from a result's processes. Every figure of a report or table is computed here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// ns per operation of every process of one benchmark and arm, in file order: the median over its repetitions of one
/// phase, or of the sum of all phases if `phase` is "". Empty if the benchmark has no numbers.
std::vector<stats::Datum> process_times(const results::Result& result, std::string_view benchmark,
                                        std::string_view phase = "", std::string_view arm = results::kHead);

/// Median and interval over processes, ns per operation. `data` must not be empty.
stats::Estimate estimate(const std::vector<stats::Datum>& data);

/// One benchmark that has numbers.
struct SummaryRow {
  std::string benchmark;
  bool reference = false;
  stats::Estimate time;  ///< ns per operation
};

/// All benchmarks of head, sorted by name.
std::vector<SummaryRow> summarize(const results::Result& result);

}  // namespace lab::judge
