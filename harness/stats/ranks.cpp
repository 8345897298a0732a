#include "harness/stats/ranks.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>

#include "harness/stats/choices.h"
#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

/// A value aligned by its block's median, with its origin.
struct AlignedValue {
  double value = 0;
  std::size_t block = 0;
  bool head = false;
};

/// Ranks of values in ascending order, as integers. If there are ties, all ranks are doubled, because mid-ranks may be
/// halves. Without ties they are not, which halves the length of the distributions of their sums.
struct Ranks {
  std::vector<std::int64_t> of;
  std::int64_t unit = 1;
};

Ranks whole_ranks(const std::vector<AlignedValue>& ascending) {
  std::vector<std::int64_t> ranks(ascending.size());
  bool odd = false;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ascending[last + 1].value == ascending[first].value) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[i] = static_cast<std::int64_t>(first + last + 2);
    odd = odd || (first + last) % 2 != 0;
    first = last + 1;
  }
  if (!odd)
    for (std::int64_t& rank : ranks) rank /= 2;
  return {std::move(ranks), odd ? 2 : 1};
}

/// Probabilities of a sum, from its smallest possible value on.
struct Distribution {
  std::int64_t least = 0;
  std::vector<double> chances{1};
};

/// Distribution of the sum of `count` of `ranks`; all choices are equally likely.
Distribution count_choices(const std::vector<std::int64_t>& ranks, std::size_t count) {
  // Relative to the smallest rank, so that the sums stay small in a block with close ranks.
  const std::int64_t lowest = std::ranges::min(ranks);
  std::int64_t widest = 0;
  for (const std::int64_t rank : ranks) widest += rank - lowest;
  const auto width = static_cast<std::size_t>(widest) + 1;
  // ways[k][s]: the share of all choices so far that choose k ranks with sum s.
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

/// count_choices() with a cache: a single large block without ties has the same ranks for any values, so the next table
/// row needs the same distribution.
const Distribution& sum_of_choice(const std::vector<std::int64_t>& ranks, std::size_t count) {
  struct CachedChoice {
    std::vector<std::int64_t> ranks;
    std::size_t count = 0;
    Distribution sum;
  };
  thread_local CachedChoice last;
  if (last.count != count || last.ranks != ranks) last = {ranks, count, count_choices(ranks, count)};
  return last.sum;
}

/// Distribution of the sum of two independent sums (convolution).
Distribution operator+(const Distribution& a, const Distribution& b) {
  Distribution sum{a.least + b.least, std::vector<double>(a.chances.size() + b.chances.size() - 1)};
  for (std::size_t i = 0; i < b.chances.size(); ++i)
    if (b.chances[i] > 0)
      for (std::size_t j = 0; j < a.chances.size(); ++j) sum.chances[i + j] += a.chances[j] * b.chances[i];
  return sum;
}

/// Of a shift, on the logarithm.
constexpr double kPrecision = 1e-9;

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
    const auto [base_low, base_high] = std::ranges::minmax(block.base);
    const auto [head_low, head_high] = std::ranges::minmax(block.head);
    most_ = std::max({most_, std::abs(head_high - base_low), std::abs(base_high - head_low)});
    size_ += block.base.size() + block.head.size();
    most_in_block_ = std::max(most_in_block_, block.base.size() + block.head.size());
    blocks_.push_back(std::move(block));
  }
}

BlockedArms::Ranked BlockedArms::rank(double shift) const {
  std::vector<AlignedValue> values;
  values.reserve(size_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::vector<double> all = blocks_[b].base;
    for (const double value : blocks_[b].head) all.push_back(value - shift);
    const double center = median(all);
    for (std::size_t i = 0; i < all.size(); ++i) values.push_back({all[i] - center, b, i >= blocks_[b].base.size()});
  }
  std::ranges::sort(values, {}, &AlignedValue::value);
  const auto [ranks, unit] = whole_ranks(values);
  Ranked ranked;
  ranked.unit = unit;
  ranked.of_block.resize(blocks_.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ranked.of_block[values[i].block].push_back(ranks[i]);
    if (values[i].head) ranked.found += ranks[i];
  }
  return ranked;
}

BlockedArms::Moments BlockedArms::moments(const Ranked& ranked) const {
  Moments sum;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<std::int64_t>& ranks = ranked.of_block[b];
    const auto n = static_cast<double>(ranks.size());
    const auto chosen = static_cast<double>(blocks_[b].head.size());
    const double average = static_cast<double>(std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0})) / n;
    double squares = 0;
    for (const std::int64_t rank : ranks)
      squares += (static_cast<double>(rank) - average) * (static_cast<double>(rank) - average);
    sum.mean += chosen * average;
    sum.variance += chosen * (n - chosen) / (n * (n - 1)) * squares;
  }
  return sum;
}

BlockedArms::Tails BlockedArms::normal_tails(const Ranked& ranked) const {
  const Moments sum = moments(ranked);
  if (!(sum.variance > 0)) return {};
  const boost::math::normal normal;
  const double deviation = std::sqrt(sum.variance), found = static_cast<double>(ranked.found);
  const double half_step = static_cast<double>(ranked.unit) / 2;
  return {boost::math::cdf(normal, (found - sum.mean + half_step) / deviation),
          boost::math::cdf(normal, (sum.mean - found + half_step) / deviation)};
}

BlockedArms::Tails BlockedArms::tails(double shift) const {
  const Ranked ranked = rank(shift);
  if (most_in_block_ > kMostExact || size_ > kMostExactOfAll) return normal_tails(ranked);
  Distribution sum;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    sum = sum + sum_of_choice(ranked.of_block[b], blocks_[b].head.size());
  const auto place = static_cast<std::size_t>(ranked.found - sum.least);
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
  for (const Block& block : blocks_) ways += log_choices(block.base.size() + block.head.size(), block.head.size());
  return std::min(1.0, 2 * std::exp(-ways));
}

template <typename Rejects>
double BlockedArms::crossing(double rejected, double kept, const Rejects& rejects) const {
  while (std::abs(rejected - kept) > kPrecision * (1 + most_)) {
    const double middle = std::midpoint(rejected, kept);
    (rejects(middle) ? rejected : kept) = middle;
  }
  return std::midpoint(rejected, kept);
}

double BlockedArms::limit(double alpha, bool lower) const {
  const auto rejects = [&](const Tails& tail) { return (lower ? tail.above : tail.below) <= alpha; };
  // A shift by more than the maximum difference puts all of head on one side.
  const double beyond = (lower ? -1 : 1) * (most_ * (1 + kPrecision) + kPrecision);
  // The normal approximation is cheap and close: only its neighbourhood is searched exactly.
  const double near = crossing(beyond, -beyond, [&](double shift) { return rejects(normal_tails(rank(shift))); });
  double rejected = beyond, kept = -beyond;
  for (double step = most_ / 256; step < most_; step *= 4) {
    const double out = near + (lower ? -step : step), in = near - (lower ? -step : step);
    if (std::abs(out) < std::abs(rejected) && rejects(tails(out))) rejected = out;
    if (!rejects(tails(in))) kept = in;
    if (rejected != beyond && kept != -beyond) break;
  }
  return crossing(rejected, kept, [&](double shift) { return rejects(tails(shift)); });
}

double BlockedArms::ratio() const {
  if (blocks_.empty()) return 1;
  const auto excess = [&](double shift) {
    const Ranked ranked = rank(shift);
    return static_cast<double>(ranked.found) - moments(ranked).mean;
  };
  const double beyond = most_ * (1 + kPrecision) + kPrecision;
  // Between the two crossings every ratio fits equally well.
  const double lowest = crossing(-beyond, beyond, [&](double shift) { return excess(shift) > 0; });
  const double highest = crossing(beyond, -beyond, [&](double shift) { return excess(shift) < 0; });
  return std::exp(std::midpoint(lowest, highest));
}

std::optional<Interval> BlockedArms::interval(double alpha) const {
  if (blocks_.empty() || least_p() > alpha) return std::nullopt;
  return Interval{std::exp(limit(alpha / 2, true)), std::exp(limit(alpha / 2, false))};
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double reached = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    reached = std::max(reached, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = reached;
  }
  return adjusted;
}

}  // namespace lab::stats
