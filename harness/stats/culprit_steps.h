/// Several culprits: what a search for one cannot answer, whether its commits changed the level more than once.
///
/// A step is named if it lies in one gap between measured commits with the required probability, over all sets of steps
/// (culprit_steps_fit.h), and if no commit in that gap could still be measured. The named steps divide the commits into
/// sides. The two ends of each side, which are built already, are measured kSideEnds times each. If steps elsewhere are
/// then still likelier than kOthers, what is built is measured further, and if they are likelier than not, other
/// commits are built.
///
/// Next measurement: the commit with the most information per second, which is 1/2 log (1 + V p) for the variance V of
/// its level over all sets, and the precision p that the measurement adds.
///
/// Constants. They were tried on the histories of `simulate bisect_histories`, seeds 7 and 101, and proved on seed 202.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/culprit_steps_fit.h"

namespace lab::stats {

/// Commits first..last, one of which is the culprit. More than one if commits between them cannot be measured.
struct SuspectRange {
  std::size_t first = 0;
  std::size_t last = 0;
  double probability = 0;
};

struct FoundStep {
  SuspectRange commits;
  double ratio = 1;                         ///< of the levels after and before it
  std::optional<std::size_t> taken_back{};  ///< index of the earlier step that it takes back
};

/// Commits `from`..`to` between two named steps, or a step and an end.
struct StepSide {
  std::size_t from = 0, to = 0;
  double other = 0;        ///< probability that one of them changed the level, too
  double most = 1;         ///< upper bound of the ratio of its ends (two standard deviations)
  bool is_tested = false;  ///< whether its ends were measured often enough
};

/// What is known of each commit.
struct CommitsOfSearch {
  std::vector<double> counts;  ///< measurements of its build
  std::vector<bool> skipped, excluded;
  double links = 1;  ///< layouts of each build
};

class StepsPosterior {
 public:
  /// `data` has measurements of at least two commits, the first and the last among them.
  StepsPosterior(const Measurements& data, CommitsOfSearch commits);

  double null() const { return null_; }        ///< probability that there is no step
  double several() const { return several_; }  ///< that there are two or more
  double step(std::size_t commit) const { return steps_[commit]; }
  double noise() const { return noise_; }    ///< sigma, relative
  double offset() const { return offset_; }  ///< of a link, in sigma

  /// In order. None if there is no step.
  std::vector<FoundStep> named(double confidence) const;
  std::vector<StepSide> sides(const std::vector<FoundStep>& named) const;
  /// What to measure next, none if the answer is known as well as it can be. Times as of CulpritSearch::next().
  std::optional<std::size_t> next(double confidence, std::span<const double> build_seconds,
                                  double measure_seconds) const;
  /// Whether no number of measurements would tell much more.
  bool is_exhausted() const { return rest(std::vector<bool>(steps_.size(), true)) < worthwhile(); }

 private:
  double probability_of_gap(std::size_t gap) const;
  double level_variance(std::size_t commit) const;
  double known(double count) const;
  double gain(std::size_t commit, double count) const;
  /// The information of all further measurements of the `allowed` commits.
  double rest(const std::vector<bool>& allowed) const;
  double worthwhile() const;
  std::optional<std::size_t> most_telling(std::span<const double> build_seconds, double measure_seconds,
                                          const std::vector<bool>& allowed) const;

  CommitsOfSearch commits_;
  MeasuredCommits measured_;
  std::vector<double> means_;  ///< of the logarithms, by measured commit
  std::vector<StepSet> sets_;
  std::vector<double> steps_;  ///< by commit
  std::size_t measurements_ = 0;
  double null_ = 1, several_ = 0, noise_ = 0, offset_ = 0;
};

}  // namespace lab::stats
