#include "harness/stats/culprit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include "harness/base/random.h"

namespace lab::stats {

namespace {

std::vector<double> no_cost(std::size_t commits) {
  return std::vector<double>(commits + 1);
}

struct CommitValue {
  std::size_t commit;
  double value;
};

CulpritSearch after(std::size_t commits, const std::vector<CommitValue>& data) {
  CulpritSearch search(commits);
  for (const CommitValue& datum : data) search.add(datum.commit, datum.value);
  return search;
}

/// Of a symmetric positive matrix: the inverse, by Gauss and Jordan, and the logarithm of its determinant.
using SquareMatrix = std::vector<std::vector<double>>;
double invert(SquareMatrix matrix, SquareMatrix& inverse) {
  const std::size_t n = matrix.size();
  double log_determinant = 0;
  inverse.assign(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = matrix[i][i];
    log_determinant += std::log(pivot);
    for (std::size_t j = 0; j < n; ++j) {
      matrix[i][j] /= pivot;
      inverse[i][j] /= pivot;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = k == i ? 0 : matrix[k][i];
      for (std::size_t j = 0; j < n; ++j) {
        matrix[k][j] -= factor * matrix[i][j];
        inverse[k][j] -= factor * inverse[i][j];
      }
    }
  }
  return log_determinant;
}

/// Of a step of x sigma, on a grid: x and its prior. The steps of the first two widths; the others' share is 2 %.
const std::vector<std::pair<double, double>>& prior_of_steps() {
  static const std::vector<std::pair<double, double>> all = [] {
    constexpr double kStep = 0.2;
    std::vector<std::pair<double, double>> made;
    for (double x = -16; x < 16; x += kStep) {
      double share = 0;
      for (const double tau : {1.0, 4.0})
        share += 0.49 * kStep * x * x / (tau * tau) * std::exp(-x * x / (2 * tau * tau)) /
                 (tau * std::sqrt(2 * std::numbers::pi));
      made.emplace_back(x, share);
    }
    return made;
  }();
  return all;
}

/// The model of culprit_fit.h by brute force: disturbed or not as a sum over all subsets, drift and offsets as a
/// covariance, d and sigma by sums over grids. `inlier`: those that nothing disturbed. `culprit` 0: none. `drift`:
/// sigma, per square root of a measurement. `offset`: of a commit's build, in sigma.
double evidence_of(const std::vector<CommitValue>& data, const std::vector<std::size_t>& inlier, std::size_t culprit,
                   double drift, double offset) {
  const std::size_t n = inlier.size();
  const auto all = static_cast<double>(data.size());
  SquareMatrix covariance(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      covariance[i][j] = i == j ? 1 : 0;
      if (data[inlier[i]].commit == data[inlier[j]].commit) covariance[i][j] += offset * offset;
      for (int wave = 0; wave < 3; ++wave) {
        const double frequency = (wave + 0.5) * std::numbers::pi;
        const auto at = [&](std::size_t k) {
          return std::sqrt(2) * std::sin(frequency * (static_cast<double>(inlier[k]) + 0.5) / all) / frequency;
        };
        covariance[i][j] += drift * drift * all * at(i) * at(j);
      }
    }
  SquareMatrix inverse;
  const double log_determinant = invert(covariance, inverse);
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) sum += a[i] * inverse[i][j] * b[j];
    return sum;
  };
  std::vector<double> y(n), step(n);
  const std::vector<double> one(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = std::log(data[inlier[i]].value);
    step[i] = culprit != 0 && data[inlier[i]].commit >= culprit ? 1 : 0;
  }
  const double oo = product(one, one), oy = product(one, y), os = product(one, step);
  const double yy = product(y, y), ys = product(y, step), ss = product(step, step);
  double total = 0;
  constexpr double kLogStep = 0.1;
  for (double log_sigma = -9; log_sigma < 1; log_sigma += kLogStep) {
    const double sigma = std::exp(log_sigma);
    // IG(0.5, 0.5 0.0005^2) of sigma^2, over log sigma; the flat level is integrated out.
    const double relative = offset * sigma / 0.03;
    const double weight = std::pow(1 + relative * relative, -2) * std::pow(sigma, -1) *
                          std::exp(-0.5 * 2.5e-7 / (sigma * sigma)) * std::pow(sigma, -(static_cast<double>(n) - 1));
    const auto fit = [&](double d) {
      const double rest = yy - 2 * d * ys + d * d * ss - (oy - d * os) * (oy - d * os) / oo;
      return std::exp(-rest / (2 * sigma * sigma));
    };
    if (culprit == 0) {
      total += weight * fit(0);
      continue;
    }
    double over_d = 0;
    for (const auto& [x, share] : prior_of_steps()) over_d += share * fit(x * sigma);
    total += weight * over_d;
  }
  return total * std::exp(-log_determinant / 2) / std::sqrt(oo) *
         std::pow(2 * std::numbers::pi, -static_cast<double>(n) / 2);
}

double evidence(const std::vector<CommitValue>& data, std::size_t culprit) {
  double total = 0;
  for (unsigned subset = 1; subset < 1u << data.size(); ++subset) {
    std::vector<std::size_t> inlier;
    for (std::size_t i = 0; i < data.size(); ++i)
      if (subset >> i & 1) inlier.push_back(i);
    const auto disturbed = static_cast<double>(data.size() - inlier.size());
    // Each within a range of ln 2; q Beta(1, 9).
    const double prior =
        std::pow(std::numbers::ln2, -disturbed) * std::beta(1 + disturbed, 9 + static_cast<double>(inlier.size()));
    for (const double drift : {0.01, 0.1, 0.4})
      for (const double offset : {0.0, 0.4, 1.0, 2.5, 10.0})
        total += prior * (offset > 0 ? 0.075 : 0.7) / 3 * evidence_of(data, inlier, culprit, drift, offset);
  }
  return total;
}

/// A machine that is slower by up to `most` for a few processes in a row, half of the time.
struct Busy {
  Random random{1};
  bool slow = false;

  double uniform() { return static_cast<double>(random.below(1 << 20)) / (1 << 20); }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  double measure(double level) {
    if (uniform() < 0.2) slow = !slow;
    return level * std::exp(0.015 * normal() + (slow ? 0.1 + 0.35 * uniform() : 0));
  }
};

/// A search to its end among 40 commits, which has to name the 27th. `measure`: of a commit that is slow or not, after
/// so many measurements.
template <typename Measure>
void expect_27_of_40(std::uint64_t seed, const Measure& measure) {
  CulpritSearch search(40);
  while (search.measurements() < 300 && !search.is_null(0.99) && !search.has_culprit(0.99)) {
    const std::size_t commit = search.next(no_cost(40), 1);
    search.add(commit, measure(commit >= 27, search.measurements()));
  }
  EXPECT_TRUE(search.has_culprit(0.99)) << seed << ": " << search.posterior().null;
  EXPECT_EQ(search.posterior().likeliest.first, 27u) << seed;
}

}  // namespace

TEST(Culprit, has_the_posterior_of_its_model) {
  for (const double disturbed : {101.5, 125.0}) {
    const std::vector<CommitValue> data{{0, 100}, {6, 103}, {6, 104.5}, {0, 101}, {3, disturbed}, {5, 102.5}};
    const CulpritSearch search = after(6, data);
    // No value tells the culprits 1 to 3 apart, nor 4 from 5: the step is between the same values.
    const double of_3 = evidence(data, 3) / 6, of_5 = evidence(data, 5) / 6, of_6 = evidence(data, 6) / 6;
    const std::vector<double> expected{evidence(data, 0), of_3, of_3, of_3, of_5, of_5, of_6};
    const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
    // The estimate is a bound of each hypothesis' evidence, not the evidence.
    EXPECT_NEAR(search.posterior().null, expected[0] / total, 0.03) << disturbed;
    for (std::size_t k = 1; k <= 6; ++k)
      EXPECT_NEAR(search.posterior().culprit[k], expected[k] / total, 0.03) << disturbed << ", " << k;
  }
}

TEST(Culprit, is_unknown_before_the_first_measurement) {
  const CulpritSearch search(4);
  EXPECT_DOUBLE_EQ(search.posterior().null, 0.5);
  EXPECT_DOUBLE_EQ(search.posterior().culprit[3], 0.125);
  EXPECT_FALSE(search.has_culprit(0.5));
}

TEST(Culprit, is_found_immediately_without_noise) {
  CulpritSearch search(100);
  std::size_t measurements = 0;
  while (!search.has_culprit(0.99) && measurements < 100) {
    const std::size_t commit = search.next(no_cost(100), 1);
    search.add(commit, commit >= 37 ? 1040 : 1000);
    ++measurements;
  }
  EXPECT_EQ(search.posterior().likeliest.first, 37u);
  EXPECT_EQ(search.posterior().likeliest.last, 37u);
  EXPECT_NEAR(search.posterior().ratio, 1.04, 0.003);
  EXPECT_LT(measurements, 25u);
}

TEST(Culprit, is_found_for_any_large_effect_and_small_noise) {
  for (const double noise : {0.0, 0.0003, 0.001, 0.005})
    for (const double effect : {1.1, 2.0, 10.0}) {
      Busy inlier;
      CulpritSearch search(6);
      while (search.measurements() < 60 && !search.has_culprit(0.99) && !search.is_null(0.99)) {
        const std::size_t commit = search.next(no_cost(6), 1);
        search.add(commit, (commit >= 4 ? effect : 1) * std::exp(noise * inlier.normal()));
      }
      EXPECT_TRUE(search.has_culprit(0.99)) << noise << ", " << effect << ": " << search.posterior().null;
      EXPECT_EQ(search.posterior().likeliest.first, 4u) << noise << ", " << effect;
      EXPECT_NEAR(search.posterior().ratio, effect, 0.02 * effect) << noise;
    }
}

TEST(Culprit, is_none_when_all_values_are_equal) {
  CulpritSearch search(10);
  std::size_t measurements = 0;
  while (!search.is_null(0.99) && measurements++ < 200) search.add(search.next(no_cost(10), 1), 5);
  EXPECT_TRUE(search.is_null(0.99));
}

TEST(Culprit, does_not_depend_on_the_unit) {
  const std::vector<CommitValue> data{{0, 10}, {4, 10.4}, {4, 10.5}, {0, 10.1}, {2, 10.2}};
  std::vector<CommitValue> other = data;
  for (CommitValue& datum : other) datum.value *= 1e-6;
  EXPECT_NEAR(after(4, data).posterior().culprit[3], after(4, other).posterior().culprit[3], 1e-9);
}

TEST(Culprit, is_not_a_commit_next_to_a_disturbed_process) {
  const std::vector<CommitValue> data{{0, 100}, {8, 103}, {8, 103.2}, {0, 100.3}, {0, 99.8}, {8, 102.9},
                                      {4, 100}, {6, 103}, {5, 100.1}, {4, 99.9},  {6, 103.1}};
  std::vector<CommitValue> disturbed = data;
  disturbed.push_back({2, 140});
  disturbed.push_back({2, 100});
  EXPECT_EQ(after(8, data).posterior().likeliest.first, 6u);
  EXPECT_EQ(after(8, disturbed).posterior().likeliest.first, 6u);
  EXPECT_TRUE(after(8, disturbed).has_culprit(0.9));
}

TEST(Culprit, is_found_while_half_of_all_processes_are_disturbed) {
  // Good 12.0, bad 13.4: measured on a machine that was busy with other work.
  const CulpritSearch search =
      after(1, {{0, 23.4}, {1, 13.5}, {1, 14.5}, {0, 12.1}, {0, 11.8},  {1, 22.9},  {1, 67.6}, {0, 71.2}, {0, 550},
                {1, 13.4}, {1, 25.7}, {0, 15.3}, {0, 25.3}, {1, 13.44}, {1, 51},    {0, 12},   {0, 12.2}, {1, 13.4},
                {1, 13.3}, {0, 11.9}, {0, 12.5}, {1, 13.3}, {1, 13.3},  {0, 11.95}, {0, 12.24}});
  EXPECT_TRUE(search.has_culprit(0.99)) << search.posterior().null;
  EXPECT_NEAR(search.posterior().ratio, 1.11, 0.03);
}

TEST(Culprit, is_found_on_a_machine_that_is_slower_half_of_the_time) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Busy busy{.random = Random(seed)};
    expect_27_of_40(seed, [&](bool slow, std::size_t) { return busy.measure(slow ? 104 : 100); });
  }
}

/// A program with two times, 90 % apart, whatever the commit.
double on_two_levels(double level, std::mt19937_64& random) {
  const bool upper = std::bernoulli_distribution()(random);
  return level * (upper ? 1.9 : 1) * std::exp(std::normal_distribution(0.0, 0.01)(random));
}

TEST(Culprit, is_found_though_each_commit_has_two_levels) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 random(seed);
    CulpritSearch search(32);
    while (!search.has_culprit(0.99) && search.measurements() < 100) {
      const std::size_t commit = search.next(no_cost(32), 1);
      search.add(commit, on_two_levels(commit >= 21 ? 104 : 100, random));
    }
    EXPECT_EQ(search.posterior().likeliest.first, 21u) << seed;
    EXPECT_NEAR(search.posterior().ratio, 1.04, 0.02) << seed;
    EXPECT_NEAR(search.posterior().levels, 1.9, 0.1) << seed;
  }
}

TEST(Culprit, is_no_commit_where_only_the_levels_differ) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    CulpritSearch search(1);
    for (std::size_t i = 0; i < 60; ++i) search.add(i % 2, on_two_levels(100, random));
    EXPECT_FALSE(search.has_culprit(0.9)) << seed;
    EXPECT_NEAR(search.posterior().ratio, 1, 0.02) << seed;
    EXPECT_NEAR(search.posterior().upper_share, 0.5, 0.25) << seed;
  }
}

TEST(Culprit, that_doubles_the_time_is_not_taken_for_a_second_level) {
  std::mt19937_64 random(1);
  CulpritSearch search(32);
  while (!search.has_culprit(0.99) && search.measurements() < 40) {
    const std::size_t commit = search.next(no_cost(32), 1);
    search.add(commit, (commit >= 21 ? 190 : 100) * std::exp(std::normal_distribution(0.0, 0.01)(random)));
  }
  EXPECT_TRUE(search.has_culprit(0.99));
  EXPECT_EQ(search.posterior().likeliest.first, 21u);
  EXPECT_EQ(search.posterior().levels, 1);
  EXPECT_LT(search.measurements(), 25u);
}

TEST(Culprit, is_not_ruled_out_while_noise_could_hide_it) {
  // The noise is five times the effect: so few measurements mostly show no difference.
  Busy busy;
  CulpritSearch search(1);
  for (int i = 0; i < 40; ++i) search.add(i % 4 == 1 || i % 4 == 2 ? 1 : 0, 100 * std::exp(0.2 * busy.normal()));
  EXPECT_GT(search.posterior().null, 0.9);
  EXPECT_GT(search.posterior().most, 1.04);
  EXPECT_FALSE(search.is_null(0.9));
}

TEST(Culprit, is_not_reported_for_a_drift_of_the_machine) {
  // Both ends rise by 4 % over the session and are measured alternately; the commits between them are measured late.
  CulpritSearch search(4);
  for (int i = 0; i < 12; ++i) search.add(i % 4 == 0 || i % 4 == 3 ? 0 : 4, 100 * (1 + 0.0033 * i) + 0.1 * (i * 7 % 5));
  for (int i = 12; i < 15; ++i) search.add(2, 100 * (1 + 0.0033 * i) + 0.1 * (i * 7 % 5));
  EXPECT_GT(search.posterior().null, 0.5);
}

TEST(Culprit, is_found_on_a_machine_that_drifts_by_more_than_the_effect) {
  // Twice the effect, three times the noise, in 60 measurements.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Busy noise{.random = Random(seed)};
    expect_27_of_40(seed, [&](bool slow, std::size_t measured) {
      const double drift = 1 + 0.06 * static_cast<double>(measured) / 60;
      return (slow ? 103 : 100) * drift * std::exp(0.02 * noise.normal());
    });
  }
}

TEST(Culprit, is_reported_as_a_range_with_commits_that_cannot_be_measured) {
  CulpritSearch search =
      after(8, {{0, 100}, {8, 110}, {8, 110.1}, {0, 100.1}, {0, 99.9}, {8, 110.2}, {3, 100}, {6, 110}});
  search.skip(4);
  search.skip(5);
  const SuspectRange& group = search.posterior().likeliest;
  EXPECT_EQ(group.first, 4u);
  EXPECT_EQ(group.last, 6u);
  EXPECT_TRUE(search.has_culprit(0.99));
  EXPECT_DOUBLE_EQ(search.posterior().culprit[4], search.posterior().culprit[6]);
}

TEST(Culprit, is_not_among_commits_with_equal_executables) {
  CulpritSearch search(8);
  search.same(0, 3);
  search.same(5, 8);
  EXPECT_EQ(search.posterior().culprit[3], 0);
  EXPECT_EQ(search.posterior().culprit[6], 0);
  EXPECT_GT(search.posterior().culprit[5], 0);
  search.skip(4);
  EXPECT_EQ(search.posterior().likeliest.first, 4u);
  EXPECT_EQ(search.posterior().likeliest.last, 5u);
  search.same(0, 8);
  EXPECT_TRUE(search.is_null(0.99));
}

TEST(Culprit, ignores_earlier_measurements_of_a_skipped_commit) {
  const std::vector<CommitValue> data{{0, 100}, {4, 104}, {4, 104.1}, {0, 100.1}};
  CulpritSearch search = after(4, data);
  const double before = search.posterior().culprit[2];
  search.add(2, 150);
  search.skip(2);
  EXPECT_DOUBLE_EQ(search.posterior().culprit[2], before);
  EXPECT_EQ(search.measurements(), 4u);
}

TEST(Culprit, is_a_set_of_commits_where_layout_hides_it) {
  // Offsets of 1 % for each commit, a step of 3 %, noise of 0.5 %.
  int wrong = 0, sets = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Busy noise{.random = Random(seed)};
    std::vector<double> level;
    for (std::size_t k = 0; k <= 32; ++k) level.push_back((k < 13 ? 100 : 103) * std::exp(0.01 * noise.normal()));
    CulpritSearch search(32);
    while (search.measurements() < 500 && !search.has_culprit(0.99) && !search.is_exhausted()) {
      const std::size_t commit = search.next(no_cost(32), 1);
      search.add(commit, level[commit] * std::exp(0.005 * noise.normal()));
    }
    EXPECT_LT(search.measurements(), 500u) << seed;
    wrong += search.has_culprit(0.99) && search.posterior().likeliest.first != 13;
    if (search.has_culprit(0.99)) continue;
    ++sets;
    EXPECT_GT(search.posterior().culprit[13], 0.005) << seed;
    EXPECT_NEAR(search.posterior().offset * search.posterior().noise, 0.01, 0.006) << seed;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(sets, 4);
}

TEST(Culprit, is_told_from_the_layout_of_two_builds_by_no_number_of_measurements) {
  Busy noise;
  CulpritSearch search(1);
  for (int i = 0; i < 400 && !search.is_exhausted(); ++i)
    search.add(i % 4 == 1 || i % 4 == 2 ? 1 : 0,
               (i % 4 == 1 || i % 4 == 2 ? 101 : 100) * std::exp(0.003 * noise.normal()));
  EXPECT_TRUE(search.is_exhausted());
  EXPECT_FALSE(search.has_culprit(0.99));
}

TEST(Culprit, is_told_from_layout_by_several_links_of_each_build) {
  // The same offsets as above, of each link: a mean of four has half of them.
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Busy noise{.random = Random(seed)};
    std::vector<double> level;
    for (std::size_t k = 0; k < 4 * 33; ++k)
      level.push_back((k / 4 < 13 ? 100 : 103) * std::exp(0.01 * noise.normal()));
    CulpritSearch search(32);
    while (search.measurements() < 500 && !search.has_culprit(0.99) && !search.is_exhausted()) {
      const std::size_t commit = search.next(no_cost(32), 1), link = search.measurements(commit) % 4;
      search.add(commit, level[4 * commit + link] * std::exp(0.005 * noise.normal()), link + 1);
    }
    EXPECT_LT(search.measurements(), 500u) << seed;
    if (!search.has_culprit(0.99)) continue;
    ++found;
    EXPECT_EQ(search.posterior().likeliest.first, 13u) << seed;
  }
  EXPECT_GE(found, 3);
}

TEST(Culprit, is_not_a_neighbour_where_rounding_hides_the_noise) {
  // The unit of the last digit is two sigma of the noise: most values of a level are equal.
  int wrong = 0, named = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Busy noise{.random = Random(seed)};
    const std::size_t culprit = 1 + seed % 32;
    CulpritSearch search(32);
    while (search.measurements() < 200 && !search.has_culprit(0.99) && !search.is_exhausted()) {
      const std::size_t commit = search.next(no_cost(32), 1);
      search.add(commit, std::round((commit < culprit ? 100 : 110) * std::exp(0.005 * noise.normal())));
    }
    named += search.has_culprit(0.99);
    wrong += search.has_culprit(0.99) && search.posterior().likeliest.first != culprit;
  }
  EXPECT_GE(named, 39);
  EXPECT_EQ(wrong, 0);
}

/// How many of 12 searches among 32 commits name a culprit wrongly, with noise of `noise` and values rounded to a
/// multiple of `unit`. The level begins anywhere within a unit from 100 on, and rises by `step` at the culprit.
int wrong_names_of_rounded(double noise, double unit, double step) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Busy random{.random = Random(seed)};
    const double start = 100 + unit * random.uniform();
    const std::size_t culprit = step > 0 ? 1 + seed % 32 : 0;
    CulpritSearch search(32);
    while (search.measurements() < 100 && !search.is_null(0.99) && !search.has_culprit(0.99) &&
           !search.is_exhausted()) {
      const std::size_t commit = search.next(no_cost(32), 1);
      const double level = commit >= culprit ? start * (1 + step) : start;
      search.add(commit, unit * std::round(level * std::exp(noise * random.normal()) / unit));
    }
    wrong += search.has_culprit(0.99) && search.posterior().likeliest.first != culprit;
  }
  return wrong;
}

TEST(Culprit, is_not_named_wrongly_where_half_of_the_values_are_equal) {
  // A clock of whole milliseconds, at 10 ms.
  EXPECT_LE(wrong_names_of_rounded(0.074, 10, 0.1), 1);
  // The tick of a clock is no power of ten.
  EXPECT_LE(wrong_names_of_rounded(0.0062, 1 / 1.2, 0.01), 1);
}

TEST(Culprit, has_at_least_the_noise_that_rounding_hides) {
  // Half a unit, of a printed number and of a clock that has shown two of its ticks.
  EXPECT_GE(after(2, {{0, 100}, {0, 100}, {2, 100}, {2, 101}}).posterior().noise, 0.005);
  EXPECT_GE(after(2, {{0, 70}, {0, 80}, {2, 70}, {2, 70}}).posterior().noise, 0.05);
  const double tick = 1.0 / 3;
  EXPECT_GE(after(2, {{0, 30 * tick}, {0, 30 * tick}, {2, 31 * tick}, {2, 30 * tick}}).posterior().noise, 0.5 / 31);
  // Without a sign of rounding, values may be exact.
  EXPECT_LT(after(2, {{0, 100.0001}, {0, 100.0001}, {2, 104.1667}, {2, 104.1667}}).posterior().noise, 0.005);
}

TEST(Culprit, search_is_not_exhausted_by_commits_that_cannot_be_measured) {
  Busy noise;
  CulpritSearch search(40);
  for (const std::size_t commit : {5u, 22u, 23u, 30u}) search.skip(commit);
  while (search.measurements() < 300 && !search.has_culprit(0.99) && !search.is_exhausted()) {
    const std::size_t commit = search.next(no_cost(40), 1);
    search.add(commit, (commit >= 23 ? 104 : 100) * std::exp(0.01 * noise.normal()));
  }
  EXPECT_TRUE(search.has_culprit(0.99));
  EXPECT_EQ(search.posterior().likeliest.first, 22u);
  EXPECT_EQ(search.posterior().likeliest.last, 24u);
}

TEST(NextMeasurement, is_of_the_ends_first_and_evenly_under_drift) {
  CulpritSearch search(100);
  std::vector<std::size_t> chosen;
  for (int i = 0; i < 6; ++i) {
    chosen.push_back(search.next(no_cost(100), 1));
    search.add(chosen.back(), chosen.back() == 0 ? 100.001 : 110.001);
  }
  EXPECT_EQ(chosen, (std::vector<std::size_t>{0, 100, 100, 0, 0, 100}));
  EXPECT_NEAR(static_cast<double>(search.next(no_cost(100), 1)), 50, 5);
}

TEST(NextMeasurement, is_of_the_ends_for_longer_if_they_are_close) {
  CulpritSearch search(100);
  int ends = 0;
  for (int i = 0; i < 11; ++i) {
    const std::size_t commit = search.next(no_cost(100), 1);
    ends += commit == 0 || commit == 100;
    search.add(commit, 100 + i % 4 + (commit < 69 ? 0 : 2.5));
  }
  EXPECT_GE(ends, 10);
  EXPECT_FALSE(search.has_culprit(0.5));
}

TEST(NextMeasurement, builds_nothing_while_the_ends_may_be_equal) {
  std::mt19937 random(4);
  std::normal_distribution<double> noise(0, 0.01);
  for (int trial = 0; trial < 20; ++trial) {
    CulpritSearch search(30);
    std::vector<double> build_seconds(31, 100);
    build_seconds.front() = build_seconds.back() = 0;
    while (!search.is_null(0.95) && search.measurements() < 24) {
      const std::size_t commit = search.next(build_seconds, 10);
      if (search.posterior().null > 0.5) {
        EXPECT_TRUE(commit == 0 || commit == 30) << search.measurements();
      }
      build_seconds[commit] = 0;
      search.add(commit, 100 * std::exp(noise(random)));
    }
  }
}

TEST(NextMeasurement, prefers_a_built_commit_to_a_new_build) {
  CulpritSearch search =
      after(100, {{0, 100.01}, {100, 104}, {100, 105.93}, {0, 102}, {0, 101.17}, {100, 104.8}, {45, 104.07}});
  std::vector<double> build_seconds(101, 600);
  for (const std::size_t built : {0u, 45u, 100u}) build_seconds[built] = 0;
  const std::size_t next = search.next(build_seconds, 1);
  EXPECT_EQ(build_seconds[next], 0) << next;
  const std::size_t free_choice = search.next(no_cost(100), 1);
  EXPECT_GT(free_choice, 1u);
  EXPECT_LT(free_choice, 99u);
}

TEST(NextMeasurement, is_never_of_a_skipped_commit) {
  CulpritSearch search = after(8, {{0, 100}, {8, 110}, {8, 111}, {0, 101}, {0, 100}, {8, 111}});
  for (std::size_t commit = 1; commit < 8; ++commit) {
    search.skip(commit);
    EXPECT_FALSE(search.skipped(search.next(no_cost(8), 1)));
  }
  EXPECT_EQ(search.posterior().likeliest.last, 8u);
}

TEST(Information, is_at_most_that_of_the_question) {
  EXPECT_EQ(information(0, 2), 0);
  EXPECT_EQ(information(1, 2), 0);
  EXPECT_NEAR(information(0.5, 0), 0, 1e-12);
  EXPECT_NEAR(information(0.5, 30), std::numbers::ln2, 1e-9);
  // The capacity of a binary channel with normal noise, at +-1 sigma: 0.4859 bits.
  EXPECT_NEAR(information(0.5, 2), 0.4859 * std::numbers::ln2, 2e-4);
  EXPECT_NEAR(information(0.2, 1.5), information(0.8, 1.5), 1e-12);
}

}  // namespace lab::stats
