/// The search: what to measure next, until the culprit is known, there is none, or the time is up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/judge/bisect.h"
#include "harness/measure/meter.h"
#include "harness/results/bisect_record.h"

namespace lab::app {

/// A measurement that failed is tried so often before its commit is skipped.
inline constexpr int kTries = 3;
/// So many commits in a row that cannot be had just now, and something is wrong for all.
inline constexpr int kLaterInARow = 3;
/// More measurements and the noise is too great for the effect.
inline constexpr std::size_t kMostMeasurements = 3000;

struct Aim {
  double confidence = 0.99;
  double budget_seconds = 0;  ///< of this call; 0: as long as it takes
};

/// What a search touches of the world; the seam for tests.
struct World {
  std::function<double()> now;       ///< monotonic seconds
  std::function<std::string()> utc;  ///< RFC 3339
};

/// What was just done and what is believed now; `most` is the likeliest commit.
struct Step {
  const results::Entry& entry;
  const judge::BisectVerdict& verdict;
  std::size_t holding;  ///< how many commits hold 90 % together
};

struct Observer {
  std::function<void(const std::string& sha, bool preparing)> on_start;
  std::function<void(const Step&)> on_step;
  std::function<void(const std::string& sha, const std::string& why)> on_failure;  ///< that is tried again
};

/// Goes on from what `record` holds. An Error where an end cannot be measured, where `meter` says so, or where the
/// record cannot be written; the record then holds all that was done.
Expected<judge::BisectVerdict> search(const Aim& aim, measure::Meter& meter, results::Record& record,
                                      const World& world, const Observer& observer);

}  // namespace lab::app
