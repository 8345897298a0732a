#include "harness/simulate/draw.h"

#include <cmath>

#include "harness/simulate/noise.h"

namespace lab::simulate {

namespace {

template <typename Next>
std::vector<double> series(std::size_t count, Next next) {
  std::vector<double> values(count);
  for (double& value : values) value = next();
  return values;
}

double exponential(NormalRandom& random) {
  return -std::log(1 - random.uniform());
}

}  // namespace

std::vector<double> draw_normal(NormalRandom& random, std::size_t count, double sigma) {
  return series(count, [&] { return kLevel * (1 + sigma * random.normal()); });
}

std::vector<double> draw_rounded(NormalRandom& random, std::size_t count, double sigma) {
  return series(count, [&] { return kLevel * (1 + sigma * std::round(random.normal())); });
}

std::vector<double> draw_log_normal(NormalRandom& random, std::size_t count, double sigma) {
  return series(count, [&] { return kLevel * std::exp(sigma * random.normal()); });
}

std::vector<double> draw_laplace(NormalRandom& random, std::size_t count, double sigma) {
  return series(count, [&] {
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    return kLevel * (1 + sigma / std::sqrt(2.0) * sign * exponential(random));
  });
}

std::vector<double> draw_student_t(NormalRandom& random, std::size_t count, double sigma, int freedom) {
  return series(count, [&] {
    const double numerator = random.normal();
    double squares = 0;
    for (int i = 0; i < freedom; ++i) {
      const double normal = random.normal();
      squares += normal * normal;
    }
    return kLevel * (1 + sigma * numerator / std::sqrt(squares / freedom));
  });
}

std::vector<double> draw_gamma(NormalRandom& random, std::size_t count, double sigma) {
  return series(count, [&] {
    const double sum = exponential(random) + exponential(random);
    return kLevel * (1 + sigma / std::sqrt(2.0) * sum);
  });
}

std::vector<double> draw_uniform_sum(NormalRandom& random, std::size_t count, double sigma) {
  return series(count, [&] {
    double sum = -2;
    for (int i = 0; i < 4; ++i) sum += random.uniform();
    return kLevel * (1 + sigma * std::sqrt(3.0) * sum);  // the variance of such a sum is 4 / 12
  });
}

std::vector<double> draw_autoregressive(NormalRandom& random, std::size_t count, double sigma, double rho) {
  double state = random.normal();
  return series(count, [&] {
    const double value = kLevel * (1 + sigma * state);
    state = rho * state + std::sqrt(1 - rho * rho) * random.normal();
    return value;
  });
}

std::vector<double> draw_moving_mean(NormalRandom& random, std::size_t count, double sigma, std::size_t points) {
  std::vector<double> last(points);
  for (double& normal : last) normal = random.normal();
  std::size_t oldest = 0;
  return series(count, [&] {
    double sum = 0;
    for (const double normal : last) sum += normal;
    last[oldest] = random.normal();
    oldest = (oldest + 1) % points;
    return kLevel * (1 + sigma * sum / std::sqrt(static_cast<double>(points)));
  });
}

std::vector<double> draw_mixture(NormalRandom& random, std::size_t count, double sigma, std::span<const Part> parts) {
  return series(count, [&] {
    double left = random.uniform();
    std::size_t part = 0;
    while (part + 1 < parts.size() && left >= parts[part].share) left -= parts[part++].share;
    return kLevel * parts[part].ratio * (1 + sigma * random.normal());
  });
}

std::vector<double> draw_staying(NormalRandom& random, std::size_t count, double sigma, double ratio, double stay) {
  bool upper = random.uniform() < 0.5;
  return series(count, [&] {
    const double level = upper ? ratio * kLevel : kLevel;
    if (random.uniform() >= stay) upper = !upper;
    return level * (1 + sigma * random.normal());
  });
}

}  // namespace lab::simulate
