/// Reads a configuration: settings or a render config, with every file that it names except GLSL.
#pragma once

#include <filesystem>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/file_set.h"

namespace lab::render_config {

/// Everything that can be wrong without a shader's code is found here. The error names file, line, expected and found.
Expected<Config> read_config(const std::filesystem::path& file, const RenderEnvironment& environment, FileSet& files);

}  // namespace lab::render_config
