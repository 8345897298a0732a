/// From a result's processes to the numbers people read. Every figure of a report or a table comes through here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// ns per operation of every process of one benchmark and arm, in the order of the file: the median over its
/// repetitions of one phase, or of the sum of all phases where `phase` is "". Empty where the benchmark has no numbers.
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

/// All of head, sorted by name.
std::vector<SummaryRow> summarize(const results::Result& result);

}  // namespace lab::judge
