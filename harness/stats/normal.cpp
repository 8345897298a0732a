#include "harness/stats/normal.h"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

namespace lab::stats {

double upper_normal_quantile(double share) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), share));
}

double normal_share_below(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

}  // namespace lab::stats
