/// What a bisect's measurements say: which commit is the culprit, how sure that is, and what to measure next. Values
/// in, verdicts out: it measures nothing and writes nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/results/bisect_record.h"
#include "harness/stats/culprit.h"

namespace lab::judge {

struct BisectSkip {
  std::string commit;
  std::string reason;
};

struct BisectVerdict {
  enum class Answer {
    kCulprit,    ///< the first of `suspects`
    kSuspects,   ///< one of `suspects`: those between them cannot be measured
    kNone,       ///< the ends do not differ
    kUndecided,  ///< the time is up
  };
  Answer answer = Answer::kUndecided;
  double probability = 0;                  ///< of the answer
  double null = 1;                         ///< that the ends do not differ
  std::vector<results::Suspect> suspects;  ///< likeliest first; undecided: as many as hold the confidence together
  double ratio = 1;                        ///< of the new level to the old one, if there is a culprit
  double most = 1;                         ///< if the ends differ, it is by no more than this ratio
  double noise = 0;                        ///< of one measurement, relative
  std::size_t measurements = 0;
  std::size_t measured_commits = 0;
  std::vector<BisectSkip> skipped;  ///< in the order of the commits
  double seconds = 0;               ///< preparing and measuring, all calls together
};

/// The entries of a record as the estimator sees them. Commits count from 0, the good end.
class BisectEvidence {
 public:
  /// `entries` of former calls; what those could not build or measure just then is asked for anew.
  BisectEvidence(const results::Cell& cell, const std::vector<results::Entry>& entries);

  void take(const results::Entry& entry);

  /// The commit whose measurement teaches most for its cost. `is_ready`: whether preparing a commit has little to do.
  std::size_t next(const std::function<bool(const std::string& sha)>& is_ready) const;

  std::size_t place(const std::string& sha) const { return place_.at(sha); }
  std::size_t measurements() const { return estimate_.measurements(); }
  std::size_t measurements(std::size_t commit) const { return estimate_.measurements(commit); }
  bool decided(double confidence) const { return estimate_.is_null(confidence) || estimate_.has_culprit(confidence); }
  BisectVerdict verdict(double confidence) const;

  /// The probability that the ends do not differ.
  double null() const { return estimate_.belief().null; }
  /// The likeliest commits, the likeliest first, as many as hold `share` of the culprit's probability together.
  std::vector<results::Suspect> likeliest(double share) const;

 private:
  /// The mean of what was added, or a guess.
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

  const results::Cell& cell_;
  stats::CulpritSearch estimate_;
  std::map<std::string, std::size_t> place_;
  std::map<std::string, std::size_t> twins_;  ///< the first commit of every identity
  std::map<std::size_t, std::string> reasons_;
  std::map<std::size_t, double> spent_;  ///< seconds, by commit
  Mean first_;                           ///< seconds up to a commit's first value
  Mean again_;                           ///< and of every further one
  double seconds_ = 0;
};

/// What a record says, without measuring anything.
BisectVerdict conclude(const results::Cell& cell, const std::vector<results::Entry>& entries, double confidence);

}  // namespace lab::judge
