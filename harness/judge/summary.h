/// Computes the displayed numbers from a result's processes. Every figure of a report or table is computed here.
#pragma once

#include <cstddef>
#include <span>
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

/// The name of the sum of all phases as a metric.
inline constexpr std::string_view kTime = "time";

/// Values of a metric, one per process, in file order: a phase or kTime in ns per operation, otherwise a counter. Empty
/// if no process has it.
std::vector<stats::Datum> metric_values(const results::Result& result, std::string_view benchmark,
                                        std::string_view metric, std::string_view arm = results::kHead);

/// Whether metric_values are times of this benchmark.
bool is_time(const results::Result& result, std::string_view benchmark, std::string_view metric);

/// The median of the values; 0 without any.
double median_of(std::span<const stats::Datum> data);

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

/// Half the width of an interval over its middle: head's interval or, if `compared` benchmarks of the session have a
/// base, compare's interval of the ratio to it. 1 if there are too few processes for an interval.
double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared);

}  // namespace lab::judge
