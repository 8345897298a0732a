/// A pass of a resource generator: what it draws, what it draws to, and the values with which its targets begin.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/declarations.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

/// What a pass can name: resources, views and shaders of the config, and layers.
struct PassScope {
  const Config& config;
  const std::vector<Layer>& layers;
  const RenderEnvironment& environment;
  const Values& values;
};

/// The fields "targets" and "depth" of a pass.
void read_targets(const Node& node, const PassScope& scope, Pass& pass);

/// The field "clear" of a pass with targets.
void read_clears(const Node& node, const PassScope& scope, Pass& pass);

/// The resources that a pass draws to, in the order of Pass::clears.
std::vector<std::size_t> written_by(const Pass& pass);

Pass read_pass(const Node& node, std::string name, const PassScope& scope);

}  // namespace lab::render_config
