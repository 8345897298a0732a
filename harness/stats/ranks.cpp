#include "harness/stats/ranks.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

/// One value on its way to a rank.
struct Aligned {
  double value = 0;
  std::size_t block = 0;
  bool head = false;
};

/// Twice the mid-ranks of values in ascending order: integers, ties and all.
std::vector<std::int64_t> doubled_ranks(const std::vector<Aligned>& ascending) {
  std::vector<std::int64_t> ranks(ascending.size());
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ascending[last + 1].value == ascending[first].value) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[i] = static_cast<std::int64_t>(first + last + 2);
    first = last + 1;
  }
  return ranks;
}

/// Chances of a sum, from its least possible value on.
struct Distribution {
  std::int64_t least = 0;
  std::vector<double> chances{1};
};

/// The sum of `count` of `ranks`, all choices alike.
Distribution sum_of_choice(std::span<const std::int64_t> ranks, std::size_t count) {
  // Counted from the least rank on: the sums stay small in a block whose ranks lie close together.
  const std::int64_t lowest = *std::min_element(ranks.begin(), ranks.end());
  std::int64_t widest = 0;
  for (const std::int64_t rank : ranks) widest += rank - lowest;
  const auto width = static_cast<std::size_t>(widest) + 1;
  // ways[k][s]: the chance weight of k chosen ranks with sum s, as a share of all choices so far.
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(width));
  ways[0][0] = 1;
  std::size_t seen = 0;
  for (const std::int64_t rank : ranks) {
    const auto step = static_cast<std::size_t>(rank - lowest);
    ++seen;
    for (std::size_t k = std::min(count, seen); k > 0; --k)
      for (std::size_t s = width; s-- > step;) ways[k][s] += ways[k - 1][s - step];
  }
  Distribution sum{lowest * static_cast<std::int64_t>(count), std::move(ways[count])};
  const double all = std::accumulate(sum.chances.begin(), sum.chances.end(), 0.0);
  for (double& chance : sum.chances) chance /= all;
  while (sum.chances.size() > 1 && sum.chances.back() == 0) sum.chances.pop_back();
  return sum;
}

/// The sum of two independent sums.
Distribution operator+(const Distribution& a, const Distribution& b) {
  Distribution sum{a.least + b.least, std::vector<double>(a.chances.size() + b.chances.size() - 1)};
  for (std::size_t i = 0; i < b.chances.size(); ++i)
    if (b.chances[i] > 0)
      for (std::size_t j = 0; j < a.chances.size(); ++j) sum.chances[i + j] += a.chances[j] * b.chances[i];
  return sum;
}

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

BlockedArms::BlockedArms(std::span<const Datum> base, std::span<const Datum> head) {
  std::map<int, Block> blocks;
  const auto add = [&](std::span<const Datum> data, std::vector<double> Block::*arm) {
    for (const Datum& datum : data) {
      if (!(datum.value > 0) || !std::isfinite(datum.value)) std::abort();
      (blocks[datum.block].*arm).push_back(std::log(datum.value));
    }
  };
  add(base, &Block::base);
  add(head, &Block::head);
  for (auto& [number, block] : blocks) {
    if (block.base.empty() || block.head.empty()) continue;
    const auto [base_low, base_high] = std::minmax_element(block.base.begin(), block.base.end());
    const auto [head_low, head_high] = std::minmax_element(block.head.begin(), block.head.end());
    most_ = std::max({most_, std::abs(*head_high - *base_low), std::abs(*base_high - *head_low)});
    size_ += block.base.size() + block.head.size();
    blocks_.push_back(std::move(block));
  }
}

BlockedArms::Tails BlockedArms::tails(double shift) const {
  std::vector<Aligned> values;
  values.reserve(size_);
  bool exact = true;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::vector<double> all = blocks_[b].base;
    for (const double value : blocks_[b].head) all.push_back(value - shift);
    exact = exact && all.size() <= kMostExact;
    const double center = median(all);
    for (std::size_t i = 0; i < all.size(); ++i) values.push_back({all[i] - center, b, i >= blocks_[b].base.size()});
  }
  std::sort(values.begin(), values.end(), [](const Aligned& a, const Aligned& b) { return a.value < b.value; });
  const std::vector<std::int64_t> ranks = doubled_ranks(values);

  std::vector<std::vector<std::int64_t>> of_block(blocks_.size());
  std::int64_t found = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    of_block[values[i].block].push_back(ranks[i]);
    if (values[i].head) found += ranks[i];
  }
  if (!exact) {
    double mean = 0, variance = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto n = static_cast<double>(of_block[b].size());
      const auto chosen = static_cast<double>(blocks_[b].head.size());
      double average = 0, squares = 0;
      for (const std::int64_t rank : of_block[b]) average += static_cast<double>(rank) / n;
      for (const std::int64_t rank : of_block[b])
        squares += (static_cast<double>(rank) - average) * (static_cast<double>(rank) - average);
      mean += chosen * average;
      variance += chosen * (n - chosen) / (n * (n - 1)) * squares;
    }
    if (!(variance > 0)) return {};
    const boost::math::normal normal;
    const double deviation = std::sqrt(variance);
    // Doubled ranks move in steps of two: half a step is one.
    return {boost::math::cdf(normal, (static_cast<double>(found) - mean + 1) / deviation),
            boost::math::cdf(normal, (mean - static_cast<double>(found) + 1) / deviation)};
  }
  Distribution sum;
  for (std::size_t b = 0; b < blocks_.size(); ++b) sum = sum + sum_of_choice(of_block[b], blocks_[b].head.size());
  const auto place = static_cast<std::size_t>(found - sum.least);
  const auto at = sum.chances.begin() + static_cast<std::ptrdiff_t>(place);
  return {std::accumulate(sum.chances.begin(), at + 1, 0.0), std::accumulate(at, sum.chances.end(), 0.0)};
}

double BlockedArms::p_value(double ratio) const {
  if (blocks_.empty()) return 1;
  const Tails tail = tails(std::log(ratio));
  return std::min(1.0, 2 * std::min(tail.below, tail.above));
}

double BlockedArms::least_p() const {
  double ways = 0;
  for (const Block& block : blocks_) ways += log_choose(block.base.size() + block.head.size(), block.head.size());
  return std::min(1.0, 2 * std::exp(-ways));
}

/// The logarithm of the ratio at which the tail of larger (`lower`) or smaller ratios reaches `alpha`.
double BlockedArms::crossing(double alpha, bool lower) const {
  // Where head is moved further than any two values lie apart, it is all on one side.
  double rejected = lower ? -2 * most_ - 1 : 2 * most_ + 1;
  double kept = -rejected;
  for (int step = 0; step < 60; ++step) {
    const double middle = std::midpoint(rejected, kept);
    const Tails tail = tails(middle);
    ((lower ? tail.above : tail.below) <= alpha ? rejected : kept) = middle;
  }
  return std::midpoint(rejected, kept);
}

double BlockedArms::ratio() const {
  if (blocks_.empty()) return 1;
  // Half the chance on either side; between the two crossings every ratio fits equally well.
  return std::exp(std::midpoint(crossing(0.5, true), crossing(0.5, false)));
}

std::optional<Interval> BlockedArms::interval(double alpha) const {
  if (blocks_.empty() || least_p() > alpha) return std::nullopt;
  return Interval{std::exp(crossing(alpha / 2, true)), std::exp(crossing(alpha / 2, false))};
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double reached = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    reached = std::max(reached, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = reached;
  }
  return adjusted;
}

}  // namespace lab::stats
