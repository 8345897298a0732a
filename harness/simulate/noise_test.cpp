#include "harness/simulate/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/simulate/draw.h"
#include "harness/simulate/oracle.h"

namespace lab::simulate {
namespace {

const Noise& named(std::string_view name) {
  for (const Noise& kind : noises())
    if (kind.name == name) return kind;
  ADD_FAILURE() << name;
  return noises().front();
}

TEST(Noise, draws_numbers_with_its_density) {
  for (const Noise& kind : noises()) {
    if (!kind.independent()) continue;
    // The share of drawn numbers in each range equals the integral of the density.
    NormalRandom random(3);
    const std::vector<double> drawn = kind.draw(random, 100'000);
    for (const auto& [low, high] : {std::pair{0.0, 4000.0}, {90.0, 100.0}, {100.0, 103.0}, {104.0, 140.0}}) {
      double mass = 0, seen = 0;
      const double step = (high - low) / 100'000;
      for (double x = low + step / 2; x < high; x += step) mass += step * std::exp(kind.log_density(x));
      for (const double x : drawn) seen += x >= low && x < high;
      EXPECT_NEAR(mass, seen / static_cast<double>(drawn.size()), 0.006) << kind.name << ": " << low << ".." << high;
    }
  }
}

/// The correlation of numbers one and two apart.
std::array<double, 2> correlations(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  std::array<double, 3> products{};
  for (std::size_t i = 2; i < values.size(); ++i)
    for (std::size_t lag = 0; lag < 3; ++lag) products[lag] += (values[i] - mean) * (values[i - lag] - mean);
  return {products[1] / products[0], products[2] / products[0]};
}

std::vector<double> drawn_from(std::string_view name, std::size_t count) {
  for (const std::span<const DrawnNoise> list : {further_noises(), tuning_noises()})
    for (const DrawnNoise& kind : list)
      if (NormalRandom random(7); kind.name == name) return kind.draw(random, count);
  ADD_FAILURE() << name;
  return {};
}

TEST(Noise, has_the_autocorrelation_of_its_name) {
  struct Row {
    std::string_view name;
    double lag1, lag2;
  };
  for (const Row& row :
       {Row{"AR(1) with 0.3", 0.3, 0.09}, Row{"AR(1) with 0.8", 0.8, 0.64}, Row{"moving mean of 5", 0.8, 0.6},
        Row{"moving mean of 4", 0.75, 0.5}, Row{"AR(1) with 0.75", 0.75, 0.5625}, Row{"Laplace", 0, 0},
        Row{"three levels", 0, 0}, Row{"rounded", 0, 0}, Row{"gamma with 2", 0, 0}}) {
    const auto [lag1, lag2] = correlations(drawn_from(row.name, 100'000));
    EXPECT_NEAR(lag1, row.lag1, 0.015) << row.name;
    EXPECT_NEAR(lag2, row.lag2, 0.015) << row.name;
  }
}

TEST(Noise, has_the_levels_and_the_quantiles_of_its_name) {
  struct Row {
    std::string_view name;
    double limit, share;  // of the numbers below it
  };
  for (const Row& row : {Row{"three levels", 102.5, 0.5}, Row{"three levels", 107.5, 0.8}, Row{"rounded", 99, 0.3085},
                         Row{"t with 2", 94.1600, 0.05}, Row{"t with 3", 95.2933, 0.05}, Row{"Laplace", 96.7437, 0.05},
                         Row{"gamma with 2", 102.3736, 0.5}, Row{"outliers of +25 %", 115, 0.96}}) {
    const std::vector<double> drawn = drawn_from(row.name, 100'000);
    const auto below = std::ranges::count_if(drawn, [&](double value) { return value < row.limit; });
    EXPECT_NEAR(static_cast<double>(below) / 100'000, row.share, 0.006) << row.name << " below " << row.limit;
  }
}

TEST(Noise, stays_on_a_level_as_often_as_told) {
  NormalRandom random(11);
  const std::vector<double> drawn = draw_staying(random, 100'000, 0.001, 1.05, 0.9);
  int stays = 0, upper = 0;
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    upper += drawn[i] > 102.5;
    stays += (drawn[i] > 102.5) == (drawn[i - 1] > 102.5);
  }
  EXPECT_NEAR(stays, 90'000, 600);
  EXPECT_NEAR(upper, 50'000, 2000);
}

TEST(Oracle, has_the_requested_false_alarm_rate_and_detects_large_steps) {
  for (const std::string_view name : {"normal", "log-normal"}) {
    const Noise& kind = named(name);
    NormalRandom random(5);
    const Oracle known(kind, 60, 50, 0.1, 2000, random);
    int unchanged = 0, changed = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      std::vector<double> values = kind.draw(random, 60);
      unchanged += known.alarms(values, 10);
      for (std::size_t i = 50; i < 60; ++i) values[i] -= 4 * kind.robust_sigma;
      changed += known.alarms(values, 10);
    }
    EXPECT_NEAR(unchanged, 100, 40) << name;
    EXPECT_GT(changed, 990) << name;
  }
}

}  // namespace
}  // namespace lab::simulate
