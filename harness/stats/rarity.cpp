#include "harness/stats/rarity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "harness/stats/choices.h"
#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

constexpr double kSameValue = 1e-9;  // share by which values differ at most that are equal

/// Up to so many values, each is compared with all others.
constexpr std::size_t kFewCounted = 16;

std::vector<double> times(double sign, std::span<const double> values) {
  std::vector<double> all;
  for (const double value : values) all.push_back(sign * value);
  return all;
}

}  // namespace

double rarity_of_largest(std::span<const double> few, std::span<const double> many) {
  std::vector<double> mine(few.begin(), few.end()), others;
  std::ranges::sort(mine, std::greater());
  // Counting is faster than sorting for few values only.
  if (mine.size() > kFewCounted) {
    others.assign(many.begin(), many.end());
    std::ranges::sort(others, std::greater());
  }
  const auto at_least = [](std::span<const double> descending, double value) {
    return static_cast<std::size_t>(std::ranges::upper_bound(descending, value, std::greater()) - descending.begin());
  };
  const auto others_at_least = [&](double value) {
    if (!others.empty()) return at_least(others, value);
    std::size_t count = 0;
    for (const double one : many) count += one >= value;
    return count;
  };
  const std::size_t count = few.size() + many.size();
  double rarest = 0;
  for (std::size_t r = 1; r <= mine.size(); ++r) {
    const std::size_t extreme = at_least(mine, mine[r - 1]) + others_at_least(mine[r - 1]);
    rarest = std::max(rarest, log_choices(count, r) - log_choices(extreme, r) - log_choices(mine.size(), r));
  }
  return rarest;
}

double rarity_of_levels(std::span<const double> a, std::span<const double> b) {
  const double old_median = median(a), new_median = median(b);
  if (is_same_value(old_median, new_median)) return 0;
  const bool b_is_short = b.size() <= a.size();
  const double sign = (new_median > old_median) == b_is_short ? 1 : -1;
  return rarity_of_largest(times(sign, b_is_short ? b : a), times(sign, b_is_short ? a : b));
}

bool is_same_value(double a, double b) {
  return std::abs(a - b) <= kSameValue * std::max(std::abs(a), std::abs(b));
}

}  // namespace lab::stats
