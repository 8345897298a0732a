/// The sections layers, shaders and materials: what a pass draws, and with which shaders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

struct Layer {
  std::string name;
  std::size_t order = 0;                                 ///< of the environment's
  std::vector<std::optional<std::size_t>> shaders = {};  ///< by material of the environment
};

/// Without shaders.
std::vector<Layer> read_layers(const std::vector<Member>& section, const std::vector<std::string_view>& orders,
                               const Values& values);

std::vector<Shader> read_shaders(const std::vector<Member>& section, const Values& values);

/// Gives the layers their shaders.
void read_materials(const std::vector<Member>& section, const std::vector<std::string_view>& materials,
                    const std::vector<Shader>& shaders, const Values& values, std::vector<Layer>& layers);

}  // namespace lab::render_config
