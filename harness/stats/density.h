/// The distribution of a benchmark's numbers, learned from the few there are: skewed, with two levels or with outliers,
/// as nights are. It is what a change point is judged against.
///
/// A kernel estimate on a transformed axis (Wand, Marron and Ruppert, "Transformations in density estimation", Journal
/// of the American Statistical Association 86 (1991) 343-353): first a shifted logarithm where the values are skewed,
/// its strength from the quantiles at 10, 50 and 90 % and taken only where the values left out one at a time become
/// more likely by it; then asinh, so that kernels widen with the distance from the middle. To it comes a Cauchy
/// distribution of weight 1 / (n + 1): what has not been seen yet.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace lab::stats {

/// Interquartile range / 1.349, or where that is 0 the first of these that is not: interdecile range / 2.563, range, a
/// billionth of the level. At least 1e-150.
double robust_sigma(std::span<const double> ascending);

class Density {
 public:
  /// At least two values, all finite and within +-kWidest.
  explicit Density(std::span<const double> values);

  /// Logarithm of the density at x, in nats; finite for every finite x.
  double log_at(double x) const;

  /// log_at(x - shift) - log_at(x): how much more likely x is after a shift of everything.
  double gain(double x, double shift) const { return log_at(x - shift) - log_at(x); }

  /// Mean of exp(gain) over the values themselves, each judged by the others: 1 where the density is right; above,
  /// values like those seen are taken for shifted ones too easily.
  double excess(double shift) const;

  /// Lag-1 autocorrelation of `values` in their order, on the transformed axis and cut off at 2.5 standard deviations,
  /// so that outliers do not hide it.
  double autocorrelation(std::span<const double> values) const;

  double quantile(double p) const;
  double median() const { return median_; }
  double sigma() const { return sigma_; }  ///< robust_sigma
  /// How far the two outermost values lie from the median on average, in sigma.
  double reach() const;
  /// How far the outermost 8 % of the longer tail begin from the median, in sigma.
  double shoulder() const;
  std::size_t size() const { return sorted_.size(); }

  static constexpr double kWidest = 1e150;
  static constexpr std::size_t kCells = 256;  ///< of the transformed axis

 private:
  struct Place {
    double at = 0;         // on the transformed axis
    double log_slope = 0;  // log of d at / d x
  };
  using Cells = std::array<double, kCells>;

  Place place(double x) const;
  void choose_skew();
  void fill();
  void take_logarithms();
  double left_out(double at, double kernels, double own) const;
  double log_likelihood() const;

  std::vector<double> sorted_;
  std::vector<Place> places_;  // of sorted_
  double median_ = 0, sigma_ = 1;
  double scale_ = 1, skew_ = 0;  // of the shifted logarithm; skew 0 is none, its sign the longer tail's
  double bandwidth_ = 1;
  Cells kernels_{}, log_density_{};
};

}  // namespace lab::stats
