/// Random numbers for simulations: for one seed the same on every machine and with every library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/random.h"

namespace lab::simulate {

class NormalRandom {
 public:
  explicit NormalRandom(std::uint64_t seed) : random_(seed) {}

  double uniform();  ///< within [0, 1)
  double normal();   ///< standard normal: Box and Muller, A Note on the Generation of Random Normal Deviates, 1958
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

 private:
  Random random_;
};

/// Lower bound of a log density: the logarithm of zero is not finite.
inline constexpr double kLeastLogDensity = -100;

/// A benchmark's numbers over `count` nights without a change.
using Draw = std::vector<double> (*)(NormalRandom& random, std::size_t count);

/// The distribution of a benchmark's numbers over nights without a change.
struct Noise {
  std::string_view name;
  double robust_sigma = 0;  ///< 1.4826 times the median absolute deviation of the distribution, in the series' unit
  Draw draw;
  double (*log_density)(double x);  ///< of one number, at least kLeastLogDensity; null if numbers are dependent

  bool independent() const { return log_density != nullptr; }
};

/// The five kinds on which change point detection is evaluated: normal (2 %), log-normal (sigma 1), AR(1) with 0.5 (2
/// %), two levels 5 % apart (70/30, 1 % within), and normal (2 %) with 5 % of outliers of +30 %.
std::span<const Noise> noises();

/// A noise of which only numbers are drawn.
struct DrawnNoise {
  std::string_view name;
  Draw draw;
};

/// Further kinds on which false alarms are counted: more and less autocorrelation, heavier tails, more levels, ties.
std::span<const DrawnNoise> further_noises();

/// The kinds on which the constants of stats/segmentation.cpp were chosen. No result with a goal uses them.
std::span<const DrawnNoise> tuning_noises();

}  // namespace lab::simulate
