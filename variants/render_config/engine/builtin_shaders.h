/// The shaders of configurations/, compiled when this program was built.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lab::render_config {

struct BuiltinShader {
  std::string_view file;  ///< below configurations/
  std::span<const std::uint32_t> words;
};
std::span<const BuiltinShader> builtin_shaders();
/// Words of the shader. It must exist.
std::span<const std::uint32_t> builtin_shader(std::string_view file);

struct BuiltinFile {
  std::string_view file;  ///< below configurations/
  std::string_view text;
};
/// The sources, files that shaders include among them.
std::span<const BuiltinFile> builtin_files();

}  // namespace lab::render_config
