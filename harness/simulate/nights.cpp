// How often a normal night is called unfit because many benchmarks deviate from their level at once, and how often a
// disturbed night is not. The constants of judge/night.h were chosen on other noises.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/night.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

using LogTimes = std::vector<std::vector<double>>;  // logarithms: by benchmark, then by night

constexpr std::size_t kBenchmarks = 35;
constexpr std::size_t kDisturbed = 17;
constexpr double kLeastSlowdown = 1.5, kMostSlowdown = 10.7;
constexpr std::size_t kNights = 1000;

/// Nights of 35 benchmarks with one kind of noise; null: normal noise of 1 to 5 %.
LogTimes draw(const Noise* kind, std::size_t nights, NormalRandom& random) {
  LogTimes table;
  for (std::size_t i = 0; i < kBenchmarks; ++i) {
    std::vector<double>& logs = table.emplace_back();
    const double sigma = 0.01 + 0.04 * static_cast<double>(i) / (kBenchmarks - 1);
    if (kind == nullptr)
      for (std::size_t night = 0; night < nights; ++night) logs.push_back(sigma * random.normal());
    else
      for (const double time : kind->draw(random, nights)) logs.push_back(std::log(std::max(time, 1e-9)));
  }
  return table;
}

bool is_unfit(const LogTimes& table, std::size_t night) {
  judge::LevelCounts levels;
  for (const std::vector<double>& logs : table)
    levels.add(judge::level_state(std::span(logs).first(night), logs[night]));
  return levels.unfit();
}

/// Makes `count` random benchmarks slower in that night, each by its own random factor.
void slow_down(LogTimes& table, std::size_t night, std::size_t count, double least, double most, NormalRandom& random) {
  std::vector<std::size_t> order(table.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
    table[order[i]][night] += std::log(least + (most - least) * random.uniform());
  }
}

class NightTrials {
 public:
  NightTrials(const SimulationSettings& settings, const ResultSink& report)
      : random_(settings.seed),
        report_(report),
        trials_(static_cast<std::size_t>(std::max(20.0, kNights * settings.scale))) {}

  void undisturbed(const std::string& name, const Noise* kind) {
    const LogTimes table = draw(kind, trials_ + judge::kFewestRecent, random_);
    std::size_t unfit = 0;
    for (std::size_t night = judge::kFewestRecent; night < table.front().size(); ++night)
      unfit += is_unfit(table, night);
    add_result(fmt::format("{}: undisturbed nights called unfit", name), unfit, Goal::kAtMost, 0.001);
  }

  /// Judges the last of `nights` nights that `disturb` has changed, after `before` undisturbed ones.
  void disturbed(const std::string& what, const Noise* kind, std::size_t before, std::size_t nights,
                 const std::function<void(LogTimes&, std::size_t)>& disturb, Goal goal, double bound) {
    std::size_t unfit = 0;
    for (std::size_t trial = 0; trial < trials_; ++trial) {
      LogTimes table = draw(kind, before + nights, random_);
      for (std::size_t night = before; night < before + nights; ++night) disturb(table, night);
      unfit += is_unfit(table, before + nights - 1);
    }
    add_result(what, unfit, goal, bound);
  }

  NormalRandom& random() { return random_; }

 private:
  void add_result(const std::string& what, std::size_t unfit, Goal goal, double bound) const {
    report_({what, static_cast<double>(unfit) / static_cast<double>(trials_), goal, bound, trials_});
  }

  NormalRandom random_;
  const ResultSink& report_;
  std::size_t trials_;
};

}  // namespace

void simulate_nights(const SimulationSettings& settings, const ResultSink& report) {
  NightTrials nights(settings, report);
  const auto disturb_random = [&](LogTimes& table, std::size_t night) {
    slow_down(table, night, kDisturbed, kLeastSlowdown, kMostSlowdown, nights.random());
  };
  const auto by_kind = [&](const std::string& name, const Noise* kind, bool hides) {
    nights.undisturbed(name, kind);
    for (const std::size_t before : {judge::kFewestRecent, std::size_t{30}})
      nights.disturbed(fmt::format("{}: {} of {} benchmarks {} to {} times slower after {} nights, called unfit", name,
                                   kDisturbed, kBenchmarks, kLeastSlowdown, kMostSlowdown, before),
                       kind, before, 1, disturb_random, hides ? Goal::kNone : Goal::kAtLeast, 0.99);
  };
  by_kind("normal, 1 to 5 %", nullptr, false);
  // Log-normal noise with sigma 1 hides such slowdowns.
  for (const Noise& kind : noises()) by_kind(std::string(kind.name), &kind, kind.name == "log-normal");
  const auto disturb_the_same = [&](LogTimes& table, std::size_t night) {
    for (std::size_t i = 0; i < kDisturbed; ++i)
      table[i][night] += std::log(kLeastSlowdown + (kMostSlowdown - kLeastSlowdown) * nights.random().uniform());
  };
  for (const std::size_t night : {2, 3}) {
    nights.disturbed(fmt::format("other benchmarks disturbed every night: night {} called unfit", night), nullptr, 30,
                     night, disturb_random, Goal::kAtLeast, 0.99);
    nights.disturbed(
        fmt::format("the same benchmarks disturbed every night, by other factors: night {} called unfit", night),
        nullptr, 30, night, disturb_the_same, Goal::kAtLeast, 0.95);
  }
  const auto slower = [&](std::size_t count, double ratio) {
    return [&, count, ratio](LogTimes& table, std::size_t night) {
      for (std::size_t i = 0; i < count; ++i) table[i][night] += std::log(ratio);
    };
  };
  nights.disturbed("a commit makes 8 of 35 twice as slow: called unfit", nullptr, 30, 1, slower(8, 2), Goal::kAtMost,
                   0.001);
  nights.disturbed("all become 50 % slower and stay so: the first night called unfit", nullptr, 30, 1,
                   slower(kBenchmarks, 1.5), Goal::kAtLeast, 0.99);
  for (const std::size_t night : {2, 3, 7})
    nights.disturbed(fmt::format("all become 50 % slower and stay so: night {} called unfit", night), nullptr, 30,
                     night, slower(kBenchmarks, 1.5), Goal::kAtMost, 0.001);
}

}  // namespace lab::simulate
