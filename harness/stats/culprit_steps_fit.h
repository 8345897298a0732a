/// The likelihood of sets of steps: "these commits changed the level", none to kMostStepsOfSet of them, one of which a
/// later one may have taken back.
///
/// Model. As culprit_fit.h, with the sum of several changes in place of one:
///   a + sum over effects of d [from <= commit < until] + u[link] + drift(t) + sigma e;
/// an effect that nothing takes back has no `until`. Each d has the moment prior, all with the same tau.
///
/// Estimate. The probabilities r that a measurement is an inlier are found for one set by variational Bayes, as there.
/// With r given, a set's likelihood costs little: offsets, level and drift are eliminated once, since the column of
/// a step is a suffix of the measurements in order of commit, and the products of two columns are sums over the shorter
/// suffix. So all pairs are tried, and larger sets from the likeliest smaller ones. The likeliest sets then get an r of
/// their own.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/stats/culprit_fit.h"

namespace lab::stats {

inline constexpr std::size_t kMostStepsOfSet = 4;

/// The measured commits, in order; between two neighbours is a gap, whose commits cannot be told apart.
struct MeasuredCommits {
  std::vector<std::size_t> commits;
  /// [i]: how many of the commits after commits[i - 1] up to commits[i] may have changed the level; [0] is 0.
  std::vector<std::size_t> places;

  std::size_t all_places() const;
};

/// A change of the level in the gap before commits[from], taken back in the gap before commits[until]; 0: it stays.
struct StepEffect {
  std::size_t from = 0, until = 0;
  bool operator==(const StepEffect&) const = default;
};

struct StepSet {
  std::vector<StepEffect> effects;
  double log_likelihood = 0;  ///< times the prior; up to a constant that all sets share
  double probability = 0;
  double precision = 1;       ///< posterior mean of 1 / sigma^2
  double offset = 0;          ///< lambda of the likeliest scales
  double start = 0;           ///< the first level, less the mean of all values
  std::vector<double> sizes;  ///< d, by effect
  std::vector<double> deviations;

  bool has_step(std::size_t gap) const;
  std::size_t steps() const;
  /// The level of the commits from commits[at] on up to the next gap.
  double level(std::size_t at) const;
};

/// The sets of steps that have nearly all of the probability, likeliest first. Prior: kNoStep for none; the rest over
/// the numbers of steps, and evenly over the sets of commits. The first and the last measured commit are ends.
std::vector<StepSet> fit_steps(const Measurements& data, const MeasuredCommits& measured);

}  // namespace lab::stats
