/// What every particle buffer must keep.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

std::vector<bench::ConformanceCheck> checks_of(const MakeBuffer& make, const Abilities& abilities);

}  // namespace lab::particle_buffer
