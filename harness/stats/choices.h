/// How many ways there are to choose.
#pragma once

#include <cmath>
#include <cstddef>

namespace lab::stats {

/// ln C(n, k): the logarithm of the number of ways to choose k of n.
inline double log_choices(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace lab::stats
