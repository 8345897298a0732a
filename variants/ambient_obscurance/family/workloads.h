/// The family's workloads: scenes, sample counts, placements and terms.
#pragma once

#include <vector>

#include "variants/ambient_obscurance/family/renderer.h"

namespace lab::ambient_obscurance {

/// How far the results of two variants may be apart, at any pixel.
inline constexpr double kTolerance = 1e-5;

std::vector<bench::Workload> make_workloads(const Maker& maker);

}  // namespace lab::ambient_obscurance
