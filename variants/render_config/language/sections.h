/// The sections of a configuration, from its files: settings, render configs and shader libraries.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "variants/render_config/language/file_set.h"
#include "variants/render_config/language/values.h"

namespace lab::render_config {

/// The sections of a render config and of the files that it extends and names, merged.
struct Sections {
  std::vector<Member> settings, resources, views, layers, generators, shaders, materials;
  std::optional<Node> frame, output;
  Place place;  ///< of the file that was asked for
};

/// What is in the sections is not read, except that settings are numbers, booleans and strings.
Sections read_sections(const std::filesystem::path& file, FileSet& files, Problems& problems);

}  // namespace lab::render_config
