/// Density estimate of a benchmark's numbers from a small sample, which may be skewed, have two levels or contain
/// outliers. Change points are judged against it.
///
/// A kernel estimate on a transformed axis (Wand, Marron and Ruppert, "Transformations in density estimation", Journal
/// of the American Statistical Association 86 (1991) 343-353): first a shifted logarithm where the values are skewed,
/// with a strength from the quantiles at 10, 50 and 90 %, and only if it increases the leave-one-out likelihood; then
/// asinh, so that kernels widen with the distance from the median. A Cauchy distribution of weight 1 / (n + 1) is added
/// for values that have not been seen yet.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace lab::stats {

/// The first of these that is not 0: interquartile range / 1.349, interdecile range / 2.563, range, a billionth of the
/// level. At least 1e-150.
double robust_sigma(std::span<const double> ascending);

class Density {
 public:
  /// At least two values, all finite and within +-kWidest.
  explicit Density(std::span<const double> values);

  /// Logarithm of the density at x, in nats; finite for every finite x.
  double log_at(double x) const;

  /// Leave-one-out mean over the sample of the density shifted, over that unshifted: 1 if the density is right. A
  /// larger value means that unshifted values look shifted too easily.
  double excess(double shift) const;

  /// Lag-1 autocorrelation of `values` in their order, on the transformed axis and clipped at 2.5 standard deviations,
  /// so that outliers do not hide it.
  double autocorrelation(std::span<const double> values) const;

  double quantile(double p) const;
  double median() const { return median_; }
  double sigma() const { return sigma_; }  ///< robust_sigma
  /// Mean distance of the smallest and the largest value from the median, in sigma.
  double reach() const;
  /// Distance from the median at which the outermost 8 % of the longer tail begin, in sigma.
  double shoulder() const;
  std::size_t size() const { return sorted_.size(); }

  static constexpr double kWidest = 1e150;
  static constexpr std::size_t kCells = 256;  ///< of the transformed axis

 private:
  struct AxisPoint {
    double at = 0;         // on the transformed axis
    double log_slope = 0;  // log of d at / d x
  };
  using Cells = std::array<double, kCells>;

  AxisPoint axis_point(double x) const;
  void choose_skew();
  void fill();
  void take_logarithms();
  double left_out(double at, double kernels, double own) const;
  double log_likelihood() const;

  std::vector<double> sorted_;
  std::vector<AxisPoint> axis_points_;  // of sorted_
  double median_ = 0, sigma_ = 1;
  double scale_ = 1, log_scale_ = 0;  // of the shifted logarithm
  double skew_ = 0;                   // of the same; 0: none; its sign is that of the longer tail
  double bandwidth_ = 1;
  Cells kernels_{}, log_density_{};
};

}  // namespace lab::stats
