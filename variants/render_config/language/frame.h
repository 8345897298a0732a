/// The frame as a whole: that each resource is written before it is read, and that its output can be shown.
#pragma once

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/problems.h"

namespace lab::render_config {

/// `frame` and `output`: where these sections stand.
void check_frame(const Config& config, const Place& frame, const Place& output, Problems& problems);

}  // namespace lab::render_config
