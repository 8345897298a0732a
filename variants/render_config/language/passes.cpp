#include "variants/render_config/language/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "variants/render_config/language/resources.h"
#include "variants/render_config/language/targets.h"

namespace lab::render_config {

namespace {

void read_layer_pass(const Node& node, const Node& draw, const PassScope& scope, Pass& pass) {
  scope.values.only(node, {"draw", "view", "targets", "depth", "clear", "viewport", "inputs", "constants", "when"});
  const std::size_t number = scope.values.choice(draw, "a layer", names_of(scope.layers));
  if (scope.values.problems().any()) return;
  const Layer& layer = scope.layers[number];
  pass.order = layer.order;
  pass.material_shaders = layer.shaders;
}

void read_fullscreen_pass(const Node& node, const Node& fullscreen, const PassScope& scope, Pass& pass) {
  scope.values.only(node,
                    {"fullscreen", "view", "targets", "depth", "clear", "viewport", "inputs", "constants", "when"});
  pass.fullscreen = true;
  pass.shader = scope.values.choice(fullscreen, "a shader", names_of(scope.config.shaders));
}

void read_what_it_draws(const Node& node, const PassScope& scope, Pass& pass) {
  const Node* const draw = node.find("draw");
  const Node* const fullscreen = node.find("fullscreen");
  if ((draw == nullptr) == (fullscreen == nullptr))
    scope.values.problems().add(node.place,
                                fmt::format("expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", "
                                            "found {}",
                                            draw == nullptr ? "none" : "two"));
  else if (draw != nullptr)
    read_layer_pass(node, *draw, scope, pass);
  else
    read_fullscreen_pass(node, *fullscreen, scope, pass);
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
  if (const Node* const clear = node.find("clear")) read_clears(*clear, scope.config.resources, values, pass);
  if (const Node* const inputs = node.find("inputs")) read_inputs(*inputs, scope, pass);
  if (const Node* const constants = node.find("constants")) read_constants(*constants, values, pass);
}

bool covers(const Pass& pass, const std::vector<Shader>& shaders) {
  const bool whole = pass.viewport == std::array<double, 4>{0, 0, 1, 1};
  if (!pass.fullscreen || !whole || pass.depth) return false;
  const Shader& shader = shaders[pass.shader];
  return shader.blend == Blend::kNone && shader.cull == Cull::kNone;
}

}  // namespace

Pass read_pass(const Node& node, std::string name, const PassScope& scope) {
  const Problems& problems = scope.values.problems();
  Pass pass{.name = std::move(name), .place = node.place};
  read_what_it_draws(node, scope, pass);
  if (problems.any()) return pass;
  if (const Node* const view = node.find("view")) read_view(*view, scope, pass);
  if (!problems.any()) read_targets(node, scope.config.resources, scope.environment, scope.values, pass);
  if (!problems.any()) read_uses(node, scope, pass);
  if (problems.any()) return pass;
  check_blends(pass, scope.config, scope.environment, scope.values.problems());
  pass.covers = covers(pass, scope.config.shaders);
  return pass;
}

}  // namespace lab::render_config
