/// What a shader reads and writes, found in its SPIR-V.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "harness/base/error.h"

namespace lab::render_config {

enum class ShaderStage : std::uint8_t { kVertex, kFragment };

struct ShaderInterface {
  struct Constant {
    std::uint32_t offset = 0, components = 1;
    bool operator==(const Constant&) const = default;
  };
  std::map<std::string, std::uint32_t> images;  ///< bindings in set 1, by name
  std::map<std::string, Constant> constants;    ///< push constants after `view`, by name
  std::map<std::uint32_t, std::string> inputs;  ///< types, by location
  std::map<std::uint32_t, std::string> outputs;
  bool discards = false;  ///< it may leave a pixel as it was
};

/// An error, without a place, if the shader uses something that no pass provides: another set or binding, an image of
/// another kind, other push constants, a feature of the device.
Expected<ShaderInterface> shader_interface(std::span<const std::uint32_t> words, ShaderStage stage);

}  // namespace lab::render_config
