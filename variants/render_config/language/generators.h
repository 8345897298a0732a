/// The section resource_generators, and the frame that runs them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "variants/render_config/language/passes.h"

namespace lab::render_config {

/// Problems with generators that no frame runs, too: a mistake in one is found when it is made.
void check_generators(const std::vector<Member>& section, const PassScope& scope);

/// The passes of the section frame.
std::vector<Pass> run_generators(const Node& frame, const std::vector<Member>& section, const PassScope& scope);

}  // namespace lab::render_config
