/// Which changes a session could see, before it is made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::judge {

/// How sure a change of the size that is named would be found.
inline constexpr double kForecastPower = 0.9;

struct ForecastRow {
  std::string benchmark;
  std::optional<double> noise;    ///< between processes, a share; none: not known
  std::optional<double> visible;  ///< the smallest change against a base that would be found, a share
};

struct Forecast {
  std::string machine;
  std::filesystem::path folder;  ///< of that machine's results
  double budget_seconds = 0;
  std::optional<std::string> pilot;  ///< the session whose noise it is; none: no result has processes enough
  int blocks = 0;                    ///< of the session; 0 without a pilot
  std::vector<ForecastRow> rows;
};

/// A row a benchmark of a session of `blocks`, from the noise of `pilot` (null: none); `alpha` is of the whole table.
std::vector<ForecastRow> forecast(const std::vector<std::string>& benchmarks, const results::Result* pilot, int blocks,
                                  double alpha);

}  // namespace lab::judge
