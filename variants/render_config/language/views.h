/// The section views: from where layers are drawn besides the camera.
#pragma once

#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

std::vector<View> read_views(const std::vector<Member>& section, const RenderEnvironment& environment,
                             const Values& values);

/// Leaves out the views that no pass of the frame names; the others keep their order.
void number_views(Config& config, const RenderEnvironment& environment, Problems& problems);

}  // namespace lab::render_config
