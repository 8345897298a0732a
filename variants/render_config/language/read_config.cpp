#include "variants/render_config/language/read_config.h"

#include <fmt/format.h>

#include "variants/render_config/language/declarations.h"
#include "variants/render_config/language/frame.h"
#include "variants/render_config/language/sections.h"

namespace lab::render_config {

namespace {

const Node* section(const std::optional<Node>& found, std::string_view name, const Place& file, Problems& problems) {
  if (found) return &*found;
  problems.add(file, fmt::format("expected a render config with \"{}\", found none", name));
  return nullptr;
}

void read_frame(const Sections& sections, const PassScope& scope, Config& config) {
  Problems& problems = scope.values.problems();
  check_generators(sections.generators, scope);
  if (problems.any()) return;
  const Node* const frame = section(sections.frame, "frame", sections.place, problems);
  if (frame != nullptr) config.frame = run_generators(*frame, sections.generators, scope);
}

Config resolve(const Sections& sections, const RenderEnvironment& environment, Problems& problems) {
  const Values values(sections.settings, problems);
  Config config;
  config.resources = read_resources(sections.resources, environment, values);
  config.views = read_views(sections.views, environment, values);
  std::vector<Layer> layers = read_layers(sections.layers, environment.orders, values);
  config.shaders = read_shaders(sections.shaders, values);
  read_materials(sections.materials, environment.materials, config.shaders, values, layers);
  read_frame(sections, {config, layers, environment, values}, config);
  if (problems.any()) return config;
  number_views(config, environment, problems);
  if (const Node* const output = section(sections.output, "output", sections.place, problems))
    config.output = values.choice(*output, "a global resource", names_of(config.resources));
  return config;
}

}  // namespace

Expected<Config> read_config(const std::filesystem::path& file, const RenderEnvironment& environment, FileSet& files) {
  Problems problems;
  const Sections sections = read_sections(file.lexically_normal(), files, problems);
  if (problems.any()) return problems.first();
  Config config = resolve(sections, environment, problems);
  if (!problems.any()) check_frame(config, sections.frame->place, sections.output->place, problems);
  if (problems.any()) return problems.first();
  return config;
}

}  // namespace lab::render_config
