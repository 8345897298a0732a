#include "harness/stats/sessions.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/normal.h"
#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

/// One session's estimate on the scale where sessions differ.
struct Point {
  double at = 0;
  double variance = 0;
};

/// What follows from one variance between sessions.
struct Component {
  double mean = 0, sigma = 0;
  double weight = 0;  ///< of its posterior
};

/// Without the prior's weight. `likelihood` is a logarithm.
Component with_variance(std::span<const Point> points, double between, double& likelihood) {
  double weights = 0;
  Component one;
  for (const Point& point : points) {
    weights += 1 / (point.variance + between);
    one.mean += point.at / (point.variance + between);
  }
  one.mean /= weights;
  one.sigma = 1 / std::sqrt(weights);
  likelihood = -std::log(weights) / 2;
  for (const Point& point : points) {
    const double variance = point.variance + between, off = point.at - one.mean;
    likelihood -= (std::log(variance) + off * off / variance) / 2;
  }
  return one;
}

/// The posterior of the common value, a mixture over the variance between sessions.
std::vector<Component> posterior(std::span<const Point> points) {
  double precision = 0;
  for (const Point& point : points) precision += 1 / point.variance;
  const double scale = kUsualDifference * std::sqrt(static_cast<double>(points.size()) / precision);
  const auto [least, most_at] = std::ranges::minmax(points, {}, &Point::at);
  // Steps of the standard deviation between sessions, as factors of its scale: from hardly any to ten thousand times,
  // or as far as sessions without noise may be apart.
  constexpr double kLogFirst = -4, kLogLast = 10, kLogStep = 0.25, kBeyond = 4;
  const double last = std::max(kLogLast, std::log((most_at.at - least.at) / scale) + kBeyond);
  std::vector<Component> parts;
  std::vector<double> logarithms;
  for (double at = kLogFirst; at <= last; at += kLogStep) {
    const double sigma = std::exp(at);
    double likelihood = 0;
    parts.push_back(with_variance(points, scale * scale * sigma * sigma, likelihood));
    logarithms.push_back(likelihood + std::log(sigma / (1 + sigma * sigma)));  // half-Cauchy, in steps of the logarithm
  }
  const double most = std::ranges::max(logarithms);
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) sum += parts[i].weight = std::exp(logarithms[i] - most);
  for (Component& part : parts) part.weight /= sum;
  return parts;
}

/// The value below which the mixture has this share.
double mixture_quantile(std::span<const Component> parts, double share) {
  constexpr double kManySigmas = 40;  // standard deviations
  double low = parts.front().mean, high = low;
  for (const Component& part : parts) {
    low = std::min(low, part.mean - kManySigmas * part.sigma);
    high = std::max(high, part.mean + kManySigmas * part.sigma);
  }
  constexpr int kBisections = 60;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const Component& part : parts) below += part.weight * normal_share_below((middle - part.mean) / part.sigma);
    (below < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The common value and its interval.
std::pair<double, Interval> common_value(std::vector<Point> points, double coverage) {
  // Equal values by chance do not make a session more exact than a hundred times the others, or without limit.
  constexpr double kLeastShare = 0.01, kExact = 1e-9;
  double scale = 0;
  for (const Point& point : points)
    scale = std::max({scale, kExact * std::abs(point.at), kLeastShare * std::sqrt(point.variance)});
  for (Point& point : points) point.variance = std::max(point.variance, scale * scale);
  const std::vector<Component> parts = posterior(points);
  double mean = 0;
  for (const Component& part : parts) mean += part.weight * part.mean;
  const double outside = kSpent * (1 - coverage) / 2;
  return {mean, {mixture_quantile(parts, outside), mixture_quantile(parts, 1 - outside)}};
}

}  // namespace

std::map<int, std::vector<Datum>> by_session(std::span<const Datum> data) {
  std::map<int, std::vector<Datum>> sessions;
  for (const Datum& datum : data) sessions[datum.session].push_back(datum);
  return sessions;
}

Estimate combined(std::span<const Estimate> sessions, double coverage) {
  if (sessions.size() == 1) return sessions.front();
  std::vector<Estimate> exact;
  for (const Estimate& one : sessions)
    if (one.interval) exact.push_back(one);
  if (exact.size() == 1) return exact.front();
  const std::span<const Estimate> counted = exact.empty() ? sessions : std::span<const Estimate>(exact);
  Estimate all{.count = 0, .median = 0, .interval = {}, .sessions = counted.size()};
  std::vector<double> medians;
  for (const Estimate& one : counted) {
    all.count += one.count;
    medians.push_back(one.median);
  }
  all.median = median(medians);
  if (exact.empty()) return all;
  const auto is_point = [&](const Estimate& one) {
    return one.median == all.median && *one.interval == Interval{all.median, all.median};
  };
  if (std::ranges::all_of(exact, is_point)) {  // no noise at all, in any session
    all.interval = Interval{all.median, all.median};
    return all;
  }
  const bool logarithmic = std::ranges::all_of(exact, [](const Estimate& one) { return one.interval->low > 0; });
  const auto scaled = [&](double value) { return logarithmic ? std::log(value) : value; };
  const double deviations = upper_normal_quantile((1 - coverage) / 2);
  std::vector<Point> points;
  for (const Estimate& one : exact) {
    const double sigma = (scaled(one.interval->high) - scaled(one.interval->low)) / 2 / deviations;
    points.push_back({scaled(one.median), sigma * sigma});
  }
  const auto [common, interval] = common_value(std::move(points), coverage);
  const auto unscaled = [&](double value) { return logarithmic ? std::exp(value) : value; };
  all.median = unscaled(common);
  all.interval = Interval{unscaled(interval.low), unscaled(interval.high)};
  return all;
}

Estimate estimate_sessions(std::span<const Datum> data, double coverage) {
  std::vector<Estimate> sessions;
  for (const auto& [session, own] : by_session(data)) {
    std::vector<double> values;
    for (const Datum& datum : own) values.push_back(datum.value);
    sessions.push_back(estimate_median(values, coverage));
  }
  return combined(sessions, coverage);
}

}  // namespace lab::stats
