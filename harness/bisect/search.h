/// The search: what to measure next, until the culprit is known, there is none, or the time is up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/bisect/meter.h"
#include "harness/bisect/record.h"

namespace lab::bisect {

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

struct Skipped {
  std::string commit;
  std::string reason;
};

struct Verdict {
  enum class Answer {
    kCulprit,    ///< the first of `suspects`
    kSuspects,   ///< one of `suspects`: those between them cannot be measured
    kNone,       ///< the ends do not differ
    kUndecided,  ///< the time is up
  };
  Answer answer = Answer::kUndecided;
  double probability = 0;         ///< of the answer
  double null = 1;                ///< that the ends do not differ
  std::vector<Suspect> suspects;  ///< likeliest first; undecided: as many as hold the confidence together
  double ratio = 1;               ///< of the new level to the old one, if there is a culprit
  double most = 1;                ///< if the ends differ, it is by no more than this ratio
  double noise = 0;               ///< of one measurement, relative
  std::size_t measurements = 0;
  std::size_t measured_commits = 0;
  std::vector<Skipped> skipped;  ///< in the order of the commits
  double seconds = 0;            ///< preparing and measuring, all calls together
};

/// What was just done and what is believed now; `most` is the likeliest commit.
struct Step {
  const Entry& entry;
  const Verdict& verdict;
  std::size_t holding;  ///< how many commits hold 90 % together
};

struct Observer {
  std::function<void(const std::string& sha, bool preparing)> on_start;
  std::function<void(const Step&)> on_step;
  std::function<void(const std::string& sha, const std::string& why)> on_failure;  ///< that is tried again
};

/// Goes on from what `record` holds. An Error where an end cannot be measured, where `meter` says so, or where the
/// record cannot be written; the record then holds all that was done.
Expected<Verdict> search(const Aim& aim, Meter& meter, Record& record, const World& world, const Observer& observer);

/// What a record says, without measuring anything.
Verdict conclude(const Cell& cell, const std::vector<Entry>& entries, double confidence);

}  // namespace lab::bisect
