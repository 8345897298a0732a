/// Frames by the CPU.
#pragma once

#include "variants/ambient_obscurance/family/renderer.h"
#include "variants/ambient_obscurance/family/steps.h"

namespace lab::ambient_obscurance {

/// `steps` in bands of rows, by all threads of the case or by one.
Maker cpu_maker(const Steps* steps, bool threads);

/// What `samples` per pixel give that read the image alone and no coarser level: the reference of errors, with 1,024.
std::vector<float> converged(const Lens& lens, const Frame& frame, std::uint32_t samples);
inline constexpr std::uint32_t kConvergedSamples = 1024;

/// Pixels of the depth buffer's value 1 that the sampled disc has as radius.
float pixels_by_depth(const Lens& lens);

}  // namespace lab::ambient_obscurance
