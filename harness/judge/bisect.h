/// The verdict of a bisect from its measurements: the culprit, its probability, and the commit to measure next. Pure
/// computation: it measures nothing and writes nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/results/bisect_record.h"
#include "harness/stats/culprit.h"
#include "harness/stats/step_check.h"

namespace lab::judge {

struct SkippedCommit {
  std::string commit;
  std::string reason;
};

/// One commit that changed the level, or several between which none can be measured.
struct BisectCulprit {
  std::vector<std::string> commits;
  double probability = 0;
  double ratio = 1;             ///< level after it / level before it
  std::string taken_back = {};  ///< the culprit whose change it takes back; "" if none
};

/// Commits on one side of a culprit, whose ends were measured against each other.
struct BisectSide {
  std::string from, to;
  double other = 0;        ///< probability that one of those after `from` up to `to` changed the level, too
  double most = 1;         ///< upper bound of the ratio of its ends (two standard deviations)
  bool is_tested = false;  ///< whether its ends were measured often enough
};

/// A step that the model names and that its check has not confirmed (stats/step_check.h).
struct UnconfirmedStep {
  std::vector<std::string> commits;
  double ratio = 1;       ///< as the model has it
  std::size_t pairs = 0;  ///< of measurements that checked it
};

struct BisectVerdict {
  enum class Outcome {
    kCulprit,    ///< the first of `suspects`; of several culprits, the one that made it slower by most
    kSuspects,   ///< one of `suspects`: the commits between them cannot be measured, or layout hides which
    kNone,       ///< the ends do not differ
    kUndecided,  ///< the time ran out
  };
  Outcome outcome = Outcome::kUndecided;
  double probability = 0;                  ///< of the outcome
  double null = 1;                         ///< that the ends do not differ
  std::vector<results::Suspect> suspects;  ///< most likely first; undecided: the fewest that reach what is required
  double ratio = 1;                        ///< new level / old level, if there is a culprit
  double most = 1;                         ///< if the ends differ, then at most by this ratio
  double noise = 0;                        ///< of one measurement, relative
  /// Standard deviation of a build's offset, relative: what the layout of its code and data alone changes.
  double layout = 0;
  double levels = 1;       ///< ratio of the two levels that measurements of the same commit have; 1: they have one
  double upper_share = 0;  ///< of measurements on the upper one
  std::vector<BisectCulprit> culprits;       ///< all that are known, in commit order
  std::vector<UnconfirmedStep> unconfirmed;  ///< in commit order
  std::vector<BisectSide> sides;             ///< of the culprits, where there may be further ones
  std::string unfinished;                    ///< why the search ended early; "" if it did not
  bool hidden_by_layout = false;             ///< suspects: no number of measurements would tell them apart
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

  /// The commit with the most information per cost of a measurement; none if further measurements would not change the
  /// answer. `is_ready`: whether a commit is cheap to prepare. A commit that cannot be prepared within `seconds_left`
  /// is chosen only if nothing else tells anything. A step that is named is checked first, by pairs of measurements of
  /// the commits on both sides of it, whose entries have the number `pair`, and each the other commit.
  struct Choice {
    std::size_t commit = 0;
    int pair = 0;
    std::string against = {};
    double preparing = 0;  ///< expected seconds
  };
  std::optional<Choice> next(double required, const std::function<bool(const std::string& sha)>& is_ready,
                             double seconds_left = std::numeric_limits<double>::infinity()) const;

  std::size_t place(const std::string& sha) const { return place_.at(sha); }
  std::size_t measurements() const { return estimate_.measurements(); }
  std::size_t measurements(std::size_t commit) const { return estimate_.measurements(commit); }
  /// Whether the ends cannot differ.
  bool is_null(double required) const { return estimate_.is_null(required); }
  BisectVerdict verdict(double required) const;

  /// The probability that the ends do not differ.
  double null() const { return current().null; }
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

  /// The probabilities, of one step or of all.
  struct Beliefs {
    double null = 1;
    std::vector<double> culprit;                     ///< [k], their sum is 1 - null
    const stats::StepsPosterior* several = nullptr;  ///< unless one step explains all
  };
  Beliefs current() const;
  /// A step that a model names, with the measured commits on both sides of it.
  struct NamedStep {
    stats::FoundStep found;
    std::size_t before = 0, after = 0;
    double probability = 0;  ///< of the model, but no more than the check has; 0: not confirmed
    std::size_t pairs = 0;
  };
  /// In commit order.
  std::vector<NamedStep> named_steps(double required) const;
  /// The first of the next pair that checks one of them; none if all are confirmed, or checked for long enough.
  std::optional<Choice> next_pair(const std::vector<NamedStep>& named) const;
  /// A pair of a check that was begun while the model named its step, and that could still confirm it. The search would
  /// end without it, because the step is a little less likely than required.
  std::optional<Choice> next_of_begun(double required) const;
  Choice pair_of(std::size_t before, std::size_t after) const;
  /// The posterior of all steps, if it decides: commits between the ends were measured, and one step does not explain
  /// all, or the search for one is at its end.
  const stats::StepsPosterior* all_steps(double required) const;
  /// `probability`: of a commit, by the model that names the steps.
  void add_steps(const std::vector<NamedStep>& named, const std::function<double(std::size_t commit)>& probability,
                 BisectVerdict& verdict) const;
  void take_half_of_pair(const results::BisectEntry& entry);
  /// Whether the commit after had the higher values before the pair that was taken last.
  bool is_up_so_far(std::size_t before, std::size_t after) const;
  void identify(std::size_t commit, const std::string& identity);

  const results::BisectQuestion& question_;
  stats::CulpritSearch estimate_;
  std::map<std::string, std::size_t> place_;
  std::map<std::string, std::size_t> first_by_identity_;  ///< first commit of each identity
  std::map<std::size_t, std::string> reasons_;
  std::map<std::size_t, double> spent_;           ///< seconds, by commit
  std::map<std::size_t, std::set<int>> layouts_;  ///< that were measured, by commit
  bool has_more_layouts_ = true;                  ///< whether each measurement was of another layout
  Mean first_;                                    ///< seconds up to a commit's first value
  Mean again_;                                    ///< seconds per further value
  double seconds_ = 0;
  struct TimedValue {
    std::size_t commit = 0;
    double log_value = 0;
  };
  std::vector<TimedValue> values_;  ///< in the order of measuring
  /// The pairs of a step, by the commits before and after it, and which of all steps it is that were checked.
  struct Check {
    stats::PairedCheck pairs;
    std::size_t number = 0;
    std::size_t earlier = 0;  ///< pairs of earlier calls
    bool is_up = true;        ///< as far as the measurements before the first pair said
  };
  static double evidence_needed(const Check& check, bool is_up, double required);
  std::map<std::pair<std::size_t, std::size_t>, Check> checks_;
  std::optional<results::BisectEntry> half_;  ///< the first measurement of a pair
  int last_pair_ = 0;
};

/// The verdict of a record, without further measurements.
BisectVerdict conclude(const results::BisectQuestion& question, const std::vector<results::BisectEntry>& entries,
                       double required);

}  // namespace lab::judge
