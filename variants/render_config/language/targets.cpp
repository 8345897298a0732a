#include "variants/render_config/language/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "variants/render_config/language/resources.h"

namespace lab::render_config {

namespace {

void read_colour(const Node& node, const std::vector<Resource>& resources, const Values& values, Pass& pass) {
  const std::size_t number = values.choice(node, "a global resource", names_of(resources));
  Problems& problems = values.problems();
  if (problems.any()) return;
  const Resource& resource = resources[number];
  if (is_depth(resource.format))
    problems.add(node.place, fmt::format("expected a resource with a colour format, found '{}' with {}",
                                         printable(resource.name), format_name(resource)));
  if (std::ranges::find(pass.targets, number) != pass.targets.end())
    problems.add(node.place, fmt::format("expected each target once, found '{}' again", printable(resource.name)));
  pass.targets.push_back(number);
}

void read_depth(const Node& node, const std::vector<Resource>& resources, const Values& values, Pass& pass) {
  const std::size_t number = values.choice(node, "a global resource", names_of(resources));
  if (values.problems().any()) return;
  const Resource& resource = resources[number];
  if (!is_depth(resource.format))
    values.problems().add(node.place, fmt::format("expected a resource with a depth format, found '{}' with {}",
                                                  printable(resource.name), format_name(resource)));
  pass.depth = number;
}

void check_sizes(const Pass& pass, const std::vector<Resource>& resources, Problems& problems) {
  const std::vector<std::size_t> written = written_by(pass);
  const Resource& first = resources[written.front()];
  for (const std::size_t index : written) {
    const Resource& other = resources[index];
    if (other.pixels != first.pixels || (other.pixels[0] == 0 && other.scale != first.scale))
      problems.add(pass.place,
                   fmt::format("expected targets of one size, found '{}' with {} and '{}' with {}",
                               printable(first.name), size_name(first), printable(other.name), size_name(other)));
  }
}

std::array<float, 4> clear_value(const Node& node, const Resource& resource, const Values& values) {
  if (is_depth(resource.format)) return {static_cast<float>(values.number(node, "a depth", 0, 1))};
  std::array<float, 4> colour{};
  std::ranges::copy(values.numbers(node, "four numbers", 4, 4), colour.begin());
  return colour;
}

}  // namespace

void read_targets(const Node& node, const std::vector<Resource>& resources, const RenderEnvironment& environment,
                  const Values& values, Pass& pass) {
  Problems& problems = values.problems();
  if (const Node* const targets = node.find("targets"))
    for (const Node& target : values.items(*targets, "global resources")) read_colour(target, resources, values, pass);
  if (pass.targets.size() > environment.most_targets)
    problems.add(node.place,
                 fmt::format("expected at most {} targets, found {}", environment.most_targets, pass.targets.size()));
  if (const Node* const depth = node.find("depth")) read_depth(*depth, resources, values, pass);
  pass.clears.resize(pass.targets.size() + (pass.depth ? 1 : 0));
  if (pass.clears.empty())
    problems.add(node.place, "expected a pass with \"targets\" or \"depth\", found neither");
  else
    check_sizes(pass, resources, problems);
}

void read_clears(const Node& node, const std::vector<Resource>& resources, const Values& values, Pass& pass) {
  const std::vector<std::size_t> written = written_by(pass);
  std::vector<std::string> names;
  for (const std::size_t resource : written) names.push_back(printable(resources[resource].name));
  for (const Member& member : values.members(node, "targets with values")) {
    const auto at = values.place_of(member.place, member.name, "a target of this pass", names);
    if (!at) return;
    pass.clears[*at] = clear_value(member.value, resources[written[*at]], values);
  }
}

void check_blends(const Pass& pass, const Config& config, const RenderEnvironment& environment, Problems& problems) {
  std::vector<std::optional<std::size_t>> shaders = pass.material_shaders;
  if (pass.fullscreen) shaders.emplace_back(pass.shader);
  for (const std::optional<std::size_t>& shader : shaders) {
    if (!shader || config.shaders[*shader].blend == Blend::kNone) continue;
    for (const std::size_t target : pass.targets)
      if (!environment.blends(config.resources[target].format))
        problems.add(pass.place,
                     fmt::format("expected a target that this device can blend for the shader '{}', "
                                 "found '{}' with {}",
                                 printable(config.shaders[*shader].name), printable(config.resources[target].name),
                                 format_name(config.resources[target])));
  }
}

std::vector<std::size_t> written_by(const Pass& pass) {
  std::vector<std::size_t> written = pass.targets;
  if (pass.depth) written.push_back(*pass.depth);
  return written;
}

}  // namespace lab::render_config
