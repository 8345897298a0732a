#include "harness/simulate/noise.h"

#include <gtest/gtest.h>

#include <cmath>

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
