#include "harness/simulate/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace lab::simulate {

namespace {

constexpr double kLevel = 100;
constexpr double kSigma = 0.02;                                     // relative
constexpr double kUpper = 1.05, kUpperShare = 0.3, kNarrow = 0.01;  // two levels, and the noise around each
constexpr double kOutlier = 1.3, kOutlierShare = 0.05;
/// Median absolute deviation of the standard normal distribution: its 0.75 quantile.
constexpr double kNormalMad = 0.6744897501960817;

template <typename Next>
std::vector<double> series(std::size_t count, Next next) {
  std::vector<double> values(count);
  for (double& value : values) value = next();
  return values;
}

std::vector<double> draw_normal(NormalRandom& random, std::size_t count) {
  return series(count, [&] { return kLevel * (1 + kSigma * random.normal()); });
}

std::vector<double> draw_log_normal(NormalRandom& random, std::size_t count) {
  return series(count, [&] { return kLevel * std::exp(random.normal()); });
}

std::vector<double> draw_autoregressive(NormalRandom& random, std::size_t count) {
  constexpr double kRho = 0.5;
  double state = random.normal();
  return series(count, [&] {
    const double value = kLevel * (1 + kSigma * state);
    state = kRho * state + std::sqrt(1 - kRho * kRho) * random.normal();
    return value;
  });
}

std::vector<double> draw_two_levels(NormalRandom& random, std::size_t count) {
  return series(count, [&] {
    return kLevel * (random.uniform() < kUpperShare ? kUpper : 1.0) * (1 + kNarrow * random.normal());
  });
}

std::vector<double> draw_outliers(NormalRandom& random, std::size_t count) {
  return series(count, [&] {
    return kLevel * (random.uniform() < kOutlierShare ? kOutlier : 1.0) * (1 + kSigma * random.normal());
  });
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
double robust_sigma(std::vector<double> (*draw)(NormalRandom&, std::size_t)) {
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
  static const std::array<Noise, 5> all{{
      {"normal", robust_sigma(draw_normal), draw_normal, log_density_of_normal},
      {"log-normal", robust_sigma(draw_log_normal), draw_log_normal, log_density_of_log_normal},
      {"AR(1)", robust_sigma(draw_autoregressive), draw_autoregressive, nullptr},
      {"two levels", robust_sigma(draw_two_levels), draw_two_levels, log_density_of_two_levels},
      {"outliers", robust_sigma(draw_outliers), draw_outliers, log_density_of_outliers},
  }};
  return all;
}

}  // namespace lab::simulate
