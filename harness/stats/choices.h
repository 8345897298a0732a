/// How many ways there are to choose.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace lab::stats {

/// ln n!
inline double log_factorial(std::size_t n) {
  const auto compute = [](std::size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  // Of the lengths of series: lgamma takes longer than what else is done with it.
  static const std::array<double, 1024> known = [&] {
    std::array<double, 1024> all{};
    for (std::size_t x = 0; x < all.size(); ++x) all[x] = compute(x);
    return all;
  }();
  return n < known.size() ? known[n] : compute(n);
}

/// ln C(n, k): the logarithm of the number of ways to choose k of n.
inline double log_choices(std::size_t n, std::size_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace lab::stats
