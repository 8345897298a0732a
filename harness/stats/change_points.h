/// On-line detection of change points: what is known after a night depends only on that night and those before it.
///
/// After every point, windows of the last 3 to 6 points are compared with the baseline: all points before the window
/// since the last change. The score is a log-likelihood ratio: the baseline's distribution (density.h), shifted,
/// against the same distribution without a shift. The series itself calibrates the score:
/// - The k-th strongest of the m points of a window counts at most ln((n + k) / k), so all m together count at most
///   ln C(n + m, m). 1 / C(n + m, m) is the probability, under any distribution, that m points lie beyond all n points
///   of the baseline.
/// - Three terms are subtracted: the average score of the baseline's own points, each left out in turn
///   (Density::excess); a penalty for heavy tails; a penalty for a short baseline.
/// - With lag-1 autocorrelation, the score is divided by the variance inflation: the variance of a mean of m such
///   points over that of independent points.
/// In a young series, a few points with the noise of the series that are watched with it (SharedNoise) join the
/// baseline, the more the less those series differ in sigma (as variances are moderated in Smyth, "Linear models and
/// empirical Bayes methods", Statistical Applications in Genetics and Molecular Biology 3 (2004)).
/// From time to time the past is divided into levels anew (segmentation.h). Where that finds a change that was not
/// alarmed, because the baseline was too short or had several levels, the baseline begins there: sooner if the change
/// stands out (sharp_steps.h). This is no alarm.
/// Independent of the score, five points in a row that all lie beyond the whole baseline, by half its range, are a
/// plain step. A few outliers of a longer baseline are left out of account: as many as keep the probability, for
/// exchangeable points without a change, below the 2 / C(20, 5) per night of the shortest baseline. If the baseline
/// never varied, the range of the five points is used, and three points suffice that are equal, or differ from
/// it by a tenth.
///
/// A score above kAlarm raises an alarm. The first point of the window with the highest score is the first point of the
/// new level. Page, "Continuous inspection schemes",
/// Biometrika 41 (1954), for the idea; Lai, "Sequential changepoint detection in quality control and dynamical
/// systems", Journal of the Royal Statistical Society B 57 (1995), for the ratio over a window of the last points.
///
/// The constants were chosen on other noises and seeds than `simulate changepoints` reports: sums of four uniform
/// numbers, log-normal with 0.8 and 1.2, gamma with 2, t with 5, AR(1) with 0.4 and 0.6, two levels 7 % (75/25) and 4 %
/// (60/40) apart, 4 % of outliers of +25 % and 7 % of +35 %. On each of them at most 2 % of unchanged series of 100
/// points alarm. The form of the score was chosen in trials that also used the reported noises, with other seeds,
/// and so were the two numbers that decide when looking back begins a baseline anew (kSettled, kLasting), with seed 1,
/// which is no longer the reported one.
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
  std::size_t detected_at = 0;  ///< the point at which the alarm was raised
  double before = 0;            ///< median of the baseline
  double after = 0;             ///< median from index to detected_at
  /// after / before with its 95 % interval, from the likelihood of the shift; none if a level is not positive. Of steps
  /// that are rarely found, those that are look larger than they are: the interval is right less often
  /// (`simulate changepoints`).
  struct Ratio {
    double value = 1, low = 1, high = 1;
    friend bool operator==(const Ratio&, const Ratio&) = default;
  };
  std::optional<Ratio> ratio;
  /// 1 - p, where p is the share of unchanged series of 100 points that ever score as far above the threshold. 2 %
  /// reach the threshold, and each further nat about halves the share. The rate is the slowest of those noises on which
  /// the constants were chosen. If many series are watched, p is a share of tables: of tables of 200 normal series over
  /// 30 nights, 3 to 5 % reach the threshold.
  double confidence = 0;

  friend bool operator==(const ChangePoint&, const ChangePoint&) = default;
};

/// What series that are watched together have in common. A short series cannot estimate its own noise.
struct SharedNoise {
  double autocorrelation = 0;  ///< lag 1
  double sigma = 0;            ///< typical, in the unit of the values
  /// Number of a series' own points that the typical sigma is worth: large if the series hardly differ in sigma.
  double worth = 0;
  /// Distances from the median, in sigma, ascending: what a few more points of such a series would look like.
  std::vector<double> shape;

  friend bool operator==(const SharedNoise&, const SharedNoise&) = default;
};

/// The context in which a series is watched.
struct DetectorContext {
  /// Number of series that are watched together. Raises the threshold, because one false alarm among them spoils the
  /// night.
  std::size_t series = 1;
  std::optional<SharedNoise> shared;  ///< if known, for example from the machine's other series
};

/// From the point `index` on, a series is watched in `context`.
struct WatchedFrom {
  std::size_t index = 0;
  DetectorContext context;
};

/// What a detector knows after so many points, without these and without contexts: it is small, and a detector that is
/// made of all three goes on exactly as the one it was taken from.
struct DetectorState {
  /// The values [from, from + count) as noise: scale * (value - middle).
  struct Shape {
    std::size_t from = 0, count = 0;
    double middle = 0, scale = 1;
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Level {
    std::size_t start = 0;
    Shape carried = {};      ///< of the level before, or of one before that; of no values if there is none
    double correlation = 0;  ///< of these
    friend bool operator==(const Level&, const Level&) = default;
  };
  /// A baseline of the present level: of the points before `end`, in the context after `made_at` points.
  struct Baseline {
    std::size_t end = 0, made_at = 0;
    friend bool operator==(const Baseline&, const Baseline&) = default;
  };

  std::size_t points = 0;
  Level level;                      ///< the present one
  Level alarmed;                    ///< since the last alarm; `level` may begin later
  std::size_t looked_back = 0;      ///< number of points at the last division into levels
  std::vector<Baseline> baselines;  ///< newest last
  std::vector<ChangePoint> found;

  friend bool operator==(const DetectorState&, const DetectorState&) = default;
};

class ChangePointDetector {
 public:
  explicit ChangePointDetector(const DetectorContext& context = {}) : context_(context) {}

  /// A detector that has seen the first state.points of `values` in `contexts`, and had this state after them. It does
  /// not judge them again. Any other state is undefined behavior.
  ChangePointDetector(std::span<const double> values, std::span<const WatchedFrom> contexts,
                      const DetectorState& state);

  DetectorState state() const;

  /// The context from the next point on. What was told before stays.
  void watch(const DetectorContext& context) { context_ = context; }

  /// Adds the next point: finite and within +-Density::kWidest. Returns true if it raised an alarm, which adds a change
  /// point.
  bool add(double value);

  const std::vector<ChangePoint>& change_points() const { return found_; }
  std::size_t size() const { return values_.size(); }  ///< points that it has seen

  /// The smallest step that would raise an alarm within kPlain points with probability kPower (stats/power.h), if it
  /// began at the next point, in the unit of the values. Found by the detector itself: the noise of kTries stretches of
  /// the level since the point `level` is added with steps up and down. So it is larger for a young level, a correlated
  /// one, one with heavy tails, and beside more series. 0 for a level without noise; none for a level of fewer than
  /// kFewest points, or if no step of kMostTried sigma does.
  std::optional<double> detectable_step(std::size_t level) const;
  static constexpr std::size_t kTries = 10;
  static constexpr double kMostTried = 40;

  /// Minimum number of points of a baseline.
  static constexpr std::size_t kFewest = 15;
  /// Length of the shortest window: two points in a row may be outliers.
  static constexpr std::size_t kShortest = 3;
  /// Length of the longest window.
  static constexpr std::size_t kLongest = 6;
  /// Maximum number of points of a baseline; older ones are ignored.
  static constexpr std::size_t kMost = 128;
  /// Minimum length of a window that can be a plain step.
  static constexpr std::size_t kPlain = 5;
  /// Minimum length of a series for the verdict "no change". In a shorter one, even a plain step after the first
  /// baseline may not have been found yet. A change within the first kFewest points is never found; one within the last
  /// kPlain - 1 points may not have been found yet.
  static constexpr std::size_t kEnough = kFewest + kPlain;

 private:
  using Level = DetectorState::Level;
  /// The points before `end`. The density is computed at its first use, because most nights do not need it.
  struct Baseline {
    std::size_t end = 0;
    std::size_t made_at = 0;     // number of points when it was made, of which its context is
    std::size_t of_level = 0;    // number of points of the present level
    std::vector<double> points;  // ascending: those of the level; while they are few, the carried shape or shared noise
    double median = 0, sigma = 0;  // of points
    std::size_t outliers = 0;      // of the level, which may be left out of account
    std::size_t left_out = 0;      // of a level that is constant without them
    double correlation = 0;        // valid once the density is
    std::optional<Density> density;
  };
  struct Candidate {
    double score = -1e9;
    double shift = 0;
    std::size_t index = 0;
    const Density* density = nullptr;
    std::size_t of_level = 0, end = 0;  // of the baseline
    double correlation = 0;
    double likely_correlation = 0;  // of the window
  };

  /// Adds a point and says what the strongest window now shows.
  Candidate judge_next(double value);
  /// Whether any of the next points raises an alarm.
  bool alarms(std::span<const double> next);
  void refresh();
  void add_baseline(std::size_t end);
  /// Adds points of the noise that the series shares with others, around its median.
  void add_shared(Baseline& baseline) const;
  void look_back();
  Candidate judge(std::size_t index);
  void learn(Baseline& baseline) const;
  double threshold() const;
  ChangePoint described(const Candidate& candidate) const;
  /// The level that begins at `start`, after that of the `count` values from `from` on.
  Level next_level(std::size_t start, std::size_t from, std::size_t count, double before, double after) const;

  DetectorContext context_;
  std::vector<double> values_;      // all points
  Level level_, alarmed_;           // as in DetectorState
  std::size_t looked_back_ = 0;     // as in DetectorState
  std::deque<Baseline> baselines_;  // newest last
  std::vector<ChangePoint> found_;
};

/// The noise that series have in common around their levels, from those with at least kFewest points; none if they are
/// fewer than `fewest_series`. What was a step of many of them is no noise: levels are those that find_levels()
/// (segmentation.h) sees. A changed series counts as much as any other, so all estimates are medians and quantiles.
std::optional<SharedNoise> shared_noise(std::span<const std::vector<double>> series, std::size_t fewest_series = 1);

/// How many points a series of `count` points lacks for the verdict "no change": 0 if it has kEnough.
std::size_t points_missing(std::size_t count);

/// All change points of a series.
std::vector<ChangePoint> find_change_points(std::span<const double> values, const DetectorContext& context = {});
/// The same in contexts that change; `contexts` is in ascending order. So what is told of a night depends on no later
/// one, also if other series have a part in it.
std::vector<ChangePoint> find_change_points(std::span<const double> values, std::span<const WatchedFrom> contexts);
/// Adds all points of a series to a detector in such contexts, but for those that it has seen.
void watch(ChangePointDetector& detector, std::span<const double> values, std::span<const WatchedFrom> contexts);

}  // namespace lab::stats
