/// Renders a configuration live: in a window, or to PNG files.
#pragma once

#include <functional>
#include <string>

#include "harness/base/error.h"
#include "variants/render_config/viewer/options.h"

namespace lab::render_config {

/// Runs until the window is closed, the frames are drawn, or a signal comes. `loader`: of Vulkan. Problems of the
/// configuration are written to standard error as they come and go; the paths of files to standard output.
Expected<void> view(const ViewOptions& options, const std::string& loader);

}  // namespace lab::render_config
