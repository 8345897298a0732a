#include "harness/stats/strata.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/stats/choices.h"

namespace lab::stats {

namespace {

/// Index of each block that contains both arms, from 0, in the order of blocks.
std::map<int, std::size_t> block_indices(const std::vector<Datum>& base, const std::vector<Datum>& head) {
  std::set<int> with_base;
  for (const Datum& datum : base) with_base.insert(datum.block);
  std::map<int, std::size_t> found;
  for (const Datum& datum : head)
    if (with_base.contains(datum.block)) found[datum.block] = 0;
  std::size_t next = 0;
  for (auto& [block, index] : found) index = next++;
  return found;
}

std::size_t strata(std::size_t blocks, std::size_t stratum) {
  return std::max<std::size_t>(1, blocks / std::max<std::size_t>(1, stratum));
}

/// log of the number of ways to choose n of 2 n.
double log_ways(std::size_t n) {
  return log_choices(2 * n, n);
}

}  // namespace

double least_p(std::size_t blocks, std::size_t stratum) {
  const std::size_t count = strata(blocks, stratum);
  const std::size_t larger = blocks % count;
  const std::size_t size = blocks / count;
  const double ways =
      static_cast<double>(larger) * log_ways(size + 1) + static_cast<double>(count - larger) * log_ways(size);
  return std::min(1.0, 2 * std::exp(-ways));
}

std::size_t stratum_blocks(std::size_t blocks, std::size_t table, double alpha, std::size_t least) {
  const double needed = alpha / static_cast<double>(std::max<std::size_t>(1, table));
  for (const double enough : {needed / kRoom, needed})
    for (std::size_t stratum = least; stratum <= blocks; ++stratum)
      if (least_p(blocks, stratum) <= enough && (stratum < blocks || enough == needed)) return stratum;
  return std::max<std::size_t>(1, blocks);
}

std::size_t fewest_blocks(std::size_t table, double alpha) {
  const double needed = alpha / static_cast<double>(std::max<std::size_t>(1, table));
  std::size_t blocks = 2;
  // A verdict needs a p below alpha. Rounding must not decide where both are equal.
  while (least_p(blocks, stratum_blocks(blocks, table, alpha)) > needed * (1 - 1e-9)) ++blocks;
  return blocks;
}

ArmData to_strata(const std::vector<Datum>& base, const std::vector<Datum>& head, std::size_t stratum) {
  const std::map<int, std::size_t> index = block_indices(base, head);
  const std::size_t count = strata(index.size(), stratum);
  const auto moved = [&](const std::vector<Datum>& data) {
    std::vector<Datum> kept;
    for (const Datum& datum : data)
      if (const auto at = index.find(datum.block); at != index.end())
        kept.push_back({static_cast<int>(at->second * count / index.size()), datum.value, datum.layout});
    return kept;
  };
  return {moved(base), moved(head)};
}

BlockedArms in_strata(const std::vector<Datum>& base, const std::vector<Datum>& head, std::size_t stratum) {
  const ArmData data = to_strata(base, head, stratum);
  return {data.base, data.head};
}

std::size_t common_blocks(const std::vector<Datum>& base, const std::vector<Datum>& head) {
  return block_indices(base, head).size();
}

}  // namespace lab::stats
