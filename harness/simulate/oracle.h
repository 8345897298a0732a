/// Oracle: a detector that knows the noise exactly, but not the step. It is an upper bound for detectors that must
/// estimate the noise from the series.
///
/// Its score after a night is the maximum log-likelihood ratio over steps up and down of 1.5 to 10 robust sigma, over
/// the window lengths of ChangePointDetector (Lai, "Sequential changepoint detection in quality control and dynamical
/// systems", Journal of the Royal Statistical Society B 57 (1995)). A given share of unchanged series ever reaches its
/// threshold.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/simulate/noise.h"

namespace lab::simulate {

class Oracle {
 public:
  /// Sets the threshold such that a share `alarms` of unchanged series of `points` raises an alarm, estimated from
  /// `trials` series. The first `baseline` points are not judged. `kind` must be independent.
  Oracle(const Noise& kind, std::size_t points, std::size_t baseline, double alarms, std::size_t trials,
         NormalRandom& random);

  /// Whether it raises an alarm on any of the last `nights` of `values`.
  bool alarms(std::span<const double> values, std::size_t nights) const;

 private:
  /// The largest score on the last `nights`.
  double score(std::span<const double> values, std::size_t nights) const;

  const Noise& kind_;
  std::vector<double> steps_;
  double threshold_ = 0;
};

}  // namespace lab::simulate
