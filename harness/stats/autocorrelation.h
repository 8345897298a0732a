/// What autocorrelation does to means: points that follow each other tell less than independent ones.
#pragma once

#include <cstddef>
#include <span>

namespace lab::stats {

/// Lag-1 autocorrelation within two successive levels, around their medians and clipped at 2.5 robust standard
/// deviations, so that outliers do not hide it. Without the bias of so few points (Kendall, "Note on bias in the
/// estimation of autocorrelation", Biometrika 41 (1954) 403-404). Within [0, 0.9]; 0 if nothing varies.
double autocorrelation_within(std::span<const double> before, std::span<const double> after);

/// Variance of a mean of `points` points of an AR(1) process over that of as many independent ones.
double variance_inflation(double points, double autocorrelation);

}  // namespace lab::stats
