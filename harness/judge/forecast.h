/// Predicts which changes a planned session could detect.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/result.h"
#include "harness/stats/strata.h"

namespace lab::judge {

struct ForecastRow {
  std::string benchmark;                    ///< ends in ":metric" if that is not the primary one
  std::optional<double> noise;              ///< between processes, a share; none if unknown
  std::optional<double> detectable_change;  ///< the smallest detectable change against a base, a share
};

struct Forecast {
  std::string machine;
  std::filesystem::path folder;  ///< of that machine's results
  double budget_seconds = 0;
  std::optional<std::string> pilot;  ///< the session that the noise is from; none if no result has enough processes
  int blocks = 0;                    ///< of the session; 0 if unknown
  std::size_t fewest_blocks = 0;     ///< stats::fewest_blocks() for these rows
  std::vector<ForecastRow> rows;
};

/// The rows that a comparison would test: each judged metric of `workload` (results::judged_metrics).
std::vector<std::string> tested_rows(const std::string& benchmark, const results::WorkloadInfo& workload,
                                     const std::vector<std::string>& also);

/// What a session of `blocks` could detect in these rows, from the noise of `pilot` (may be null). `alpha`: for the
/// table.
std::vector<ForecastRow> forecast(const std::vector<std::string>& rows, const results::Result* pilot, int blocks,
                                  double alpha);

}  // namespace lab::judge
