#include "harness/stats/change_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/simulate/draw.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/oracle.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/density.h"
#include "harness/stats/hindsight.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::simulate {

namespace {

using stats::ChangePoint;

constexpr std::size_t kPoints = 100;
constexpr std::size_t kBaseline = 50;  // minimum number of points before a step
constexpr std::size_t kNear = 3;       // tolerance of a step's position, in points
constexpr double kFalseAlarms = 0.02;  // maximum share of unchanged series

// The nights of a build farm: number of series, number of nights, and a slowdown in one series.
constexpr std::size_t kSeries = 200, kNights = 30, kSlowFrom = 20, kSlowKnown = 25;

/// Counts of one kind of series with steps of one height.
struct StepCounts {
  double trials = 0, found = 0, placed = 0, twice = 0;
};

/// Units of a step's height: 1.4826 times the median absolute deviation, and interquartile range / 1.349 if it differs.
std::vector<std::pair<std::string, double>> sigmas(const Noise& kind) {
  std::vector<std::pair<std::string, double>> all{{"MAD sigma", kind.robust_sigma}};
  NormalRandom random(1);
  const double quarters = stats::robust_sigma(stats::sorted(kind.draw(random, 200'001)));
  if (quarters > 1.02 * kind.robust_sigma || quarters < kind.robust_sigma / 1.02)
    all.emplace_back("IQR sigma", quarters);
  return all;
}

class ChangePointTrials {
 public:
  ChangePointTrials(const SimulationSettings& settings, const ResultSink& report)
      : random_(settings.seed), oracle_random_(settings.seed + 1), report_(report), scale_(settings.scale) {}

  void unchanged(const Noise& kind) {
    const std::size_t trials = count(2000);
    double alarmed = 0;
    for (std::size_t trial = 0; trial < trials; ++trial)
      alarmed += !stats::find_change_points(kind.draw(random_, kPoints)).empty();
    add_result(fmt::format("{}, unchanged: series that ever alarm", kind.name), alarmed, static_cast<double>(trials),
               Goal::kAtMost, kFalseAlarms);
  }

  /// Steps up and down alternately, at a random position from the 50th point on.
  StepCounts steps(const Noise& kind, double rise, std::size_t nights) {
    StepCounts counts;
    const std::size_t trials = count(1000);
    for (std::size_t trial = 0; trial < trials; ++trial, rise = -rise) {
      const std::size_t at = kBaseline + random_.below(kPoints - kBaseline - nights + 1);
      std::vector<double> values = kind.draw(random_, kPoints);
      for (std::size_t i = at; i < kPoints; ++i) values[i] += rise;
      ++counts.trials;
      std::size_t alarms = 0;
      for (const ChangePoint& point : stats::find_change_points(values)) {
        if (point.detected_at < at) continue;
        if (++alarms > 1 || point.detected_at >= at + nights) continue;
        ++counts.found;
        counts.placed += point.index + kNear >= at && point.index <= at + kNear;
      }
      counts.twice += alarms > 1;
    }
    return counts;
  }

  /// How often the intervals of steps that are found contain the true ratio: that of an alarm on the night that raised
  /// it, and that of the two levels (judge::find_changes) with kLater nights of the new one.
  void coverage(std::string_view name, Draw draw, double height) {
    constexpr std::size_t kLater = 25, kWithin = 5;
    double alarms = 0, alarms_right = 0, levels = 0, levels_right = 0;
    const double sigma = sigma_of(draw);
    const std::size_t trials = count(400);
    double rise = height * sigma;
    for (std::size_t trial = 0; trial < trials; ++trial, rise = -rise) {
      const std::size_t at = kBaseline + random_.below(kPoints - kBaseline);
      // Judged are logarithms, of which these numbers are the changes.
      std::vector<double> values = draw(random_, at + kLater);
      for (double& value : values) value = kLevel + kSmall * (value - kLevel);
      for (std::size_t i = at; i < values.size(); ++i) values[i] += kSmall * rise;
      const auto is_right = [&](double before, double low, double high) {
        // A step of rounded numbers is found exactly.
        const double tolerance = kRounding * before, after = before + kSmall * rise;
        return low * before - tolerance <= after && after <= high * before + tolerance;
      };
      for (const ChangePoint& point : stats::find_change_points(std::span(values).first(at + kWithin))) {
        if (point.detected_at < at || !point.ratio) continue;
        ++alarms;
        alarms_right += is_right(point.before, point.ratio->low, point.ratio->high);
        break;
      }
      for (const judge::LevelChange& change : judge::find_changes(nights_of(values))) {
        if (!stats::is_same_change(change.index, at) || !change.interval) continue;
        ++levels;
        levels_right += is_right(change.before, change.interval->low, change.interval->high);
        break;
      }
    }
    // Of steps that are rarely found, those that are look larger than they are.
    const bool is_often_found = alarms >= kOften * static_cast<double>(trials);
    const std::string what = fmt::format("{}, {:g} MAD sigma", name, height);
    add_result(fmt::format("{}: interval of an alarm contains the true ratio", what), alarms_right, alarms,
               is_often_found ? Goal::kAtLeast : Goal::kNone, 0.92);
    add_result(fmt::format("{}: interval of the levels contains it {} nights later", what, kLater), levels_right,
               levels, levels >= kOften * static_cast<double>(trials) ? Goal::kAtLeast : Goal::kNone, 0.88);
  }

  /// How often the smallest detectable step is alarmed within 5 nights, and one of 3 sigma.
  void detectable_step(const Noise& kind, std::size_t nights) {
    double tried = 0, found = 0, of_three = 0;
    double rise = 1;
    for (std::size_t trial = 0; trial < count(400); ++trial, rise = -rise) {
      const std::vector<double> values = kind.draw(random_, nights + stats::ChangePointDetector::kPlain);
      stats::ChangePointDetector detector;
      for (std::size_t i = 0; i < nights; ++i) detector.add(values[i]);
      const std::optional<double> step = detector.detectable_step(0);
      if (!step || !detector.change_points().empty()) continue;
      const auto alarms = [&](double height) {
        stats::ChangePointDetector next = detector;
        bool any = false;
        for (std::size_t i = nights; i < values.size(); ++i) any = next.add(values[i] + rise * height) || any;
        return any;
      };
      ++tried;
      found += alarms(*step);
      of_three += alarms(3 * kind.robust_sigma);
    }
    const std::string what = fmt::format("{}, after {} nights", kind.name, nights);
    add_result(
        fmt::format("{}: smallest detectable step, alarmed within {} nights", what, stats::ChangePointDetector::kPlain),
        found, tried, Goal::kAtLeast, 0.7);
    add_result(fmt::format("{}: one of 3 MAD sigma", what), of_three, tried);
  }

  /// The number of steps at the 50th point that the oracle finds, at any position.
  double found_by(const Oracle& oracle, const Noise& kind, double rise, std::size_t nights, std::size_t trials) {
    double found = 0;
    for (std::size_t trial = 0; trial < trials; ++trial, rise = -rise) {
      std::vector<double> values = kind.draw(oracle_random_, kBaseline + nights);
      for (std::size_t i = kBaseline; i < values.size(); ++i) values[i] += rise;
      found += oracle.alarms(values, nights);
    }
    return found;
  }

  /// All findings about steps of `height` sigma that are to be found within `nights` nights.
  void steps_of(double height, std::size_t nights, double normal_goal, double other_goal) {
    StepCounts pooled[2];
    for (const Noise& kind : noises()) {
      if (!kind.independent()) continue;
      const auto units = sigmas(kind);
      const Oracle& oracle =
          oracles_.try_emplace(kind.name, kind, kPoints, kBaseline, kFalseAlarms, count(4000), oracle_random_)
              .first->second;
      StepCounts counts;
      for (std::size_t which = 0; which < 2; ++which) {
        if (which < units.size()) {
          counts = steps(kind, height * units[which].second, nights);
          const std::string what = fmt::format("{}, {:g} {}", kind.name, height, units[which].first);
          add_result(fmt::format("{}: found within {} nights and {} points", what, nights, kNear), counts.placed,
                     counts.trials, Goal::kAtLeast, kind.name == "normal" ? normal_goal : other_goal);
          add_result(fmt::format("{}: found by an oracle that knows the noise", what),
                     found_by(oracle, kind, height * units[which].second, nights, count(1000)), counts.trials);
          add_result(fmt::format("{}: reported more than once", what), counts.twice, counts.trials);
        }
        if (kind.name == "normal") continue;
        pooled[which].placed += counts.placed;
        pooled[which].trials += counts.trials;
      }
    }
    for (const std::size_t which : {0, 1})
      add_result(fmt::format("all but normal, {:g} {}: found within {} nights and {} points", height,
                             which == 0 ? "MAD sigma" : "IQR sigma", nights, kNear),
                 pooled[which].placed, pooled[which].trials, Goal::kAtLeast, other_goal);
  }

  /// Nights of 200 normal series, each with the noise of `kind` times exp(`spread` times a normal number). `alone`:
  /// each is watched alone; else together, with what their noises share.
  void nights(bool alone, double spread) {
    const Noise& kind = noises().front();
    const std::size_t tables = count(100);
    const std::string watched = std::string(alone ? "each alone" : "watched together") +
                                (spread > 0 ? fmt::format(", log-normal sigma with {:g}", spread) : "");
    double false_alarms = 0, found = 0, slowed = 0;
    for (std::size_t table = 0; table < tables; ++table) {
      std::vector<std::vector<double>> all, begun;
      std::vector<double> sigmas;
      for (std::size_t i = 0; i < kSeries; ++i) {
        all.push_back(kind.draw(random_, kNights));
        const double factor = spread > 0 ? std::exp(spread * random_.normal()) : 1;
        for (double& x : all.back()) x = kLevel + factor * (x - kLevel);
        sigmas.push_back(factor * kind.robust_sigma);
        begun.emplace_back(all.back().begin(), all.back().begin() + kSlowFrom);
      }
      const stats::DetectorContext context =
          alone ? stats::DetectorContext{} : stats::DetectorContext{kSeries, stats::shared_noise(begun)};
      bool any = false;
      for (const std::vector<double>& values : all) any = !stats::find_change_points(values, context).empty() || any;
      false_alarms += any;
      // Ten series of each table get a slowdown, one at a time.
      for (std::size_t i = 0; i < 10; ++i, ++slowed) {
        for (std::size_t night = kSlowFrom; night < kNights; ++night) all[i][night] += 3 * sigmas[i];
        for (const ChangePoint& point : stats::find_change_points(all[i], context))
          if (point.detected_at >= kSlowFrom && point.detected_at <= kSlowKnown) {
            ++found;
            break;
          }
      }
    }
    add_result(fmt::format("{} nights of {} normal series, {}: any false alarm", kNights, kSeries, watched),
               false_alarms, static_cast<double>(tables), alone ? Goal::kNone : Goal::kAtMost, 0.05);
    add_result(
        fmt::format("3 sigma from night {} in one of them, {}: found by night {}", kSlowFrom, watched, kSlowKnown),
        found, slowed, alone || spread > 0 ? Goal::kNone : Goal::kAtLeast, 0.75);
  }

 private:
  static constexpr double kSmall = 0.001;  // of the distance from the level: then its logarithm is as good
  static constexpr double kRounding = 1e-9;
  static constexpr double kOften = 0.1;  // of the steps

  /// 1.4826 times the median absolute deviation.
  static double sigma_of(Draw draw) {
    NormalRandom random(1);
    return stats::mad_sigma(draw(random, 100'001));
  }

  static std::vector<results::SeriesPoint> nights_of(std::span<const double> values) {
    const auto environment = std::make_shared<results::MeasurementEnvironment>();
    const auto exact = std::make_shared<results::ExactCounters>();
    std::vector<results::SeriesPoint> points(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      points[i].median = values[i];
      points[i].environment = environment;
      points[i].exact = exact;
    }
    return points;
  }

  std::size_t count(double trials) const { return static_cast<std::size_t>(std::max(1.0, trials * scale_)); }

  void add_result(const std::string& what, double events, double trials, Goal goal = Goal::kNone,
                  double bound = 0) const {
    report_({what, events / std::max(1.0, trials), goal, bound, static_cast<std::uint64_t>(trials)});
  }

  NormalRandom random_;
  NormalRandom oracle_random_;  // of the oracle
  std::map<std::string_view, Oracle> oracles_;
  const ResultSink& report_;
  double scale_;
};

}  // namespace

void simulate_change_points(const SimulationSettings& settings, const ResultSink& report) {
  ChangePointTrials trials(settings, report);
  for (const Noise& kind : noises()) trials.unchanged(kind);
  trials.steps_of(3, 5, 0.95, 0.85);
  trials.steps_of(5, 3, 0.95, 0.95);
  for (const double height : {3.0, 5.0}) {
    for (const Noise& kind : noises()) trials.coverage(kind.name, kind.draw, height);
    for (const DrawnNoise& kind : further_noises()) trials.coverage(kind.name, kind.draw, height);
  }
  for (const Noise& kind : noises())
    for (const std::size_t nights : {20, 40, 100}) trials.detectable_step(kind, nights);
  trials.nights(true, 0);
  for (const double spread : {0.0, 0.3, 1.0}) trials.nights(false, spread);
}

}  // namespace lab::simulate
