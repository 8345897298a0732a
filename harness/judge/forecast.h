/// Predicts which changes a planned session could detect.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::judge {

/// Probability of finding a change of the reported size.
inline constexpr double kForecastPower = 0.9;

struct ForecastRow {
  std::string benchmark;
  std::optional<double> noise;              ///< between processes, a share; none if unknown
  std::optional<double> detectable_change;  ///< the smallest detectable change against a base, a share
};

struct Forecast {
  std::string machine;
  std::filesystem::path folder;  ///< of that machine's results
  double budget_seconds = 0;
  std::optional<std::string> pilot;  ///< the session that the noise is from; none if no result has enough processes
  int blocks = 0;                    ///< of the session; 0 without a pilot
  std::vector<ForecastRow> rows;
};

/// One row per benchmark of a session of `blocks`, from the noise of `pilot` (may be null). `alpha`: for the table.
std::vector<ForecastRow> forecast(const std::vector<std::string>& benchmarks, const results::Result* pilot, int blocks,
                                  double alpha);

}  // namespace lab::judge
