#include "harness/stats/step_check.h"

#include <algorithm>
#include <cmath>

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

double biweight(double u) {
  const double part = u / kBiweight;
  return std::abs(part) >= 1 ? 0 : u * (1 - part * part) * (1 - part * part);
}

/// 2 / (1 + e^-x), whose mean over the signs of x is 1.
double log_bet(double x) {
  return std::log(2.0) - std::log1p(std::exp(-x));
}

}  // namespace

PairedCheck::PairedCheck() : log_{} {
  static_assert(kBets.size() == kBetCount);
}

void PairedCheck::add(double log_ratio, int layout) {
  log_ratios_.push_back(log_ratio);
  const double size = std::abs(log_ratio);
  sizes_.insert(std::ranges::upper_bound(sizes_, size), size);
  if (size == 0) return;
  // A median of 0: most values are equal, and every other one counts the same.
  const double scale = sorted_quantile(sizes_, 0.5), score = biweight(scale > 0 ? log_ratio / scale : log_ratio / size);
  scores_[layout] += score;
  for (std::size_t up = 0; up < 2; ++up) {
    const double sign = up == 1 ? 1 : -1;
    double of_pairs = 0, of_layouts = 0;
    for (std::size_t i = 0; i < kBets.size(); ++i) {
      log_[up][i] += log_bet(kBets[i].slope * sign * score);
      of_pairs += kBets[i].share * std::exp(log_[up][i]);
      double log_of_layouts = 0;
      for (const auto& [at, sum] : scores_) log_of_layouts += log_bet(kBets[i].slope * sign * sum);
      of_layouts += kBets[i].share * std::exp(log_of_layouts);
    }
    best_[up] = std::max(best_[up], layout == 0 ? of_pairs : std::min(of_pairs, of_layouts));
  }
}

bool PairedCheck::confirms(double log_ratio, double evidence_needed) const {
  if (log_ratio == 0 || log_ratios_.empty() || evidence(log_ratio > 0) < evidence_needed) return false;
  return median(log_ratios_) / log_ratio >= kLeastOfClaim;
}

}  // namespace lab::stats
