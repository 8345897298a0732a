// How often levels in hindsight (stats/hindsight.h) are wrong, and what the alarms of the same series say.
#include "harness/stats/hindsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/simulate/cases.h"
#include "harness/simulate/draw.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/oracle.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/change_points.h"
#include "harness/stats/segmentation.h"

namespace lab::simulate {

namespace {

using stats::Hindsight;

constexpr std::size_t kNights = 100;
constexpr std::size_t kFirstLook = 8;                                // night after which a series is first looked at
constexpr std::size_t kSecond = 60, kWithin = 5;                     // night of the second step; nights to its alarm
constexpr std::size_t kLater = 30;                                   // nights from a step to the look back at it
constexpr double kSigma = 0.02, kNarrow = 0.01, kUpperLevel = 1.05;  // relative

void add_step(std::vector<double>& values, std::size_t at, double rise) {
  for (std::size_t i = at; i < values.size(); ++i) values[i] += rise;
}

bool has_change_at(const Hindsight& hindsight, std::size_t at) {
  return std::ranges::any_of(hindsight.changes, [at](const stats::HindsightChange& change) {
    return stats::is_same_change(change.index, at);
  });
}

bool alarmed_within(std::span<const double> values, std::size_t at, std::size_t nights) {
  return std::ranges::any_of(stats::find_change_points(values), [&](const stats::ChangePoint& point) {
    return point.detected_at >= at && point.detected_at < at + nights;
  });
}

class HindsightTrials {
 public:
  HindsightTrials(const SimulationSettings& settings, const ResultSink& report)
      : random_(settings.seed), oracle_random_(settings.seed + 1), settings_(settings), report_(report) {}

  /// Series without a change of the level. `changepoints` reports the alarms of noises().
  template <typename Drawing>
  void unchanged(std::string_view name, Drawing draw, double goal, bool with_alarms) {
    double changed = 0, alarmed = 0, switching = 0, noise = 0;
    const std::uint64_t trials = settings_.trials(2000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const std::vector<double> values = draw(random_, kNights);
      const Hindsight hindsight = stats::look_back(values);
      changed += !hindsight.changes.empty();
      switching += hindsight.switching;
      noise += !hindsight.noise.empty();
      if (with_alarms) alarmed += !stats::find_change_points(values).empty();
    }
    add_result(fmt::format("{}: series with a change in hindsight", name), changed, trials, Goal::kAtMost, goal);
    if (with_alarms) add_result(fmt::format("{}: series that ever alarm", name), alarmed, trials, Goal::kAtMost, goal);
    add_result(fmt::format("{}: series named switching", name), switching, trials);
    add_result(fmt::format("{}: series with a change of noise in hindsight", name), noise, trials);
  }

  /// Unchanged series of many nights.
  void long_unchanged(std::string_view name, Draw draw) {
    double changed = 0;
    const std::uint64_t trials = settings_.trials(200);
    for (std::uint64_t trial = 0; trial < trials; ++trial)
      changed += !stats::find_levels(draw(random_, stats::kMostSegmented)).starts.empty();
    add_result(fmt::format("{}, {} nights: series with a change in hindsight", name, stats::kMostSegmented), changed,
               trials, Goal::kAtMost, 0.05);
  }

  /// Unchanged series with a change that the look after an earlier night found, and the last look does not.
  void withdrawn(const Noise& kind) {
    double withdrawn = 0;
    const std::uint64_t trials = settings_.trials(1000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const std::vector<double> values = kind.draw(random_, kNights);
      const Hindsight last = stats::look_back(values);
      bool any = false;
      for (std::size_t count = kFirstLook; count < kNights && !any; ++count)
        for (const stats::HindsightChange& change : stats::look_back(std::span(values).first(count)).changes)
          any = any || !has_change_at(last, change.index);
      withdrawn += any;
    }
    add_result(fmt::format("{}, unchanged: series with a change that is withdrawn by night {}", kind.name, kNights),
               withdrawn, trials, Goal::kAtMost, 0.1);
  }

  /// An early step of 3 to 8 sigma at one of the nights 3 to 20, and a second one of 5 sigma. The oracle knows the
  /// early one.
  void second_step(const Noise& kind) {
    double found = 0, by_oracle = 0;
    const std::uint64_t trials = settings_.trials(1000);
    const Oracle oracle(kind, kNights, kSecond, 0.02, settings_.trials(4000), oracle_random_);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      std::vector<double> values = kind.draw(random_, kSecond + kWithin);
      add_step(values, kSecond, either(5 * kind.robust_sigma));
      by_oracle += oracle.alarms(values, kWithin);
      const std::size_t at = 3 + random_.below(18);
      add_step(values, at, either((3 + 5 * random_.uniform()) * kind.robust_sigma));
      found += alarmed_within(values, kSecond, kWithin);
    }
    const std::string what = fmt::format("{}, 5 sigma at night {} after an early step", kind.name, kSecond);
    add_result(fmt::format("{}: alarm within {} nights", what, kWithin), found, trials, goal_of(kind), 0.95);
    add_result(fmt::format("{}: found by an oracle that knows the noise", what), by_oracle, trials);
  }

  /// Something in the first nights that no alarm can be raised for, and a step of 5 sigma later.
  enum class Disturbance {
    kSpell,     ///< three to twelve nights at another level, 4 to 8 sigma away
    kOutliers,  ///< two nights 10 to 20 sigma away
    kDrift      ///< 3 sigma over all nights before the step, and an outlier of 10 sigma just before it
  };
  void disturbed_beginning(const Noise& kind, Disturbance disturbance, std::string_view name, double alarms,
                           double hindsight) {
    constexpr std::size_t kFirstAt = 40, kAfter = 30, kNightsToAlarm = 6;
    double alarmed = 0, found = 0;
    const std::uint64_t trials = settings_.trials(500);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const std::size_t at = kFirstAt + random_.below(41);
      std::vector<double> values = kind.draw(random_, at + kAfter);
      const double sigma = kind.robust_sigma;
      add_step(values, at, either(5 * sigma));
      const std::size_t first = 1 + random_.below(8);
      const double rise = either(sigma);
      if (disturbance == Disturbance::kSpell) {
        const double height = rise * (4 + 4 * random_.uniform());
        add_step(values, first, height);
        add_step(values, first + 3 + random_.below(10), -height);
      } else if (disturbance == Disturbance::kOutliers) {
        for (const std::size_t night : {first, first + 1 + random_.below(5)})
          values[night] += rise * (10 + 10 * random_.uniform());
      } else {
        for (std::size_t i = 0; i < at; ++i)
          values[i] += rise * 3 * (static_cast<double>(i) / static_cast<double>(at) - 1);
        values[at - 1] += 10 * rise;
      }
      alarmed += alarmed_within(values, at, kNightsToAlarm);
      found += has_change_at(stats::look_back(values), at);
    }
    const std::string what =
        fmt::format("{}, 5 sigma at night {} to {} after {}", kind.name, kFirstAt, kFirstAt + 40, name);
    // A drift widens the baseline of alarms, which has no goal yet.
    add_result(fmt::format("{}: alarm within {} nights", what, kNightsToAlarm), alarmed, trials,
               disturbance == Disturbance::kDrift ? Goal::kNone : goal_of(kind), alarms);
    add_result(fmt::format("{}: found {} nights later", what, kAfter), found, trials, goal_of(kind), hindsight);
  }

  void early_step(const Noise& kind, std::size_t at, double goal) {
    double found = 0;
    const std::uint64_t trials = settings_.trials(1000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      std::vector<double> values = kind.draw(random_, at + kLater);
      add_step(values, at, either(4 * kind.robust_sigma));
      found += has_change_at(stats::look_back(values), at);
    }
    add_result(fmt::format("{}, 4 sigma at night {}: found {} nights later, within {} points", kind.name, at, kLater,
                           stats::kNearPoints),
               found, trials, goal_of(kind), goal);
  }

  /// Unchanged series that are watched together, with a change that is an alarm once it is settled.
  void settled(const Noise& kind) {
    constexpr std::size_t kSeries = 200;
    double any = 0;
    const std::uint64_t tables = settings_.trials(100);
    for (std::uint64_t table = 0; table < tables; ++table) {
      bool found = false;
      for (std::size_t i = 0; i < kSeries; ++i)
        found = !stats::sure_starts(kind.draw(random_, kNights), kSeries).empty() || found;
      any += found;
    }
    add_result(fmt::format("{}, unchanged: tables of {} series with a settled change in hindsight", kind.name, kSeries),
               any, tables, Goal::kAtMost, 0.1);
  }

  /// A slowdown of 6 sigma in twelve small steps of five nights each, which is settled 30 nights later.
  void creep(const Noise& kind) {
    double found = 0;
    const std::uint64_t trials = settings_.trials(1000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      std::vector<double> values = kind.draw(random_, 120);
      for (std::size_t step = 0; step < 12; ++step) add_step(values, 30 + 5 * step, kind.robust_sigma / 2);
      found += !stats::sure_starts(values, 200).empty();
    }
    add_result(fmt::format("{}, a creep of 6 sigma: a settled change 30 nights later, of 200 series", kind.name), found,
               trials, goal_of(kind), 0.8);
  }

  void constant() {
    double found = 0;
    const std::uint64_t trials = settings_.trials(1000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const std::size_t at = 15 + random_.below(36);
      std::vector<double> values(at + 3, kLevel);
      add_step(values, at, either((0.1 + 0.9 * random_.uniform()) * kLevel));
      found += alarmed_within(values, at, 3);
    }
    add_result("15 to 50 equal points, then 10 to 100 % away: alarm within 3 nights", found, trials, Goal::kAtLeast, 1);
  }

 private:
  /// Up or down.
  double either(double rise) { return random_.below(2) == 0 ? rise : -rise; }

  /// Steps have a goal in normal noise alone.
  static Goal goal_of(const Noise& kind) { return kind.name == "normal" ? Goal::kAtLeast : Goal::kNone; }

  void add_result(const std::string& what, double events, std::uint64_t trials, Goal goal = Goal::kNone,
                  double bound = 0) const {
    report_({what, events / static_cast<double>(trials), goal, bound, trials});
  }

  NormalRandom random_;
  NormalRandom oracle_random_;  // of the oracle
  const SimulationSettings& settings_;
  const ResultSink& report_;
};

}  // namespace

void simulate_hindsight(const SimulationSettings& settings, const ResultSink& report) {
  HindsightTrials trials(settings, report);
  for (const Noise& kind : noises()) trials.unchanged(kind.name, kind.draw, 0.03, false);
  for (const DrawnNoise& kind : further_noises()) trials.unchanged(kind.name, kind.draw, 0.03, true);
  for (const auto& [stay, goal] : {std::pair{0.8, 0.05}, {0.9, 0.1}})
    trials.unchanged(
        fmt::format("two levels that stay with {:g}", stay),
        [stay = stay](NormalRandom& random, std::size_t count) {
          return draw_staying(random, count, kNarrow, kUpperLevel, stay);
        },
        goal, true);
  trials.unchanged(
      "noise that doubles at night 50",
      [](NormalRandom& random, std::size_t count) {
        std::vector<double> values = draw_normal(random, count, kSigma);
        for (std::size_t i = 50; i < count; ++i) values[i] += values[i] - kLevel;
        return values;
      },
      0.05, true);
  for (const Noise& kind : noises()) trials.long_unchanged(kind.name, kind.draw);
  for (const DrawnNoise& kind : further_noises()) trials.long_unchanged(kind.name, kind.draw);
  for (const Noise& kind : noises()) trials.withdrawn(kind);
  for (const Noise& kind : noises())
    if (kind.independent()) trials.second_step(kind);
  for (const Noise& kind : noises())
    if (kind.independent()) {
      using Disturbance = HindsightTrials::Disturbance;
      trials.disturbed_beginning(kind, Disturbance::kSpell, "a spell in the first nights", 0.75, 0.9);
      trials.disturbed_beginning(kind, Disturbance::kOutliers, "two early outliers", 0.9, 0.95);
      trials.disturbed_beginning(kind, Disturbance::kDrift, "a drift of 3 sigma and an outlier", 0, 0.95);
    }
  for (const auto& [at, goal] : {std::pair<std::size_t, double>{10, 0.8}, {15, 0.9}, {20, 0.93}, {30, 0.95}})
    for (const Noise& kind : noises())
      if (kind.independent()) trials.early_step(kind, at, goal);
  trials.constant();
  for (const Noise& kind : noises()) trials.settled(kind);
  for (const Noise& kind : noises())
    if (kind.independent()) trials.creep(kind);
  report_cases(report);
  report_speed(settings, report);
}

}  // namespace lab::simulate
