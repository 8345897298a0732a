/// The verdict of a bisect from its measurements: the culprit, its probability, and the commit to measure next. Pure
/// computation: it measures nothing and writes nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/results/bisect_record.h"
#include "harness/stats/culprit.h"

namespace lab::judge {

struct SkippedCommit {
  std::string commit;
  std::string reason;
};

struct BisectVerdict {
  enum class Outcome {
    kCulprit,    ///< the first of `suspects`
    kSuspects,   ///< one of `suspects`: the commits between them cannot be measured, or layout hides which
    kNone,       ///< the ends do not differ
    kUndecided,  ///< the time ran out
  };
  Outcome outcome = Outcome::kUndecided;
  double probability = 0;  ///< of the outcome
  double null = 1;         ///< that the ends do not differ
  std::vector<results::Suspect>
      suspects;      ///< most likely first; undecided: the fewest that reach the required probability
  double ratio = 1;  ///< new level / old level, if there is a culprit
  double most = 1;   ///< if the ends differ, then at most by this ratio
  double noise = 0;  ///< of one measurement, relative
  /// Standard deviation of a build's offset, relative: what the layout of its code and data alone changes.
  double layout = 0;
  bool hidden_by_layout = false;  ///< suspects: no number of measurements would tell them apart
  std::size_t measurements = 0;
  std::size_t measured_commits = 0;
  std::vector<SkippedCommit> skipped;  ///< in commit order
  double seconds = 0;                  ///< preparing and measuring, over all calls
};

/// The entries of a record as input of the estimator. Commit 0 is the good end.
class BisectEvidence {
 public:
  /// `entries`: of earlier calls. Commits that those temporarily failed to build or measure are tried again.
  BisectEvidence(const results::BisectQuestion& question, const std::vector<results::BisectEntry>& entries);

  void take(const results::BisectEntry& entry);

  /// The commit with the most information per cost of a measurement. `is_ready`: whether a commit is cheap to prepare.
  std::size_t next(const std::function<bool(const std::string& sha)>& is_ready) const;

  std::size_t place(const std::string& sha) const { return place_.at(sha); }
  std::size_t measurements() const { return estimate_.measurements(); }
  std::size_t measurements(std::size_t commit) const { return estimate_.measurements(commit); }
  /// Whether further measurements would not change the answer.
  bool decided(double probability) const {
    return estimate_.is_null(probability) || estimate_.has_culprit(probability) || estimate_.is_exhausted();
  }
  BisectVerdict verdict(double probability) const;

  /// The probability that the ends do not differ.
  double null() const { return estimate_.posterior().null; }
  /// The most likely commits, most likely first: the fewest that together hold `share` of the culprit's probability.
  std::vector<results::Suspect> likeliest(double share) const;

 private:
  /// The mean of the added values, or a guess if there are none.
  struct Mean {
    double sum = 0;
    double count = 0;
    void add(double value) {
      sum += value;
      ++count;
    }
    double value_or(double guess) const { return count > 0 ? sum / count : guess; }
  };

  void identify(std::size_t commit, const std::string& identity);

  const results::BisectQuestion& question_;
  stats::CulpritSearch estimate_;
  std::map<std::string, std::size_t> place_;
  std::map<std::string, std::size_t> first_by_identity_;  ///< first commit of each identity
  std::map<std::size_t, std::string> reasons_;
  std::map<std::size_t, double> spent_;  ///< seconds, by commit
  Mean first_;                           ///< seconds up to a commit's first value
  Mean again_;                           ///< seconds per further value
  double seconds_ = 0;
};

/// The verdict of a record, without further measurements.
BisectVerdict conclude(const results::BisectQuestion& question, const std::vector<results::BisectEntry>& entries,
                       double probability);

}  // namespace lab::judge
