#include "harness/stats/density.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

// Chosen with the constants of change_points.cpp.
constexpr double kBandwidth = 1.06 * 2.62;  // Silverman's rule for a normal kernel, times the biweight's equivalent
constexpr double kLeastBandwidth = 0.08;
constexpr double kUnseenWidth = 4;  // of the Cauchy distribution, in sigma
constexpr double kMostSkew = 1.5;   // for a log-normal distribution, its sigma
constexpr double kLeastSkew = 0.1;
constexpr double kSkewPrice = 1;                // nats of log-likelihood that a transformation must gain
constexpr double kEdge = 0.02;                  // below, the shifted logarithm continues as a line
constexpr double kDecile = 1.2815515655446004;  // of the standard normal distribution
constexpr double kFarthest = 1e9;               // in scales: larger distances count as this one
constexpr double kCutOff = 2.5;
constexpr double kLeastSigma = 1e-150;  // its square and kWidest / kLeastSigma are finite

// The transformed axis is cut into cells from -kEnd to kEnd: asinh(t / 2), so 1800 sigma.
constexpr double kEnd = 7.5;

double biweight(double distance) {
  const double rest = 1 - distance * distance;
  return rest > 0 ? 0.9375 * rest * rest : 0;
}

double unseen_weight(std::size_t count) {
  return 1 / static_cast<double>(count + 1);
}

constexpr std::size_t kCells = Density::kCells;
constexpr double kStep = 2 * kEnd / (kCells - 1);

double interpolated(std::span<const double> cells, double at) {
  const double rank = std::clamp((at + kEnd) / kStep, 0.0, static_cast<double>(kCells - 1) - 1e-9);
  const auto below = static_cast<std::size_t>(rank);
  const double part = rank - static_cast<double>(below);
  return cells[below] + part * (cells[below + 1] - cells[below]);
}

/// The Cauchy distribution on the transformed axis.
std::span<const double> unseen() {
  static const std::array<double, kCells> cells = [] {
    std::array<double, kCells> all{};
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const double at = -kEnd + kStep * static_cast<double>(cell);
      const double t = 2 * std::sinh(at) / kUnseenWidth;
      all[cell] = 2 * std::cosh(at) / (std::numbers::pi * kUnseenWidth * (1 + t * t));
    }
    return all;
  }();
  return cells;
}

/// Its logarithm.
std::span<const double> log_unseen() {
  static const std::array<double, kCells> cells = [] {
    std::array<double, kCells> all{};
    std::ranges::transform(unseen(), all.begin(), [](double density) { return std::log(density); });
    return all;
  }();
  return cells;
}

}  // namespace

double robust_sigma(std::span<const double> ascending) {
  const double quarters = (sorted_quantile(ascending, 0.75) - sorted_quantile(ascending, 0.25)) / 1.349;
  const double tenths = (sorted_quantile(ascending, 0.9) - sorted_quantile(ascending, 0.1)) / (2 * kDecile);
  const double range = ascending.back() - ascending.front();
  for (const double width : {quarters, tenths, range})
    if (width > kLeastSigma) return width;
  return std::max(1e-9 * std::abs(ascending.front()), kLeastSigma);
}

Density::Density(std::span<const double> values) : sorted_(sorted(values)) {
  median_ = quantile(0.5);
  sigma_ = robust_sigma(sorted_);
  scale_ = sigma_;
  fill();
  choose_skew();
  take_logarithms();
}

void Density::choose_skew() {
  const double up = quantile(0.9) - median_, down = median_ - quantile(0.1);
  if (!(up > kLeastSigma) || !(down > kLeastSigma)) return;
  // Of a shifted log-normal distribution, (q90 - q50) / (q50 - q10) = exp(1.28 sigma).
  const double estimate = std::log(up / down) / kDecile;
  const double strength = std::min(std::abs(estimate), kMostSkew);
  if (strength <= kLeastSkew) return;
  Density best = *this;
  double best_likelihood = log_likelihood() + kSkewPrice;
  for (const double skew : {strength / 2, strength}) {
    skew_ = std::copysign(skew, estimate);
    scale_ = std::max(up, down) * skew / std::expm1(skew * kDecile);
    fill();
    if (const double likelihood = log_likelihood(); likelihood > best_likelihood) {
      best_likelihood = likelihood;
      best = *this;
    }
  }
  *this = best;
}

Density::AxisPoint Density::axis_point(double x) const {
  const double y = std::clamp((x - median_) / scale_, -kFarthest, kFarthest);
  double t = y, log_slope = -log_scale_;
  if (skew_ != 0) {
    const double inside = 1 + skew_ * y, logarithm = std::log(std::max(inside, kEdge));
    t = (inside > kEdge ? logarithm : logarithm + inside / kEdge - 1) / skew_;
    log_slope -= logarithm;
  }
  return {std::asinh(t / 2), log_slope - 0.5 * std::log(4 + t * t)};
}

void Density::fill() {
  const auto count = static_cast<double>(size());
  log_scale_ = std::log(scale_);
  axis_points_.clear();
  axis_points_.reserve(size());
  for (const double x : sorted_) axis_points_.push_back(axis_point(x));
  std::vector<double> at;
  at.reserve(size());
  for (const AxisPoint& here : axis_points_) at.push_back(here.at);
  const double mean = std::accumulate(at.begin(), at.end(), 0.0) / count;
  double squares = 0;
  for (const double a : at) squares += (a - mean) * (a - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  const double quarters = (sorted_quantile(at, 0.75) - sorted_quantile(at, 0.25)) / 1.349;
  const double width = quarters > 0 ? std::min(quarters, deviation) : deviation;
  bandwidth_ = std::max(kBandwidth * width * std::pow(count, -0.2), kLeastBandwidth);

  kernels_.fill(0);
  const double inverse = 1 / bandwidth_, share = inverse / count;
  for (const double a : at) {
    const auto first = static_cast<std::ptrdiff_t>(std::max(0.0, std::ceil((a - bandwidth_ + kEnd) / kStep)));
    const auto last = static_cast<std::ptrdiff_t>(
        std::min(static_cast<double>(kCells - 1), std::floor((a + bandwidth_ + kEnd) / kStep)));
    for (std::ptrdiff_t cell = first; cell <= last; ++cell)
      kernels_[static_cast<std::size_t>(cell)] +=
          share * biweight((-kEnd + kStep * static_cast<double>(cell) - a) * inverse);
  }
}

void Density::take_logarithms() {
  const double weight = unseen_weight(size()), log_weight = std::log(weight);
  const std::span<const double> far = unseen(), log_far = log_unseen();
  // Most cells have no kernel.
  for (std::size_t cell = 0; cell < kCells; ++cell)
    log_density_[cell] =
        kernels_[cell] == 0 ? log_weight + log_far[cell] : std::log((1 - weight) * kernels_[cell] + weight * far[cell]);
}

double Density::log_at(double x) const {
  const AxisPoint here = axis_point(x);
  return interpolated(log_density_, here.at) + here.log_slope - std::max(0.0, std::abs(here.at) - kEnd);
}

/// The density at `at` without one value, whose kernel contributes `own` there.
double Density::left_out(double at, double kernels, double own) const {
  const auto count = static_cast<double>(size());
  const double weight = unseen_weight(size());
  return (1 - weight) * std::max(0.0, (count * kernels - own) / (count - 1)) + weight * interpolated(unseen(), at);
}

double Density::log_likelihood() const {
  const double own = biweight(0) / bandwidth_;
  double sum = 0;
  for (const AxisPoint& here : axis_points_)
    sum += std::log(left_out(here.at, interpolated(kernels_, here.at), own)) + here.log_slope;
  return sum;
}

double Density::excess(double shift) const {
  const double own = biweight(0) / bandwidth_;
  const auto count = static_cast<double>(size());
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const AxisPoint here = axis_points_[i], there = axis_point(sorted_[i] - shift);
    const double own_there = biweight((there.at - here.at) / bandwidth_) / bandwidth_;
    const double before = left_out(here.at, interpolated(kernels_, here.at), own);
    const double after = left_out(there.at, interpolated(kernels_, there.at), own_there);
    sum += std::min(count, after / before * std::exp(there.log_slope - here.log_slope));
  }
  return sum / count;
}

double Density::autocorrelation(std::span<const double> values) const {
  std::vector<double> z;
  for (const double x : values) z.push_back(std::clamp(2 * std::sinh(axis_point(x).at), -kCutOff, kCutOff));
  const double mean = std::accumulate(z.begin(), z.end(), 0.0) / static_cast<double>(z.size());
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    squares += (z[i] - mean) * (z[i] - mean);
    if (i > 0) products += (z[i] - mean) * (z[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

double Density::quantile(double p) const {
  return sorted_quantile(sorted_, p);
}

double Density::shoulder() const {
  return std::max(quantile(0.92) - median_, median_ - quantile(0.08)) / sigma_;
}

double Density::reach() const {
  std::vector<double> distances;
  for (const double x : sorted_) distances.push_back(std::abs(x - median_));
  std::partial_sort(distances.begin(), distances.begin() + 2, distances.end(), std::greater<>());
  return (distances[0] + distances[1]) / (2 * sigma_);
}

}  // namespace lab::stats
