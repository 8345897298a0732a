#include "harness/stats/change_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/simulate/draw.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/oracle.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/density.h"
#include "harness/stats/quantile.h"

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
  double ratios = 0, covered = 0;  // found ones with a ratio, and those whose interval contains the true ratio
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
        if (!point.ratio) continue;
        ++counts.ratios;
        counts.covered += point.ratio->low * point.before <= point.before + rise &&
                          point.ratio->high * point.before >= point.before + rise;
      }
      counts.twice += alarms > 1;
    }
    return counts;
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
          add_result(fmt::format("{}: interval contains the true ratio", what), counts.covered, counts.ratios);
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
  trials.nights(true, 0);
  for (const double spread : {0.0, 0.3, 1.0}) trials.nights(false, spread);
}

}  // namespace lab::simulate
