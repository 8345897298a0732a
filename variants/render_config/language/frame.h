/// The section resource_generators, and the frame that runs them: that each resource is written before it is read, and
/// that its output can be shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/passes.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

/// Problems with generators that no frame runs, too: a mistake in one is found when it is made.
void check_generators(const std::vector<Member>& section, const PassScope& scope);

/// The passes of the section frame.
std::vector<Pass> run_generators(const Node& frame, const std::vector<Member>& section, const PassScope& scope);

/// `frame` and `output`: where these sections stand.
void check_frame(const Config& config, const Place& frame, const Place& output, Problems& problems);

}  // namespace lab::render_config
