#include "variants/render_config/engine/builtin_shaders.h"

#include <algorithm>
#include <cassert>

namespace lab::render_config {

std::span<const std::uint32_t> builtin_shader(std::string_view file) {
  const std::span<const BuiltinShader> shaders = builtin_shaders();
  const auto found = std::ranges::find(shaders, file, &BuiltinShader::file);
  assert(found != shaders.end());
  return found->words;
}

}  // namespace lab::render_config
