#include "harness/simulate/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "harness/simulate/draw.h"

namespace lab::simulate {

namespace {

constexpr double kSigma = 0.02;                                     // relative
constexpr double kUpper = 1.05, kUpperShare = 0.3, kNarrow = 0.01;  // two levels, and the noise around each
constexpr double kOutlier = 1.3, kOutlierShare = 0.05;
/// Median absolute deviation of the standard normal distribution: its 0.75 quantile.
constexpr double kNormalMad = 0.6744897501960817;

/// A Draw with these parameters.
template <auto draw, auto... parameters>
std::vector<double> with(NormalRandom& random, std::size_t count) {
  return draw(random, count, parameters...);
}

std::vector<double> draw_two_levels(NormalRandom& random, std::size_t count) {
  constexpr std::array<Part, 2> kParts{{{kUpperShare, kUpper}, {1 - kUpperShare, 1}}};
  return draw_mixture(random, count, kNarrow, kParts);
}

std::vector<double> draw_three_levels(NormalRandom& random, std::size_t count) {
  constexpr std::array<Part, 3> kParts{{{0.3, 1.05}, {0.2, 1.1}, {0.5, 1}}};
  return draw_mixture(random, count, kNarrow, kParts);
}

std::vector<double> draw_outliers(NormalRandom& random, std::size_t count) {
  constexpr std::array<Part, 2> kParts{{{kOutlierShare, kOutlier}, {1 - kOutlierShare, 1}}};
  return draw_mixture(random, count, kSigma, kParts);
}

std::vector<double> draw_small_outliers(NormalRandom& random, std::size_t count) {
  constexpr std::array<Part, 2> kParts{{{0.04, 1.25}, {0.96, 1}}};
  return draw_mixture(random, count, kSigma, kParts);
}

/// Density of a normal distribution with mean `level` and standard deviation `sigma * level`.
double normal_density(double x, double level, double sigma) {
  const double z = (x / level - 1) / sigma;
  return std::exp(-z * z / 2) / (sigma * level * std::sqrt(2 * std::numbers::pi));
}

double log_of(double density) {
  return std::max(kLeastLogDensity, std::log(density));
}

double log_density_of_normal(double x) {
  return log_of(normal_density(x, kLevel, kSigma));
}

double log_density_of_log_normal(double x) {
  if (x <= 0) return kLeastLogDensity;
  const double z = std::log(x / kLevel);
  return std::max(kLeastLogDensity, -z * z / 2 - std::log(x * std::sqrt(2 * std::numbers::pi)));
}

double log_density_of_two_levels(double x) {
  return log_of((1 - kUpperShare) * normal_density(x, kLevel, kNarrow) +
                kUpperShare * normal_density(x, kUpper * kLevel, kNarrow));
}

double log_density_of_outliers(double x) {
  return log_of((1 - kOutlierShare) * normal_density(x, kLevel, kSigma) +
                kOutlierShare * normal_density(x, kOutlier * kLevel, kSigma));
}

/// 1.4826 MAD of a kind's distribution, estimated from a long series.
double robust_sigma(Draw draw) {
  NormalRandom random(1);
  std::vector<double> values = draw(random, 200'001);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double median = *middle;
  for (double& value : values) value = std::abs(value - median);
  std::nth_element(values.begin(), middle, values.end());
  return *middle / kNormalMad;
}

}  // namespace

double NormalRandom::uniform() {
  return static_cast<double>(random_.next() >> 11) * 0x1p-53;
}

double NormalRandom::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::span<const Noise> noises() {
  constexpr Draw kNormal = with<draw_normal, kSigma>, kLogNormal = with<draw_log_normal, 1.0>,
                 kAutoregressive = with<draw_autoregressive, kSigma, 0.5>;
  static const std::array<Noise, 5> all{{
      {"normal", robust_sigma(kNormal), kNormal, log_density_of_normal},
      {"log-normal", robust_sigma(kLogNormal), kLogNormal, log_density_of_log_normal},
      {"AR(1)", robust_sigma(kAutoregressive), kAutoregressive, nullptr},
      {"two levels", robust_sigma(draw_two_levels), draw_two_levels, log_density_of_two_levels},
      {"outliers", robust_sigma(draw_outliers), draw_outliers, log_density_of_outliers},
  }};
  return all;
}

std::span<const DrawnNoise> further_noises() {
  static constexpr std::array<DrawnNoise, 7> kAll{{
      {"AR(1) with 0.3", with<draw_autoregressive, kSigma, 0.3>},
      {"AR(1) with 0.8", with<draw_autoregressive, kSigma, 0.8>},
      {"moving mean of 5", with<draw_moving_mean, kSigma, std::size_t{5}>},
      {"t with 2", with<draw_student_t, kSigma, 2>},
      {"Laplace", with<draw_laplace, kSigma>},
      {"three levels", draw_three_levels},
      {"rounded", with<draw_rounded, kSigma>},
  }};
  return kAll;
}

std::span<const DrawnNoise> tuning_noises() {
  static constexpr std::array<DrawnNoise, 9> kAll{{
      {"sums of four uniform numbers", with<draw_uniform_sum, kSigma>},
      {"log-normal 0.8", with<draw_log_normal, 0.8>},
      {"t with 3", with<draw_student_t, kSigma, 3>},
      {"gamma with 2", with<draw_gamma, kSigma>},
      {"outliers of +25 %", draw_small_outliers},
      {"AR(1) with 0.4", with<draw_autoregressive, kSigma, 0.4>},
      {"AR(1) with 0.6", with<draw_autoregressive, kSigma, 0.6>},
      {"AR(1) with 0.75", with<draw_autoregressive, kSigma, 0.75>},
      {"moving mean of 4", with<draw_moving_mean, kSigma, std::size_t{4}>},
  }};
  return kAll;
}

}  // namespace lab::simulate
