/// How good a frame is: values in, values out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "variants/ambient_obscurance/family/frames.h"
#include "variants/ambient_obscurance/family/renderer.h"
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

/// The fastest renderer of this CPU. All of its renderers give the same bits.
Maker fastest_maker();

/// The last frame of a sequence, as the fastest renderer of this CPU gives it.
std::vector<float> last_result(const Sequence& sequence, const Settings& settings, std::uint64_t seed);

/// Images of one frame, each with another noise: the patterns of a cycle begin with each of them in turn. Their mean
/// has no noise of the patterns, and what a single one differs from it by is noise.
using Phases = std::vector<std::vector<float>>;
Phases last_results(const Maker& maker, const Sequence& sequence, const Settings& settings, const bench::Case& inputs);
/// By the fastest renderer of this CPU.
Phases last_results(const Sequence& sequence, const Settings& settings, std::uint64_t seed);
std::vector<float> mean_of(const Phases& phases);

/// The square root of the mean of squared differences of all phases, over `pixels`.
double root_mean_square(const Phases& phases, std::span<const float> reference, std::span<const std::size_t> pixels);

/// What history does to `pixels`, apart from the noise. `without`: the same frame and samples without history.
struct HistoryEffect {
  double ghosts;  ///< the sum of squared differences of the two means: what history adds to what is expected
  double noise;   ///< the mean sum of squared differences of a phase from the mean
};
HistoryEffect history_effect(const Phases& with, const Phases& without, std::span<const std::size_t> pixels);

}  // namespace lab::ambient_obscurance
