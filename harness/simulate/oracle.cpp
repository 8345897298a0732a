#include "harness/simulate/oracle.h"

#include <algorithm>
#include <limits>

#include "harness/stats/change_points.h"

namespace lab::simulate {

namespace {

constexpr double kLeastStep = 1.5, kMostStep = 10, kStep = 0.25;  // robust sigma
constexpr std::size_t kShortest = stats::ChangePointDetector::kShortest,
                      kLongest = stats::ChangePointDetector::kLongest;

}  // namespace

Oracle::Oracle(const Noise& kind, std::size_t points, std::size_t baseline, double alarms, std::size_t trials,
               NormalRandom& random)
    : kind_(kind) {
  for (double step = kLeastStep; step <= kMostStep; step += kStep)
    for (const double sign : {1, -1}) steps_.push_back(sign * step * kind.robust_sigma);
  std::vector<double> scores;
  for (std::size_t trial = 0; trial < trials; ++trial)
    scores.push_back(score(kind.draw(random, points), points - baseline));
  const auto kept = static_cast<std::size_t>((1 - alarms) * static_cast<double>(trials - 1));
  std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(kept), scores.end());
  threshold_ = scores[kept];
}

bool Oracle::alarms(std::span<const double> values, std::size_t nights) const {
  return score(values, nights) > threshold_;
}

double Oracle::score(std::span<const double> values, std::size_t nights) const {
  const std::span<const double> seen = values.last(std::min(values.size(), nights + kLongest - 1));
  std::vector<double> before;
  for (const double x : seen) before.push_back(kind_.log_density(x));
  double best = -std::numeric_limits<double>::infinity();
  std::vector<double> gains(seen.size());
  for (const double step : steps_) {
    for (std::size_t i = 0; i < seen.size(); ++i) gains[i] = kind_.log_density(seen[i] - step) - before[i];
    for (std::size_t end = seen.size() - nights; end < seen.size(); ++end) {
      double sum = 0;
      for (std::size_t m = 1; m <= std::min(kLongest, end + 1); ++m) {
        sum += gains[end + 1 - m];
        if (m >= kShortest) best = std::max(best, sum);
      }
    }
  }
  return best;
}

}  // namespace lab::simulate
