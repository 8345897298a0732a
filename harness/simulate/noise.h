/// Random numbers for simulations: the same on every machine and library for one seed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/random.h"

namespace lab::simulate {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double uniform();  ///< within [0, 1)
  double normal();   ///< standard normal: Box and Muller, A Note on the Generation of Random Normal Deviates, 1958
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

 private:
  bench::Random random_;
};

/// Where a distribution has no mass a logarithm is no number; so unlikely is as good as never.
inline constexpr double kLeastLogDensity = -100;

/// A kind of noise: what a benchmark's numbers look like night after night while nothing changes.
struct Kind {
  std::string_view name;
  double robust_sigma = 0;  ///< 1.4826 times the median absolute deviation of the distribution, in the series' unit
  std::vector<double> (*draw)(Noise& noise, std::size_t count);
  double (*log_density)(double x);  ///< of one number, at least kLeastLogDensity; null where they depend on each other

  bool independent() const { return log_density != nullptr; }
};

/// The five that change points are judged on: normal (2 %), log-normal (sigma 1), AR(1) with 0.5 (2 %), two levels 5 %
/// apart (70/30, 1 % within), and normal (2 %) with 5 % of outliers of +30 %.
std::span<const Kind> kinds();

}  // namespace lab::simulate
