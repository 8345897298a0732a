/// How good a frame is: values in, values out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "variants/ambient_obscurance/family/frames.h"
#include "variants/ambient_obscurance/family/settings.h"

namespace lab::ambient_obscurance {

/// The square root of the mean of squared differences.
double root_mean_square(std::span<const float> values, std::span<const float> reference);

/// The same of the differences' means over squares of 4 x 4 pixels. What a dither hides from the eye is not in it, and
/// bands are.
double banding(std::span<const float> values, std::span<const float> reference, std::uint32_t width,
               std::uint32_t height);

/// The sum of squared differences over `pixels`.
double energy(std::span<const float> values, std::span<const float> reference, std::span<const std::size_t> pixels);

/// The last frame of a sequence, as the fastest renderer of this CPU gives it.
std::vector<float> last_result(const Sequence& sequence, const Settings& settings, std::uint64_t seed);

}  // namespace lab::ambient_obscurance
