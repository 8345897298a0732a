/// GLSL with its includes in place.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "variants/render_config/language/located_json.h"

namespace lab::render_config {

/// Reads a file; the error says what is wrong with it, without its name.
using ReadFile = std::function<Expected<std::string>(const std::filesystem::path&)>;

struct ShaderSource {
  std::string text;                ///< the same wherever the files lie
  std::vector<std::string> files;  ///< by the numbers that #line gives them
};

/// `from`: where the file is named. An include is relative to the file that has it; each file is included once, by the
/// first include in a branch that the preprocessor takes.
Expected<ShaderSource> shader_source(const std::filesystem::path& file, const Place& from, const ReadFile& read);

}  // namespace lab::render_config
