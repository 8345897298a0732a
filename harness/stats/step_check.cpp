#include "harness/stats/step_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/stats/quantile.h"

namespace lab::stats {

namespace {

struct Bet {
  double slope;
  double share;
};
constexpr std::array<Bet, 4> kBets{{{0.4, 0.1}, {1, 0.2}, {2.5, 0.25}, {8, 0.45}}};
constexpr double kBiweight = 5;  ///< medians: a larger ratio counts nothing
constexpr double kLeastOfClaim = 0.5;
constexpr double kLeastAcross = 5;  ///< times that the search passed the step

double biweight(double u) {
  const double part = u / kBiweight;
  return std::abs(part) >= 1 ? 0 : u * (1 - part * part) * (1 - part * part);
}

}  // namespace

PairedCheck::PairedCheck() : log_{} {
  static_assert(kBets.size() == kBetCount);
}

void PairedCheck::add(double log_ratio) {
  log_ratios_.push_back(log_ratio);
  const double size = std::abs(log_ratio);
  sizes_.insert(std::ranges::upper_bound(sizes_, size), size);
  if (size == 0) return;
  // A median of 0: most values are equal, and every other one counts the same.
  const double scale = sorted_quantile(sizes_, 0.5), score = biweight(scale > 0 ? log_ratio / scale : log_ratio / size);
  for (std::size_t up = 0; up < 2; ++up) {
    double evidence = 0;
    for (std::size_t i = 0; i < kBets.size(); ++i) {
      log_[up][i] += std::log(2.0) - std::log1p(std::exp(-kBets[i].slope * (up == 1 ? score : -score)));
      evidence += kBets[i].share * std::exp(log_[up][i]);
    }
    best_[up] = std::max(best_[up], evidence);
  }
}

bool PairedCheck::confirms(double log_ratio, double evidence_needed) const {
  if (log_ratio == 0 || log_ratios_.empty() || evidence(log_ratio > 0) < evidence_needed) return false;
  return median(log_ratios_) / log_ratio >= kLeastOfClaim;
}

double evidence_of_sequence(std::span<const TimedValue> values, std::span<const LevelStep> steps, std::size_t which,
                            std::size_t places) {
  const auto level = [&](std::size_t commit) {
    return std::accumulate(steps.begin(), steps.end(), 0.0, [&](double sum, const LevelStep& step) {
      return sum + (step.first <= commit ? step.log_ratio : 0);
    });
  };
  const LevelStep& step = steps[which];
  double across = 0, along = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double expected = level(values[i].commit) - level(values[i - 1].commit);
    if (std::abs(values[i].log_value - values[i - 1].log_value - expected) >= std::abs(step.log_ratio) / 2) return 1;
    ((values[i].commit >= step.first) != (values[i - 1].commit >= step.first) ? across : along) += 1;
  }
  if (across < kLeastAcross) return 1;
  const double share = std::min(0.5, across / (across + along));
  const double log_chance = across * std::log(share) + along * std::log1p(-share);
  const double log_places = static_cast<double>(steps.size()) * std::log(static_cast<double>(places));
  return std::max(1.0, std::exp(std::min(-log_chance - log_places, 600.0)));
}

}  // namespace lab::stats
