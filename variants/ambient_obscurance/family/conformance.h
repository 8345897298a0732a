/// What every variant of the family promises.
#pragma once

#include <vector>

#include "variants/ambient_obscurance/family/renderer.h"

namespace lab::ambient_obscurance {

std::vector<bench::ConformanceCheck> conformance_of(const Maker& maker);

/// Renders all scenes in odd sizes, with all placements and terms, and compares every pixel of every frame, and what
/// history weighed, with the scalar steps. "" or the first pixel that is further away than `most`.
std::string difference_from_scalar(const Maker& maker, double most);

}  // namespace lab::ambient_obscurance
