/// Which of n commits in a row made a number change, from noisy measurements of some of them: a posterior over "commit
/// k is the first of the new level" for k in 1..n, and "none is", and what to measure next.
///
/// Commits 0..n; 0 is the good end, n the bad one. Each hypothesis is weighed as culprit_fit.h says. Prior: kNull for
/// null, the rest even over the commits.
///
/// What next. The commit whose measurement tells most about k per second: the mutual information of k and the outcome,
/// at the present estimate of d / sigma (Ben-Or and Hassidim, FOCS 2008: measure at the posterior's median). For a
/// commit that must be built first, the best of several measurements on one build counts. Both ends come first, those
/// that do not differ clearly more often, and every kAnchor-th measurement is one of an end, so that drift is seen as
/// drift.
///
/// Null is answered from kNullConfidence on, however little the user asks for: who is told wrongly that nothing changed
/// stops looking, and an effect that is small for the prior would be told so too often. Nor is it answered while the
/// ends might differ by kLeastOfInterest: on a machine whose noise is five times that, no difference is not seen either.
///
/// Constants. Before hypotheses reckoned with disturbed measurements, on effects of 1, 1.5, 2.5 and 7 sigma at noises
/// of 0.7, 1 and 5 %, with and without outliers, and a drift of 1.5 and 3 sigma over 60 measurements, on 60, 100, 300
/// and 500 commits, seeds from 1000 on: kEffects' first two so that what is stated is right down to an effect of 1.5
/// sigma, which is near the least that can be bisected; kAnchor the cheapest of 3 to 20. With them, on 60 commits,
/// seed 7000, and 5 to 60 % of processes disturbed: kCalm (of 2, 4 and 9) and kLeastOfInterest (of 2, 3 and 50 %).
/// kEffects' widest from effects of 10 % to tenfold with next to no noise. kFirstUnclear (of 3, 5 and 8, without
/// kClear) and kDrifts (of one to three) on what simulate reports, seeds 901 to 905, without drift and with 3 and 6 %
/// of it over 60 measurements. kClear, so that what has next to no noise is not measured ten times, was not tuned.
/// kNull is the classical even odds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lab::stats {

/// Commits first..last, of which one is the culprit; more than one where those between cannot be measured.
struct Suspects {
  std::size_t first = 0;
  std::size_t last = 0;
  double probability = 0;
};

struct Belief {
  double null = 1;              ///< probability that the ends do not differ
  std::vector<double> culprit;  ///< [k], probability that commit k is the first of the new level; [0] is 0
  Suspects likeliest;           ///< none (0..0) where there is no commit
  double ratio = 1;             ///< of new to old level, at the likeliest culprit
  double most = 1;              ///< if the ends differ, it is by no more than this ratio (two standard deviations)
  double noise = 0;             ///< sigma, relative
  double contrast = 0;          ///< |d| / sigma
};

class CulpritSearch {
 public:
  /// `commits` > 0: those after the good end.
  explicit CulpritSearch(std::size_t commits);

  /// A measurement of `commit` in 0..commits; `value` > 0 and finite.
  void add(std::size_t commit, double value);
  /// The commit cannot be measured: it is never asked for again, and cannot be told from the next as the culprit.
  void skip(std::size_t commit);

  /// Commits `a` and `b` are the same (equal executables): the culprit is not among those after the one up to the
  /// other.
  void same(std::size_t a, std::size_t b);

  const Belief& belief() const { return belief_; }
  bool is_null(double confidence) const;
  bool has_culprit(double confidence) const { return belief_.likeliest.probability >= confidence; }

  /// The commit to measure next. `build_seconds[i]`: before commit i can be measured (0: it can be); `measure_seconds`:
  /// one measurement.
  std::size_t next(std::span<const double> build_seconds, double measure_seconds) const;

  std::size_t measurements() const { return data_.size(); }
  std::size_t measurements(std::size_t commit) const { return counts_[commit]; }
  bool skipped(std::size_t commit) const { return skipped_[commit]; }
  std::size_t commits() const { return commits_; }

 private:
  struct Datum {
    std::size_t commit;
    double log_value;
  };

  void update();
  std::size_t lesser_end() const;
  Suspects group_of(std::size_t commit) const;

  std::size_t commits_;
  std::vector<Datum> data_;  ///< in the order of measuring
  std::vector<std::size_t> counts_;
  std::vector<bool> skipped_;
  std::vector<bool> innocent_;
  Belief belief_;
};

/// Nats that a measurement tells about a yes-or-no question of which yes has probability `p`, when the outcome is
/// normal with the same sigma and `contrast` sigma between the two answers.
double information(double p, double contrast);

}  // namespace lab::stats
