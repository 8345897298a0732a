/// How rarely the points of one level are as extreme among those of another as they are, whatever the distribution.
#pragma once

#include <span>

namespace lab::stats {

/// Minus the logarithm of a bound on the probability that so many points of `few` are among the largest of both, if all
/// points are exchangeable: of any r of them, the share of choices of r points that lie as high. Taken for the r that
/// make it the rarest; 0 or less where they do not lie higher. Equal values count as extreme. Neither is empty.
double rarity_of_largest(std::span<const double> few, std::span<const double> many);

/// rarity_of_largest() of the points of the level with fewer of them, on the side on which its median lies. 0 if both
/// have the same median, apart from rounding.
double rarity_of_levels(std::span<const double> a, std::span<const double> b);

/// Whether two values differ by no more than rounding does.
bool is_same_value(double a, double b);

}  // namespace lab::stats
