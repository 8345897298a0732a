/// Finds which of n successive commits changed a number, from noisy measurements of some of them. Computes the
/// posterior of the hypotheses "commit k is the first of the new level" for k in 1..n and of the null hypothesis "none
/// is", and chooses the next measurement.
///
/// Commits are numbered 0..n; 0 is the good end, n the bad one. culprit_fit.h gives the likelihood of each hypothesis.
/// Prior: kNull for the null hypothesis; the rest is uniform over the commits.
///
/// Next measurement. The commit with the highest information gain per second: the mutual information of k and the
/// outcome at the current estimate of d / sigma (Ben-Or and Hassidim, FOCS 2008: measure at the posterior's median). If
/// a commit must be built first, the best number of measurements on one build counts. Both ends are measured first, and
/// more often if they do not differ clearly: whether they differ at all is asked of what is built already, the longer
/// the longer a build takes. Every kAnchor-th measurement is of an end, so that drift is recognised as drift.
///
/// Several culprits. The posterior above is of one step. has_several() says when two or more are likelier than one or
/// none; then, and when the search for one is at its end, steps() is the posterior of all (culprit_steps.h).
///
/// Layout. Each executable has an offset of its own (culprit_fit.h), which further measurements of it do not make
/// smaller. So a measurement tells the less about a build the more often it was measured, and the search goes to other
/// commits. A build that is linked in several layouts has as many offsets, and each measurement is of one of them. When
/// the offsets hide which of the likely commits changed the level, so that all further measurements together would
/// resolve less than kWorthwhile of the uncertainty, the search is exhausted: its answer is a set of commits. Beyond
/// kPatience measurements that share rises with their number, up to kLeastPatient.
///
/// The null hypothesis needs a probability of kNullConfidence, even if the user asks for less. A false "nothing
/// changed" ends the user's search, and it would be too frequent for effects that are small relative to the prior. It
/// also needs ends that cannot differ by kLeastOfInterest: with noise of five times that, few measurements show no
/// difference even if there is one.
///
/// Two levels. Some programs have two levels of times, whatever the commit (two_levels.h). With prior probability kTwo,
/// each measurement is of one of them, and the hypotheses above are about what is left when the distance of the levels
/// is taken from those on the upper one.
///
/// Constants. Chosen before the model had disturbed measurements, on effects of 1, 1.5, 2.5 and 7 sigma at noises of
/// 0.7, 1 and 5 %, with and without outliers, a drift of 1.5 and 3 sigma over 60 measurements, 60, 100, 300 and 500
/// commits, seeds from 1000 on: the first two of kEffects, so that the stated probabilities hold down to an effect
/// of 1.5 sigma, which is nearly the smallest that can be bisected; and kAnchor, the cheapest of 3 to 20. Then, on 60
/// commits, seed 7000, 5 to 60 % of processes disturbed: kInlier (of 2, 4 and 9) and kLeastOfInterest (of 2, 3 and 50
/// %). The widest of kEffects: on effects from 10 % to tenfold with almost no noise. kFirstUnclear (of 3, 5 and 8,
/// without kClear) and kDrifts (of one to three values): on the noises of simulate, seeds 901 to 905, without drift and
/// with 3 and 6 % of it over 60 measurements. kClear was not tuned; it avoids ten measurements of ends with almost no
/// noise. kNull is the usual even odds. Offsets (the share of 0 in kOffsets, of
/// 0.5, 0.7, 0.8 and 0.9; kWorthwhile, of 0.1 and 0.3): on steps of 3.5 and 4 % at noises of 0.6 and 0.8 % among 40 and
/// 60 commits with offsets of 0, 0.3, 0.4, 0.7, 0.8, 1.1 and 1.5 %; more than 2 % of the culprits named were wrong from
/// 0.8 on. kPatience and kLeastPatient were not tuned; of 100 searches with offsets as large as the noise, some few
/// took hundreds of measurements for little. kTwo was not tuned; it was tried on the levels of simulate, seed
/// 903, where none of 154 named culprits was wrong. Without it, 5 of 26 were where half of the measurements were on the
/// upper level, seed 901.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/stats/culprit_steps.h"
#include "harness/stats/two_levels.h"

namespace lab::stats {

struct Posterior {
  double null = 1;              ///< probability that the ends do not differ
  std::vector<double> culprit;  ///< [k], probability that commit k is the first of the new level; [0] is 0
  SuspectRange likeliest;       ///< 0..0 if there is no commit
  double ratio = 1;             ///< of new to old level, at the likeliest culprit
  double most = 1;              ///< upper bound of the ratio of the ends, if they differ (two standard deviations)
  double noise = 0;             ///< sigma, relative
  double effect_size = 0;       ///< |d| / sigma
  double offset = 0;            ///< standard deviation of a build's offset, in sigma (culprit_fit.h)
  /// If measurements lie on two levels, whatever the commit (two_levels.h): the ratio of the levels, else 1.
  double levels = 1;
  double upper_share = 0;  ///< of measurements on the upper one
};

class CulpritSearch {
 public:
  /// `commits` > 0: the number of commits after the good end.
  explicit CulpritSearch(std::size_t commits);

  /// Adds a measurement of `commit` in 0..commits; `value` must be positive and finite. `link`: which layout of its
  /// build was measured; the search takes every build to have as many as were seen of any, or `links_of_build()`.
  void add(std::size_t commit, double value, std::size_t link = 0);
  /// Each build has so many layouts, and each measurement of it was and will be of another one until all were measured.
  void links_of_build(std::size_t count);
  /// Marks a commit that cannot be measured: next() never returns it, and it cannot be distinguished from the next
  /// commit as the culprit.
  void skip(std::size_t commit);

  /// Commits `a` and `b` have equal executables: the culprit is not among the commits after the first up to the second,
  /// and they share the offset of their layout.
  void same(std::size_t a, std::size_t b);

  const Posterior& posterior() const { return posterior_; }
  bool is_null(double confidence) const;
  bool has_culprit(double confidence) const { return posterior_.likeliest.probability >= confidence; }
  /// Whether no number of further measurements would tell much more: the offsets of the builds' layouts are known, and
  /// hide which of the likely commits changed the level.
  bool is_exhausted() const;

  /// The commit to measure next. `build_seconds[i]`: time to build commit i (0: built already). `measure_seconds`: time
  /// of one measurement.
  std::size_t next(std::span<const double> build_seconds, double measure_seconds) const;

  /// All steps, not only one; none before both ends were measured.
  const StepsPosterior* steps() const;
  /// Whether two or more steps were likelier than one or none at the last measurement whose number is a multiple of
  /// kLookForSeveral.
  bool has_several() const;

  /// The logarithm of a value, less the distance of the two levels if it is on the upper one.
  double on_one_level(double value) const;

  std::size_t measurements() const { return data_.size(); }
  std::size_t measurements(std::size_t commit) const { return counts_[commit]; }
  bool skipped(std::size_t commit) const { return skipped_[commit]; }
  std::size_t commits() const { return commits_; }

 private:
  struct Measurement {
    std::size_t commit;
    double log_value;
    std::size_t link;
  };

  /// The hypotheses of all culprits, with one level of measurements or with two.
  struct Model;

  void update();
  /// Makes the posterior; returns the share of the last model of several.
  double weigh(const std::vector<Model>& models);
  Model fitted(double log_prior, const Measurements& data) const;
  Measurements first_measurements(std::size_t count, const std::optional<TwoLevels>& levels) const;
  std::size_t lesser_end() const;
  SuspectRange group_of(std::size_t commit) const;
  /// By commit: the number of measurements of its build.
  std::vector<double> counts_of_builds() const;
  /// The precision of a build's level after `count` measurements, over that of one measurement without an offset; its
  /// links take turns.
  double known(double count) const;
  double most_known() const;
  double links() const { return static_cast<double>(std::max(least_links_, links_.size())); }

  std::size_t commits_;
  std::vector<Measurement> data_;  ///< in the order of measuring
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> builds_;  ///< of each commit: the first commit with an equal executable
  std::set<std::size_t> links_;      ///< that were measured, of any commit
  std::size_t least_links_ = 1;      ///< of each build
  std::vector<bool> skipped_;
  std::vector<bool> excluded_;
  Posterior posterior_;
  /// Root mean square of lambda (culprit_fit.h) in all hypotheses but those of the likeliest run: what keeps them
  /// alive.
  double doubtful_offset_ = 0;
  // Of the data so far, once somebody asked:
  mutable std::shared_ptr<const StepsPosterior> steps_;
  mutable std::map<std::size_t, bool> has_several_;  ///< by number of measurements
  std::size_t likeliest_ = 0;                        ///< last commit of the likeliest run of the last update
  std::optional<TwoLevels> levels_;                  ///< if two levels are likelier than one
};

/// Information gain, in nats, of a measurement about a yes-or-no question: yes has probability `p`; the outcome is
/// normal with the same sigma for both answers, and the means differ by `effect_size` sigma.
double information(double p, double effect_size);

}  // namespace lab::stats
