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

std::vector<double> times(double sign, std::span<const double> values) {
  std::vector<double> all;
  for (const double value : values) all.push_back(sign * value);
  return all;
}

}  // namespace

double rarity_of_largest(std::span<const double> few, std::span<const double> many) {
  std::vector<double> mine(few.begin(), few.end()), all = mine;
  all.insert(all.end(), many.begin(), many.end());
  std::ranges::sort(mine, std::greater());
  std::ranges::sort(all, std::greater());
  double rarest = 0;
  for (std::size_t r = 1; r <= mine.size(); ++r) {
    const auto extreme =
        static_cast<std::size_t>(std::ranges::upper_bound(all, mine[r - 1], std::greater()) - all.begin());
    rarest = std::max(rarest, log_choices(all.size(), r) - log_choices(extreme, r) - log_choices(mine.size(), r));
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
