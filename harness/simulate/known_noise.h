/// What there is to find: a detector that knows a noise exactly and of the step nothing, as a mark for those that must
/// learn the noise from the series itself.
///
/// Its score after a night is the largest logarithm of a likelihood ratio, over steps up and down of 1.5 to 10 robust
/// sigma that began as many nights ago as ChangePointDetector's windows are long (Lai, "Sequential changepoint
/// detection in quality control and dynamical systems", Journal of the Royal Statistical Society B 57 (1995)). Its
/// threshold is that which a given share of unchanged series ever reaches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/simulate/noise.h"

namespace lab::simulate {

class KnownNoise {
 public:
  /// Alarms in `alarms` (a share) of unchanged series of `points`, of which the first `baseline` are not judged; from
  /// `trials` series. `kind` is independent.
  KnownNoise(const Kind& kind, std::size_t points, std::size_t baseline, double alarms, std::size_t trials,
             Noise& noise);

  /// Whether it alarms on any of the last `nights` of `values`.
  bool alarms(std::span<const double> values, std::size_t nights) const;

 private:
  /// The largest score on the last `nights`.
  double score(std::span<const double> values, std::size_t nights) const;

  const Kind& kind_;
  std::vector<double> steps_;
  double threshold_ = 0;
};

}  // namespace lab::simulate
