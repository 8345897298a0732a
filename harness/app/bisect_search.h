/// The search: measures until the culprit is known, no commit is the culprit, or the time is up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/judge/bisect.h"
#include "harness/measure/meter.h"
#include "harness/results/bisect_record.h"

namespace lab::app {

/// Attempts per measurement before its commit is skipped.
inline constexpr int kTries = 3;
/// After this many consecutive commits with a temporary failure, the search assumes a general problem.
inline constexpr int kLaterInARow = 3;
/// Maximum measurements; beyond it, the noise is too large for the effect.
inline constexpr std::size_t kMostMeasurements = 3000;

struct BisectGoal {
  double confidence = 0.99;
  double budget_seconds = 0;  ///< for this call; 0: unlimited
};

/// The clocks of a search; the seam for tests.
struct SearchClock {
  std::function<double()> now;       ///< monotonic seconds
  std::function<std::string()> utc;  ///< RFC 3339
};

/// The last step and the current probabilities.
struct BisectStep {
  const results::BisectEntry& entry;
  const judge::BisectVerdict& verdict;
  std::size_t credible_set_size;  ///< number of the most likely commits that together have 90 %
};

struct SearchObserver {
  std::function<void(const std::string& sha, bool preparing)> on_start;
  std::function<void(const BisectStep&)> on_step;
  std::function<void(const std::string& sha, const std::string& why)> on_failure;  ///< that will be retried
};

/// Resumes from `record`. Error if an end cannot be measured, if `meter` reports one, or if the record cannot be
/// written. After an error the record holds all completed work.
Expected<judge::BisectVerdict> search(const BisectGoal& goal, measure::Meter& meter, results::BisectRecord& record,
                                      const SearchClock& clock, const SearchObserver& observer);

}  // namespace lab::app
