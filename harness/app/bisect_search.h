/// The search: measures until the culprit is known, no commit is the culprit, or the time is up.
#pragma once

#include <functional>
#include <string>
#include <string_view>

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

/// In chronological order. An event that is not overridden does nothing. search() reports those of its own progress.
class BisectEvents {
 public:
  virtual ~BisectEvents() = default;
  virtual void on_open(const results::BisectRecord&) {}  ///< before the search
  virtual void on_prepare(const std::string& /*sha*/) {}
  virtual void on_build_output(std::string_view /*line*/) {}
  virtual void on_failure(const std::string& /*sha*/, const std::string& /*why*/) {}  ///< that will be retried
  virtual void on_step(const BisectStep&) {}
  virtual void on_end(const results::BisectRecord&, bool /*answered*/) {}  ///< after the search, also if it failed
};

/// Resumes from `record`. Error if an end cannot be measured, if `meter` reports one, or if the record cannot be
/// written. After an error the record holds all completed work.
Expected<judge::BisectVerdict> search(const BisectGoal& goal, measure::Meter& meter, results::BisectRecord& record,
                                      const SearchClock& clock, BisectEvents& events);

}  // namespace lab::app
