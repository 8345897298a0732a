/// The workloads of the family, compiled once for all variants.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

std::vector<bench::Workload> workloads(const MakeBuffer& make, const Abilities& abilities);

}  // namespace lab::particle_buffer
