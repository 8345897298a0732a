/// A pass of a resource generator.
#pragma once

#include <string>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/shaders.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

/// What a pass can name: resources, views and shaders of the config, and layers.
struct PassScope {
  const Config& config;
  const std::vector<Layer>& layers;
  const RenderEnvironment& environment;
  const Values& values;
};

Pass read_pass(const Node& node, std::string name, const PassScope& scope);

}  // namespace lab::render_config
