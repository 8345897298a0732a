#include "harness/stats/interval.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdlib>
#include <map>

#include "harness/stats/quantile.h"
#include "harness/stats/sessions.h"

namespace lab::stats {

double median_coverage(std::size_t count, std::size_t depth) {
  if (depth < 1 || 2 * depth > count + 1) std::abort();
  const boost::math::binomial_distribution<double> heads(static_cast<double>(count), 0.5);
  return 1 - 2 * boost::math::cdf(heads, static_cast<double>(depth - 1));
}

std::size_t least_count(double coverage) {
  if (!(coverage > 0 && coverage < 1)) std::abort();
  std::size_t count = 1;
  while (median_coverage(count, 1) < coverage) ++count;
  return count;
}

std::optional<Interval> median_interval(std::span<const double> values, double coverage) {
  if (!(coverage >= 0.5 && coverage < 1)) std::abort();
  const std::size_t count = values.size();
  if (count == 0 || median_coverage(count, 1) < coverage) return std::nullopt;

  const std::vector<double> ascending = sorted(values);
  const auto lower = [&](std::size_t depth) { return ascending[depth - 1]; };
  const auto upper = [&](std::size_t depth) { return ascending[count - depth]; };

  std::size_t depth = 1;
  double outer = median_coverage(count, 1);
  double inner = outer;
  for (; 2 * (depth + 1) <= count + 1; ++depth, outer = inner) {
    inner = median_coverage(count, depth + 1);
    if (inner < coverage) break;
  }
  // The innermost pair may have exactly this coverage; there is no pair inside it to interpolate with.
  if (!(inner < outer)) return Interval{lower(depth), upper(depth)};

  const double share = (outer - coverage) / (outer - inner);
  const auto n = static_cast<double>(count);
  const auto d = static_cast<double>(depth);
  const double weight = (n - d) * share / (d + (n - 2 * d) * share);
  return Interval{std::lerp(lower(depth), lower(depth + 1), weight), std::lerp(upper(depth), upper(depth + 1), weight)};
}

Estimate estimate_median(std::span<const double> values, double coverage) {
  return {values.size(), median(values), median_interval(values, coverage)};
}

std::vector<double> block_ratios(std::span<const Datum> from, std::span<const Datum> to) {
  using Blocks = std::map<int, std::vector<double>>;
  const auto group = [](std::span<const Datum> data) {
    Blocks blocks;
    for (const Datum& datum : data) blocks[datum.block].push_back(datum.value);
    return blocks;
  };
  const Blocks numerators = group(from);
  const Blocks denominators = group(to);
  std::vector<double> ratios;
  for (const auto& [block, values] : numerators) {
    const auto other = denominators.find(block);
    if (other != denominators.end()) ratios.push_back(median(values) / median(other->second));
  }
  return ratios;
}

namespace {

std::optional<Estimate> ratio_of_session(std::span<const Datum> from, std::span<const Datum> to, double coverage) {
  std::vector<double> logarithms = block_ratios(from, to);
  if (logarithms.empty()) return std::nullopt;
  for (double& value : logarithms) {
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    value = std::log(value);
  }
  Estimate estimate = estimate_median(logarithms, coverage);
  estimate.median = std::exp(estimate.median);
  if (estimate.interval)
    estimate.interval = Interval{std::exp(estimate.interval->low), std::exp(estimate.interval->high)};
  return estimate;
}

}  // namespace

std::optional<Estimate> estimate_ratio(std::span<const Datum> from, std::span<const Datum> to, double coverage) {
  if (from.empty() || to.empty()) return std::nullopt;
  const auto is_same = [&](const Datum& one) { return one.session == from.front().session; };
  if (std::ranges::all_of(from, is_same) && std::ranges::all_of(to, is_same))
    return ratio_of_session(from, to, coverage);
  const std::map<int, std::vector<Datum>> numerators = by_session(from), denominators = by_session(to);
  std::vector<Estimate> sessions;
  for (const auto& [session, data] : numerators)
    if (const auto other = denominators.find(session); other != denominators.end())
      if (!block_ratios(data, other->second).empty()) {
        const std::optional<Estimate> ratio = ratio_of_session(data, other->second, coverage);
        if (!ratio) return std::nullopt;  // a value that is not positive
        sessions.push_back(*ratio);
      }
  if (sessions.empty()) return std::nullopt;
  return combined(sessions, coverage);
}

std::optional<double> relative_half_width(const Estimate& estimate) {
  if (!estimate.interval) return std::nullopt;
  return (estimate.interval->high - estimate.interval->low) / 2 / estimate.median;
}

}  // namespace lab::stats
