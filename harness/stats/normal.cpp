#include "harness/stats/normal.h"

#include <boost/math/distributions/normal.hpp>

namespace lab::stats {

double upper_normal_quantile(double share) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), share));
}

}  // namespace lab::stats
