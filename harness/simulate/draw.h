/// Draws series around kLevel, without a change of the level, with noise of one shape each. `sigma` is the standard
/// deviation of the noise, or its scale if that is infinite, relative to the level.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lab::simulate {

class NormalRandom;

inline constexpr double kLevel = 100;

std::vector<double> draw_normal(NormalRandom& random, std::size_t count, double sigma);
/// Normal numbers, rounded to multiples of their standard deviation.
std::vector<double> draw_rounded(NormalRandom& random, std::size_t count, double sigma);
/// `sigma` is that of the logarithm.
std::vector<double> draw_log_normal(NormalRandom& random, std::size_t count, double sigma);
std::vector<double> draw_laplace(NormalRandom& random, std::size_t count, double sigma);
/// With `freedom` degrees of freedom, times `sigma`.
std::vector<double> draw_student_t(NormalRandom& random, std::size_t count, double sigma, int freedom);
/// With shape 2.
std::vector<double> draw_gamma(NormalRandom& random, std::size_t count, double sigma);
/// Sums of four uniform numbers.
std::vector<double> draw_uniform_sum(NormalRandom& random, std::size_t count, double sigma);
/// AR(1): each number has the correlation `rho` with the one before.
std::vector<double> draw_autoregressive(NormalRandom& random, std::size_t count, double sigma, double rho);
/// Each number is the mean of the last `points` independent ones, scaled to `sigma`.
std::vector<double> draw_moving_mean(NormalRandom& random, std::size_t count, double sigma, std::size_t points);

struct Part {
  double share = 0;  ///< of the numbers
  double ratio = 1;  ///< of its level to kLevel
};

/// Each number around the level of one of these parts; the last has the rest.
std::vector<double> draw_mixture(NormalRandom& random, std::size_t count, double sigma, std::span<const Part> parts);

/// Two levels of which the upper is `ratio` times higher. Each number stays on the level before it with probability
/// `stay`.
std::vector<double> draw_staying(NormalRandom& random, std::size_t count, double sigma, double ratio, double stay);

}  // namespace lab::simulate
