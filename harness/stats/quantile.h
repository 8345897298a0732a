/// The median and other quantiles of a sample.
#pragma once

#include <span>
#include <vector>

namespace lab::stats {

/// Linear interpolation between order statistics at 1 + p (n - 1): definition 7 of Hyndman and Fan, "Sample Quantiles
/// in Statistical Packages", The American Statistician 50 (1996). In the unit of `values`, which must not be empty; p
/// in [0, 1].
double quantile(std::span<const double> values, double p);

/// quantile() of values that are already in ascending order.
double sorted_quantile(std::span<const double> ascending, double p);

/// quantile(values, 0.5): the middle value, or the mean of the two middle ones.
double median(std::span<const double> values);

/// The values in ascending order.
std::vector<double> sorted(std::span<const double> values);

}  // namespace lab::stats
