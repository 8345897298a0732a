/// Computes the displayed numbers from a result's processes. Every figure of a report or table is computed here. Times
/// are those of the blocks that are judged (judged_blocks.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/metrics.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// Every judged process's value of a metric of one benchmark and arm, in file order. If `metric` is "", the one at the
/// end of the name ("family/variant/workload:metric"), otherwise the primary one. Empty if no process has it.
std::vector<stats::Datum> metric_values(const results::Result& result, std::string_view benchmark,
                                        std::string_view metric = "", std::string_view arm = results::kHead);

/// The same of head at one point of a sweep.
std::vector<stats::Datum> metric_values_at(const results::Result& result, std::string_view benchmark, double at,
                                           std::string_view metric = "");

/// Whether the values of this metric are times.
bool is_time(const results::Result& result, std::string_view benchmark, std::string_view metric);

/// ns per operation of every judged process of one benchmark and arm, in file order: the median over its repetitions of
/// one phase, or of the sum of all phases if `phase` is "". Empty if the benchmark has no numbers.
std::vector<stats::Datum> process_times(const results::Result& result, std::string_view benchmark,
                                        std::string_view phase = "", std::string_view arm = results::kHead);

/// The median of the values, as `estimate` has it; 0 without any.
double median_of(std::span<const stats::Datum> data);

/// Median and interval over processes, ns per operation, in each session of a picture and then over these
/// (stats/sessions.h). `data` must not be empty.
stats::Estimate estimate(const std::vector<stats::Datum>& data);

/// What the layout of code and data does to the times of one build (stats/layout_effect.h).
struct LayoutShare {
  double sigma = 0;  ///< between links of it, relative
  double share = 0;  ///< of the variance between processes
  /// Whether the processes show that links differ; else sigma is mostly assumed.
  bool measured = true;
};

/// Of the processes of one arm; none if fewer than two layouts ran, or too few processes.
std::optional<LayoutShare> layout_of(std::vector<stats::Datum> data);

/// One metric of a benchmark that has numbers.
struct SummaryRow {
  std::string benchmark;  ///< ends in ":metric" if that is not the primary one
  bool reference = false;
  results::Metric metric;
  stats::Estimate value;
  std::optional<LayoutShare> layout = {};
  bool level = true;  ///< false: times that other work disturbed (JudgedBlocks::is_level)
};

/// All benchmarks of head and their judged metrics (results::judged_metrics), sorted by name.
std::vector<SummaryRow> summarize(const results::Result& result, const std::vector<std::string>& also = {});

/// Half the width of an interval over its middle: head's interval or, if `compared` benchmarks of the session have a
/// base, compare's interval of the ratio to it. 1 if there are too few processes for an interval.
double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared);

}  // namespace lab::judge
