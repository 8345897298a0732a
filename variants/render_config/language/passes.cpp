#include "variants/render_config/language/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lab::render_config {

namespace {

// The number of a resource with a format of depth, or of colour; nothing after a problem.
std::optional<std::size_t> read_target(const Node& node, const PassScope& scope, bool depth) {
  const std::size_t number = scope.values.choice(node, "a global resource", names_of(scope.config.resources));
  Problems& problems = scope.values.problems();
  if (problems.any()) return std::nullopt;
  const Resource& resource = scope.config.resources[number];
  if (is_depth(resource.format) != depth)
    problems.add(node.place, fmt::format("expected a resource with a {} format, found '{}' with {}",
                                         depth ? "depth" : "colour", printable(resource.name), format_name(resource)));
  return number;
}

void read_colour(const Node& node, const PassScope& scope, Pass& pass) {
  const std::optional<std::size_t> number = read_target(node, scope, false);
  if (!number) return;
  if (std::ranges::find(pass.targets, *number) != pass.targets.end())
    scope.values.problems().add(node.place, fmt::format("expected each target once, found '{}' again",
                                                        printable(scope.config.resources[*number].name)));
  pass.targets.push_back(*number);
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

void read_layer(const Node& draw, const PassScope& scope, Pass& pass) {
  const std::size_t number = scope.values.choice(draw, "a layer", names_of(scope.layers));
  if (scope.values.problems().any()) return;
  pass.order = scope.layers[number].order;
  pass.material_shaders = scope.layers[number].shaders;
}

void read_what_it_draws(const Node& node, const PassScope& scope, Pass& pass) {
  const Node* const draw = node.find("draw");
  const Node* const fullscreen = node.find("fullscreen");
  const char* const found = draw == nullptr ? "none" : "two";
  if ((draw == nullptr) == (fullscreen == nullptr))
    return scope.values.problems().add(
        node.place,
        fmt::format("expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", found {}", found));
  pass.fullscreen = draw == nullptr;
  scope.values.only(node, {pass.fullscreen ? "fullscreen" : "draw", "view", "targets", "depth", "clear", "viewport",
                           "inputs", "constants", "when"});
  if (pass.fullscreen)
    pass.shader = scope.values.choice(*fullscreen, "a shader", names_of(scope.config.shaders));
  else
    read_layer(*draw, scope, pass);
}

void read_view(const Node& node, const PassScope& scope, Pass& pass) {
  std::vector<std::string> views = names_of(scope.config.views);
  views.insert(views.begin(), "camera");
  pass.view = scope.values.choice(node, "a view", views);
}

void read_viewport(const Node& node, const Values& values, Pass& pass) {
  Problems& problems = values.problems();
  if (values.items(node, "x, y, width and height").size() != 4) {
    problems.add(node.place, fmt::format("expected x, y, width and height, found {} values", node.items.size()));
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) pass.viewport[i] = values.number(node.items[i], "a number", i < 2 ? 0 : 1e-4, 1);
  for (std::size_t i = 0; i < 2; ++i)
    if (pass.viewport[i] + pass.viewport[i + 2] > 1 + 1e-9)
      problems.add(node.place, fmt::format("expected a viewport within 0 to 1, found it from {} to {}",
                                           pass.viewport[i], pass.viewport[i] + pass.viewport[i + 2]));
}

// The node that names the resource, or null after a problem.
const Node* read_how(const Node& node, const Values& values, Input& input) {
  if (node.kind != Node::Kind::kObject) return &node;
  values.only(node, {"resource", "filter", "previous"});
  const Node* const resource = values.needed(node, "resource", "an input");
  std::size_t filter = 0;
  values.choose(node, "filter", std::array<std::string_view, 2>{"nearest", "linear"}, filter);
  input.linear = filter == 1;
  if (const Node* const previous = node.find("previous")) input.previous = values.boolean(*previous, "a boolean");
  return resource;
}

void check_not_written(const Input& input, const Resource& resource, const Place& place, const Pass& pass,
                       Problems& problems) {
  const std::vector<std::size_t> written = written_by(pass);
  if (input.previous || std::ranges::find(written, input.resource) == written.end()) return;
  problems.add(place,
               fmt::format("expected an input that the pass does not write, found '{}'", printable(resource.name)),
               "\"previous\": true reads what it held at the end of the last frame");
}

void check_filter(const Input& input, const Resource& resource, const Place& place,
                  const RenderEnvironment& environment, Problems& problems) {
  if (!input.linear || environment.filters(resource.format)) return;
  problems.add(place, fmt::format("expected a resource that this device can filter, found '{}' with {}",
                                  printable(resource.name), format_name(resource)));
}

void read_input(const Member& member, const PassScope& scope, Pass& pass) {
  Problems& problems = scope.values.problems();
  Input input{.name = member.name, .place = member.place};
  const Node* const named = read_how(member.value, scope.values, input);
  if (problems.any()) return;
  input.resource = scope.values.choice(*named, "a global resource", names_of(scope.config.resources));
  if (problems.any()) return;
  const Resource& resource = scope.config.resources[input.resource];
  check_not_written(input, resource, named->place, pass, problems);
  check_filter(input, resource, member.value.place, scope.environment, problems);
  pass.inputs.push_back(std::move(input));
}

void read_inputs(const Node& node, const PassScope& scope, Pass& pass) {
  for (const Member& member : scope.values.members(node, "images by their names in the shader"))
    read_input(member, scope, pass);
  if (pass.inputs.size() > kMostInputs)
    scope.values.problems().add(node.place,
                                fmt::format("expected at most {} inputs, found {}", kMostInputs, pass.inputs.size()));
}

void read_constants(const Node& node, const Values& values, Pass& pass) {
  for (const Member& member : values.members(node, "numbers by their names in the shader"))
    pass.constants.push_back({member.name, member.place, values.numbers(member.value, "1 to 4 numbers", 1, 4)});
}

// With targets, which the others name.
void read_uses(const Node& node, const PassScope& scope, Pass& pass) {
  const Values& values = scope.values;
  if (const Node* const viewport = node.find("viewport")) read_viewport(*viewport, values, pass);
  if (const Node* const clear = node.find("clear")) read_clears(*clear, scope, pass);
  if (const Node* const inputs = node.find("inputs")) read_inputs(*inputs, scope, pass);
  if (const Node* const constants = node.find("constants")) read_constants(*constants, values, pass);
}

void check_blends(const Pass& pass, const PassScope& scope) {
  const Config& config = scope.config;
  std::vector<std::optional<std::size_t>> shaders = pass.material_shaders;
  if (pass.fullscreen) shaders.emplace_back(pass.shader);
  for (const std::optional<std::size_t>& shader : shaders) {
    if (!shader || config.shaders[*shader].blend == Blend::kNone) continue;
    for (const std::size_t target : pass.targets)
      if (!scope.environment.blends(config.resources[target].format))
        scope.values.problems().add(
            pass.place, fmt::format("expected a target that this device can blend for the shader '{}', "
                                    "found '{}' with {}",
                                    printable(config.shaders[*shader].name), printable(config.resources[target].name),
                                    format_name(config.resources[target])));
  }
}

bool covers(const Pass& pass, const std::vector<Shader>& shaders) {
  const bool whole = pass.viewport == std::array<double, 4>{0, 0, 1, 1};
  if (!pass.fullscreen || !whole || pass.depth) return false;
  const Shader& shader = shaders[pass.shader];
  return shader.blend == Blend::kNone && shader.cull == Cull::kNone;
}

}  // namespace

void read_targets(const Node& node, const PassScope& scope, Pass& pass) {
  Problems& problems = scope.values.problems();
  if (const Node* const targets = node.find("targets"))
    for (const Node& target : scope.values.items(*targets, "global resources")) read_colour(target, scope, pass);
  if (pass.targets.size() > scope.environment.most_targets)
    problems.add(node.place, fmt::format("expected at most {} targets, found {}", scope.environment.most_targets,
                                         pass.targets.size()));
  if (const Node* const depth = node.find("depth")) pass.depth = read_target(*depth, scope, true);
  pass.clears.resize(pass.targets.size() + (pass.depth ? 1 : 0));
  if (pass.clears.empty())
    problems.add(node.place, "expected a pass with \"targets\" or \"depth\", found neither");
  else
    check_sizes(pass, scope.config.resources, problems);
}

void read_clears(const Node& node, const PassScope& scope, Pass& pass) {
  const std::vector<Resource>& resources = scope.config.resources;
  const std::vector<std::size_t> written = written_by(pass);
  std::vector<std::string> names;
  for (const std::size_t resource : written) names.push_back(printable(resources[resource].name));
  for (const Member& member : scope.values.members(node, "targets with values")) {
    const auto at = scope.values.place_of(member.place, member.name, "a target of this pass", names);
    if (!at) return;
    pass.clears[*at] = clear_value(member.value, resources[written[*at]], scope.values);
  }
}

std::vector<std::size_t> written_by(const Pass& pass) {
  std::vector<std::size_t> written = pass.targets;
  if (pass.depth) written.push_back(*pass.depth);
  return written;
}

Pass read_pass(const Node& node, std::string name, const PassScope& scope) {
  const Problems& problems = scope.values.problems();
  Pass pass{.name = std::move(name), .place = node.place};
  read_what_it_draws(node, scope, pass);
  if (problems.any()) return pass;
  if (const Node* const view = node.find("view")) read_view(*view, scope, pass);
  if (!problems.any()) read_targets(node, scope, pass);
  if (!problems.any()) read_uses(node, scope, pass);
  if (problems.any()) return pass;
  check_blends(pass, scope);
  pass.covers = covers(pass, scope.config.shaders);
  return pass;
}

}  // namespace lab::render_config
