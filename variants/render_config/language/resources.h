/// The section global_resources: the images that passes write and read.
#pragma once

#include <string>
#include <vector>

#include "variants/render_config/language/config.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

std::vector<Resource> read_resources(const std::vector<Member>& section, const RenderEnvironment& environment,
                                     const Values& values);

/// For what is wrong with a resource: "rgba8", and "a scale of 1" or "64 x 64 pixels".
std::string format_name(const Resource& resource);
std::string size_name(const Resource& resource);

}  // namespace lab::render_config
