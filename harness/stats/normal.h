/// The standard normal distribution.
#pragma once

namespace lab::stats {

/// The value that is exceeded with probability `share`: 1.96 for 0.025.
double upper_normal_quantile(double share);

/// The share of the distribution below `x`: 0.975 for 1.96.
double normal_share_below(double x);

}  // namespace lab::stats
