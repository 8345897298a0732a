/// Change points of a series, found on-line: what is known after a night depends on that night and those before alone.
///
/// After every point, the last 3 to 6 are held against all before them since the last change (the baseline): by how
/// much is it more likely that they come from the baseline's own distribution (density.h), shifted, than from the
/// baseline? The logarithm of that ratio, the score, is calibrated by the series itself:
/// - the k-th strongest of m points counts at most ln((n + k) / k), so that all m give at most ln C(n + m, m): by that
///   much m points beyond all n of a baseline are unlikely under any distribution;
/// - what the baseline's own points, each left out, would score on average is taken off (Density::excess), and so is a
///   price for heavy tails and for youth;
/// - where neighbours are alike (lag-1 autocorrelation), the score is divided by the variance of a mean of m such
///   points over that of independent ones.
/// Whatever the score, five points in a row that all lie beyond the whole baseline, by half its range, are a plain step:
/// of n points without change, exchangeable, that has a probability of less than 2 / C(n + 5, 5) a night. A baseline
/// that never varied has no range; that of the five points stands in for it.
/// An alarm is raised above kAlarm; the start of the window that scores most is the first point of the new level.
/// Page, "Continuous inspection schemes", Biometrika 41 (1954), for the idea; Lai, "Sequential changepoint detection in
/// quality control and dynamical systems", Journal of the Royal Statistical Society B 57 (1995), for the ratio over a
/// window of last points.
///
/// Constants were fixed on other noises and seeds than `simulate changepoints` reports: sums of four uniform numbers,
/// log-normal with 0.8 and 1.2, gamma with 2, t with 5, AR(1) with 0.4 and 0.6, two levels 7 % (75/25) and 4 % (60/40)
/// apart, 4 % of outliers of +25 % and 7 % of +35 %; on each at most 2 % of unchanged series of 100 points alarm. The
/// form of the score was found by trials in which the reported noises, with other seeds, were seen as well.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/density.h"

namespace lab::stats {

struct ChangePoint {
  std::size_t index = 0;        ///< first point of the new level, from 0
  std::size_t detected_at = 0;  ///< the point after which it was known
  double before = 0;            ///< median of the baseline
  double after = 0;             ///< median from index to detected_at
  /// after / before with 95 %, from the likelihood of the shift; none where a level is not positive.
  struct Ratio {
    double value = 1, low = 1, high = 1;
    friend bool operator==(const Ratio&, const Ratio&) = default;
  };
  std::optional<Ratio> ratio;
  /// 1 - the share of unchanged series of 100 points that ever score as far beyond the threshold: 2 % reach it, and a
  /// nat more halves that, or nearly. From the noises that the constants were fixed on, with the slowest fall of them.
  /// Where many series are watched, of tables instead: of 200 normal series over 30 nights 3 to 5 % reach it.
  double confidence = 0;

  friend bool operator==(const ChangePoint&, const ChangePoint&) = default;
};

/// What is watched beside a series.
struct Watch {
  /// So many series are watched together, and one false alarm among them spoils the night: raises the threshold.
  std::size_t series = 1;
  /// Lag-1 autocorrelation that such series have, where it is known, as from the others of a machine: a young series
  /// alone cannot tell.
  std::optional<double> autocorrelation;
};

class ChangePointDetector {
 public:
  explicit ChangePointDetector(const Watch& watch = {}) : watch_(watch) {}

  /// The next point; finite and within +-Density::kWidest. True where it raised an alarm: change_points() has one more.
  bool add(double value);

  const std::vector<ChangePoint>& change_points() const { return found_; }

  /// Fewer points before a change are no baseline.
  static constexpr std::size_t kFewest = 15;
  /// Fewer points of a new level are not judged: two in a row may be outliers.
  static constexpr std::size_t kShortest = 3;
  /// The longest window of points that is judged.
  static constexpr std::size_t kLongest = 6;
  /// No more than the last so many points are the baseline.
  static constexpr std::size_t kMost = 128;
  /// Points of a window that is a plain step.
  static constexpr std::size_t kPlain = 5;
  /// A series with fewer points is too young for "no change": even a plain step behind the first baseline may not have
  /// been found yet. In a series with as many, nothing that begins among the first kFewest points is ever found, and of
  /// the last kPlain - 1 points a change may still be missing.
  static constexpr std::size_t kEnough = kFewest + kPlain;

 private:
  /// The points before `end`; what most nights do not need is made at its first use.
  struct Baseline {
    std::size_t end = 0;
    std::size_t of_level = 0;      // points that the level comes from
    std::vector<double> points;    // ascending: those, and while they are few the shape that was carried on
    double median = 0, sigma = 0;  // of points
    double correlation = 0;        // known with the density
    std::optional<Density> density;
  };
  struct Candidate {
    double score = -1e9;
    double shift = 0;
    std::size_t index = 0;
    const Density* density = nullptr;
    std::size_t of_level = 0, end = 0;  // of the baseline
    double correlation = 0;
  };

  void refresh();
  Candidate judge(std::size_t index);
  void learn(Baseline& baseline) const;
  double threshold() const;
  ChangePoint described(const Candidate& candidate) const;
  void begin_level(const Candidate& candidate);

  Watch watch_;
  std::vector<double> values_;       // all points
  std::size_t start_ = 0;            // of the present level
  std::vector<double> carried_;      // the baseline before it, less its level
  double carried_correlation_ = 0;
  std::deque<Baseline> baselines_;   // the newest last
  std::vector<ChangePoint> found_;
};

/// Watch::autocorrelation of series that are watched together: the median of what each alone tells, over those with a
/// baseline of kFewest points at least; a changed series counts as much as any. None where fewer than `fewest_series`
/// have one.
std::optional<double> common_autocorrelation(std::span<const std::vector<double>> series,
                                             std::size_t fewest_series = 1);

/// How many points a series of `count` points lacks before it can be told unchanged: 0 where it has kEnough.
std::size_t points_missing(std::size_t count);

/// All change points of a series.
std::vector<ChangePoint> find_change_points(std::span<const double> values, const Watch& watch = {});

}  // namespace lab::stats
