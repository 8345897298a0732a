// How often a usual night is called unfit because many benchmarks lie far from their level at once, and a ruined one is
// not. The noises are others than those that the constants of history/night.h were chosen on.
#include "harness/judge/night.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

using Goal = Finding::Goal;
using Table = std::vector<std::vector<double>>;  // logarithms: of each benchmark, night by night

constexpr std::size_t kBenchmarks = 35;
constexpr std::size_t kRuined = 17;
constexpr double kLeastSlowdown = 1.5, kMostSlowdown = 10.7;
constexpr std::size_t kNights = 1000;

/// Nights of 35 benchmarks of one kind, or of normal noise of 1 to 5 %.
Table draw(const Kind* kind, std::size_t nights, Noise& noise) {
  Table table;
  for (std::size_t i = 0; i < kBenchmarks; ++i) {
    std::vector<double>& logs = table.emplace_back();
    const double sigma = 0.01 + 0.04 * static_cast<double>(i) / (kBenchmarks - 1);
    if (kind == nullptr)
      for (std::size_t night = 0; night < nights; ++night) logs.push_back(sigma * noise.normal());
    else
      for (const double time : kind->draw(noise, nights)) logs.push_back(std::log(std::max(time, 1e-9)));
  }
  return table;
}

bool is_unfit(const Table& table, std::size_t night) {
  judge::Standings standings;
  for (const std::vector<double>& logs : table)
    standings.add(judge::standing(std::span(logs).first(night), logs[night]));
  return standings.unfit();
}

/// Makes a random `count` of the benchmarks slower that night, each by its own factor out of a range.
void slow_down(Table& table, std::size_t night, std::size_t count, double least, double most, Noise& noise) {
  std::vector<std::size_t> order(table.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + noise.below(order.size() - i)]);
    table[order[i]][night] += std::log(least + (most - least) * noise.uniform());
  }
}

class Nights {
 public:
  Nights(const Settings& settings, const Report& report)
      : noise_(settings.seed), report_(report),
        trials_(static_cast<std::size_t>(std::max(20.0, kNights * settings.scale))) {}

  void usual(const std::string& name, const Kind* kind) {
    const Table table = draw(kind, trials_ + judge::kFewestRecent, noise_);
    std::size_t unfit = 0;
    for (std::size_t night = judge::kFewestRecent; night < table.front().size(); ++night)
      unfit += is_unfit(table, night);
    tell(fmt::format("{}: usual nights called unfit", name), unfit, Goal::kAtMost, 0.001);
  }

  /// Each after so many usual nights, and as the last of so many that `spoil` has changed.
  void spoiled(const std::string& what, const Kind* kind, std::size_t before, std::size_t nights,
               const std::function<void(Table&, std::size_t)>& spoil, Goal goal, double bound) {
    std::size_t unfit = 0;
    for (std::size_t trial = 0; trial < trials_; ++trial) {
      Table table = draw(kind, before + nights, noise_);
      for (std::size_t night = before; night < before + nights; ++night) spoil(table, night);
      unfit += is_unfit(table, before + nights - 1);
    }
    tell(what, unfit, goal, bound);
  }

  Noise& noise() { return noise_; }

 private:
  void tell(const std::string& what, std::size_t unfit, Goal goal, double bound) const {
    report_({what, static_cast<double>(unfit) / static_cast<double>(trials_), goal, bound, trials_});
  }

  Noise noise_;
  const Report& report_;
  std::size_t trials_;
};

}  // namespace

void simulate_nights(const Settings& settings, const Report& report) {
  Nights nights(settings, report);
  const auto ruin = [&](Table& table, std::size_t night) {
    slow_down(table, night, kRuined, kLeastSlowdown, kMostSlowdown, nights.noise());
  };
  const auto by_kind = [&](const std::string& name, const Kind* kind, bool hides) {
    nights.usual(name, kind);
    for (const std::size_t before : {judge::kFewestRecent, std::size_t{30}})
      nights.spoiled(fmt::format("{}: {} of {} benchmarks {} to {} times slower after {} nights, called unfit", name,
                                 kRuined, kBenchmarks, kLeastSlowdown, kMostSlowdown, before),
                     kind, before, 1, ruin, hides ? Goal::kNone : Goal::kAtLeast, 0.99);
  };
  by_kind("normal, 1 to 5 %", nullptr, false);
  // A logarithm of noise with a sigma of 1 hides such slowdowns.
  for (const Kind& kind : kinds()) by_kind(std::string(kind.name), &kind, kind.name == "log-normal");
  const auto ruin_the_same = [&](Table& table, std::size_t night) {
    for (std::size_t i = 0; i < kRuined; ++i)
      table[i][night] += std::log(kLeastSlowdown + (kMostSlowdown - kLeastSlowdown) * nights.noise().uniform());
  };
  for (const std::size_t night : {2, 3}) {
    nights.spoiled(fmt::format("other benchmarks ruined every night: night {} called unfit", night), nullptr, 30, night,
                   ruin, Goal::kAtLeast, 0.99);
    nights.spoiled(fmt::format("the same benchmarks ruined every night, otherwise: night {} called unfit", night),
                   nullptr, 30, night, ruin_the_same, Goal::kAtLeast, 0.95);
  }
  const auto slower = [&](std::size_t count, double ratio) {
    return [&, count, ratio](Table& table, std::size_t night) {
      for (std::size_t i = 0; i < count; ++i) table[i][night] += std::log(ratio);
    };
  };
  nights.spoiled("a commit makes 8 of 35 twice as slow: called unfit", nullptr, 30, 1, slower(8, 2), Goal::kAtMost,
                 0.001);
  nights.spoiled("all become 50 % slower and stay so: the first night called unfit", nullptr, 30, 1,
                 slower(kBenchmarks, 1.5), Goal::kAtLeast, 0.99);
  for (const std::size_t night : {2, 3, 7})
    nights.spoiled(fmt::format("all become 50 % slower and stay so: night {} called unfit", night), nullptr, 30, night,
                   slower(kBenchmarks, 1.5), Goal::kAtMost, 0.001);
}

}  // namespace lab::simulate
