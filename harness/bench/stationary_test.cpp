#include "harness/bench/stationary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "harness/base/random.h"

namespace lab::bench {

namespace {

// Neither these seeds nor these shapes are those by which the constants were chosen.

double uniform(Random& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

double exponential(Random& random) {
  return -std::log(uniform(random));
}

/// Of its place in the process, from 0 to 1: what a repetition would take if nothing disturbed it.
using Shape = std::function<double(double)>;
/// What the repetitions of a process are multiplied by.
using Noise = std::function<std::vector<double>(Random&, std::size_t)>;

std::vector<double> each(std::size_t count, const std::function<double()>& make) {
  std::vector<double> values(count);
  for (double& value : values) value = make();
  return values;
}

/// Skewed: nothing is faster than the work itself.
std::vector<double> skewed(Random& random, std::size_t count) {
  return each(count, [&] { return 1 + 0.01 * (exponential(random) + exponential(random)); });
}

/// One repetition in eight is interrupted and takes up to ten times as long.
std::vector<double> interrupted(Random& random, std::size_t count) {
  return each(count, [&] { return 1 + 0.01 * uniform(random) + (random.below(8) == 0 ? 9 * uniform(random) : 0); });
}

/// Another process takes a part of the cache now and then, for a tenth of our time: 30 % slower.
std::vector<double> shared(Random& random, std::size_t count) {
  std::vector<double> values = skewed(random, count);
  for (int burst = 0; burst < 2; ++burst) {
    const std::size_t begin = random.below(count);
    for (std::size_t i = begin; i < std::min(count, begin + count / 10); ++i) values[i] *= 1.3;
  }
  return values;
}

/// From somewhere on another process shares the core to the end.
std::vector<double> joined(Random& random, std::size_t count) {
  std::vector<double> values = skewed(random, count);
  for (std::size_t i = random.below(count); i < count; ++i) values[i] *= 1.6;
  return values;
}

struct Found {
  double marked = 0;  ///< share of processes
  double warmup = 0;  ///< share of their repetitions
};

Found found(const Shape& shape, const Noise& noise, std::size_t count, int processes = 300) {
  Random random(20'261'122 + count);
  Found found;
  for (int process = 0; process < processes; ++process) {
    std::vector<double> times = noise(random, count);
    for (std::size_t i = 0; i < count; ++i) times[i] *= shape(static_cast<double>(i) / static_cast<double>(count));
    const Settling settling = settle(times, count / 2);
    found.marked += !settling.stationary;
    found.warmup += static_cast<double>(settling.warmup) / static_cast<double>(count);
  }
  return {found.marked / processes, found.warmup / processes};
}

double flat(double) {
  return 100;
}

/// The adding of the command bucket's first version, by quarters of 80 repetitions: 107, 83, 76, 71 ns.
double still_falling(double place) {
  const double levels[] = {115, 93, 79, 73, 69};
  const auto left = std::min<std::size_t>(3, static_cast<std::size_t>(place * 4));
  return levels[left] + (levels[left + 1] - levels[left]) * (place * 4 - static_cast<double>(left));
}

/// The same version in full: its first repetition took 12 ns, later ones 58 to 200.
double growing(double place) {
  return place == 0 ? 12 : 58 + 142 * place;
}

const std::pair<const char*, Noise> kQuiet[] = {{"skewed", skewed}, {"interrupted", interrupted}};
const std::pair<const char*, Noise> kDisturbed[] = {{"shared", shared}, {"joined", joined}};

}  // namespace

TEST(Settle, reports_no_trend_for_random_differences_and_drops_few) {
  for (const auto& [name, noise] : kQuiet)
    for (const std::size_t count : {7u, 12u, 50u, 300u, 2000u}) {
      const Found flat_found = found(flat, noise, count);
      EXPECT_LE(flat_found.marked, 0.02) << name << ", " << count;
      EXPECT_LE(flat_found.warmup * static_cast<double>(count), 3) << name << ", " << count;
    }
}

TEST(Settle, reports_a_trend_for_few_disturbed_processes) {
  for (const auto& [name, noise] : kDisturbed)
    for (const std::size_t count : {7u, 12u, 50u, 300u}) EXPECT_LE(found(flat, noise, count).marked, 0.1) << name;
}

TEST(Settle, ends_warm_up_where_repetitions_have_become_alike) {
  for (const auto& [name, noise] : kQuiet)
    for (const double ends : {0.05, 0.2, 0.4}) {
      const Found stepped = found([&](double place) { return place < ends ? 1.15 : 1.0; }, noise, 200);
      EXPECT_NEAR(stepped.warmup, ends, 0.05) << name << ", " << ends;
      EXPECT_LE(stepped.marked, 0.05) << name << ", " << ends;
    }
}

TEST(Settle, reports_a_trend_that_lasts_to_the_end) {
  for (const auto& [name, noise] : kQuiet)
    for (const Shape& shape : {Shape(still_falling), Shape(growing)}) {
      for (const std::size_t count : {80u, 500u}) EXPECT_GE(found(shape, noise, count).marked, 0.9) << name;
      EXPECT_GE(found(shape, noise, 24).marked, 0.5) << name;
    }
}

TEST(Settle, reports_a_trend_of_few_repetitions) {
  // As a process has it: at most half of its time is warm-up, and three repetitions are kept.
  for (const std::size_t count : {7u, 8u, 10u, 14u}) {
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i)
      times.push_back(10 + 90.0 * static_cast<double>(i) / static_cast<double>(count));
    EXPECT_FALSE(settle(times, count - 3).stationary) << count;
  }
}

TEST(Settle, ignores_a_trend_that_is_too_small_to_matter) {
  EXPECT_LE(found([](double place) { return 1 - 0.01 * place; }, skewed, 500).marked, 0.02);
}

TEST(Settle, does_not_judge_too_few_repetitions) {
  EXPECT_EQ(settle({}, 0).warmup, 0u);
  EXPECT_EQ(settle({5}, 0).warmup, 0u);
  EXPECT_TRUE(settle({9, 8, 7, 6, 5}, 0).stationary);
  EXPECT_FALSE(settle({10, 9, 8, 7, 6, 5}, 0).stationary);
}

TEST(Settle, drops_no_more_than_the_maximum) {
  const std::vector<double> slow_twice{9, 9, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(settle(slow_twice, 4).warmup, 2u);
  EXPECT_EQ(settle(slow_twice, 2).warmup, 2u);
  EXPECT_EQ(settle(slow_twice, 1).warmup, 1u);
  EXPECT_EQ(settle(slow_twice, 0).warmup, 0u);
}

TEST(Settle, drops_none_of_equal_repetitions) {
  const Settling settling = settle(std::vector<double>(1000, 7.0), 500);
  EXPECT_EQ(settling.warmup, 0u);
  EXPECT_TRUE(settling.stationary);
}

}  // namespace lab::bench
