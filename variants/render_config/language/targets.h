/// What a pass draws to, and the values with which its targets begin.
#pragma once

#include <cstddef>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

/// The fields "targets" and "depth" of a pass.
void read_targets(const Node& node, const std::vector<Resource>& resources, const RenderEnvironment& environment,
                  const Values& values, Pass& pass);

/// The field "clear" of a pass with targets.
void read_clears(const Node& node, const std::vector<Resource>& resources, const Values& values, Pass& pass);

/// That the device can blend what the pass draws to, if a shader of it blends.
void check_blends(const Pass& pass, const Config& config, const RenderEnvironment& environment, Problems& problems);

/// The resources that a pass draws to, in the order of Pass::clears.
std::vector<std::size_t> written_by(const Pass& pass);

}  // namespace lab::render_config
