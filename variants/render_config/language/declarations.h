/// What a configuration declares for its passes: the sections global_resources, views, layers, shaders and materials.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

std::vector<Resource> read_resources(const std::vector<Member>& section, const RenderEnvironment& environment,
                                     const Values& values);

/// For what is wrong with a resource: "rgba8", and "a scale of 1" or "64 x 64 pixels".
std::string format_name(const Resource& resource);
std::string size_name(const Resource& resource);

std::vector<View> read_views(const std::vector<Member>& section, const RenderEnvironment& environment,
                             const Values& values);

/// Leaves out the views that no pass of the frame names; the others keep their order.
void number_views(Config& config, const RenderEnvironment& environment, Problems& problems);

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
