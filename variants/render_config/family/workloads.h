/// The family's workloads.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/render_config/family/render_config.h"

namespace lab::render_config {

std::vector<bench::Workload> make_workloads(const Renderer& renderer);

}  // namespace lab::render_config
