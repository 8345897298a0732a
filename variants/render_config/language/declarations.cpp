#include "variants/render_config/language/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lab::render_config {

namespace {

void check_support(const Resource& resource, const Place& place, const RenderEnvironment& environment,
                   Problems& problems) {
  if (environment.supports(resource.format)) return;
  std::vector<std::string> supported;
  for (std::size_t i = 0; i < kFormats.size(); ++i)
    if (environment.supports(static_cast<Format>(i))) supported.emplace_back(kFormats[i]);
  problems.add(place, fmt::format("expected a format that this device can draw to and sample ({}), "
                                  "found '{}'",
                                  list_of(supported), format_name(resource)));
}

void read_pixels(const Node& pixels, std::uint32_t most, const Values& values, Resource& resource) {
  if (values.items(pixels, "a width and a height").size() != 2) {
    values.problems().add(pixels.place,
                          fmt::format("expected a width and a height, found {} values", pixels.items.size()));
    return;
  }
  for (std::size_t i = 0; i < 2; ++i) resource.pixels[i] = values.whole(pixels.items[i], "a whole number", 1, most);
}

void read_size(const Node& node, std::uint32_t most_pixels, const Values& values, Resource& resource) {
  const Node* const scale = node.find("scale");
  const Node* const pixels = node.find("pixels");
  if (scale != nullptr && pixels != nullptr)
    values.problems().add(pixels->place, "expected \"scale\" or \"pixels\", found both");
  if (scale != nullptr) resource.scale = values.number(*scale, "a scale", 1.0 / 1024, 4);
  if (pixels != nullptr) read_pixels(*pixels, most_pixels, values, resource);
}

void read_resource(const Node& node, const RenderEnvironment& environment, const Values& values, Resource& resource) {
  if (!values.object(node, "a resource", {"format", "scale", "pixels"})) return;
  const Node* const format = values.needed(node, "format", "a resource");
  if (format == nullptr) return;
  values.choose(node, "format", kFormats, resource.format);
  check_support(resource, format->place, environment, values.problems());
  read_size(node, environment.most_pixels, values, resource);
}

void read_cascade(const Node& node, const Values& values, View& view) {
  const Node* const cascade = values.needed(node, "cascade", "a view");
  const Node* const of = values.needed(node, "of", "a view");
  if (values.problems().any()) return;
  view.of = values.whole(*of, "a whole number", 1, 8);
  view.cascade = values.whole(*cascade, "a whole number", 0, view.of - 1.0);
}

void read_view(const Member& member, std::uint32_t most_pixels, const Values& values, View& view) {
  const Node& node = member.value;
  if (!values.object(node, "a view", {"cascade", "of", "reach", "split", "fit", "pixels"})) return;
  if (member.name == "camera")
    values.problems().add(member.place, "expected a name other than 'camera', which always exists");
  read_cascade(node, values, view);
  if (const Node* const reach = node.find("reach")) view.reach = values.number(*reach, "metres", 1, 10'000);
  if (const Node* const split = node.find("split")) view.split = values.number(*split, "a number", 0, 1);
  if (const Node* const pixels = node.find("pixels"))
    view.pixels = values.whole(*pixels, "a whole number", 1, most_pixels);
  std::size_t fit = view.sphere ? 0 : 1;
  constexpr std::array<std::string_view, 2> kFits{"sphere", "box"};
  values.choose(node, "fit", kFits, fit);
  view.sphere = fit == 0;
}

void read_shader(const Node& node, const Values& values, Shader& shader) {
  if (!values.object(node, "a shader", {"vertex", "fragment", "cull", "depth", "depth_write", "blend"})) return;
  const Node* const vertex = values.needed(node, "vertex", "a shader");
  if (vertex == nullptr) return;
  shader.vertex = values.path(*vertex).string();
  shader.vertex_place = vertex->place;
  if (const Node* const fragment = node.find("fragment")) {
    shader.fragment = values.path(*fragment).string();
    shader.fragment_place = fragment->place;
  }
  values.choose(node, "cull", kCulls, shader.cull);
  values.choose(node, "depth", kDepthTests, shader.depth);
  values.choose(node, "blend", kBlends, shader.blend);
  if (const Node* const write = node.find("depth_write")) shader.depth_write = values.boolean(*write, "a boolean");
}

}  // namespace

std::vector<Resource> read_resources(const std::vector<Member>& section, const RenderEnvironment& environment,
                                     const Values& values) {
  std::vector<Resource> resources;
  for (const Member& member : section)
    read_resource(member.value, environment, values,
                  resources.emplace_back(Resource{.name = member.name, .place = member.place}));
  return resources;
}

std::string format_name(const Resource& resource) {
  return std::string(kFormats[static_cast<std::size_t>(resource.format)]);
}

std::string size_name(const Resource& resource) {
  if (resource.pixels[0] != 0) return fmt::format("{} x {} pixels", resource.pixels[0], resource.pixels[1]);
  return fmt::format("a scale of {}", resource.scale);
}

std::vector<View> read_views(const std::vector<Member>& section, const RenderEnvironment& environment,
                             const Values& values) {
  std::vector<View> views;
  for (const Member& member : section)
    read_view(member, environment.most_pixels, values,
              views.emplace_back(View{.name = member.name, .place = member.place}));
  return views;
}

void number_views(Config& config, const RenderEnvironment& environment, Problems& problems) {
  std::vector<std::size_t> numbers(config.views.size() + 1);  // the camera's stays 0
  std::vector<View> named;
  for (std::size_t old = 1; old < numbers.size(); ++old) {
    if (std::ranges::find(config.frame, old, &Pass::view) == config.frame.end()) continue;
    named.push_back(std::move(config.views[old - 1]));
    numbers[old] = named.size();
  }
  for (Pass& pass : config.frame) pass.view = numbers[pass.view];
  config.views = std::move(named);
  if (config.views.size() > environment.most_views)
    problems.add(config.views[environment.most_views].place,
                 fmt::format("expected at most {} views, found {}", environment.most_views, config.views.size()));
}

std::vector<Layer> read_layers(const std::vector<Member>& section, const std::vector<std::string_view>& orders,
                               const Values& values) {
  std::vector<Layer> layers;
  for (const Member& member : section) {
    Layer& layer = layers.emplace_back(Layer{.name = member.name});
    if (!values.object(member.value, "a layer", {"order"})) continue;
    if (const Node* const order = member.value.find("order"))
      layer.order = values.choice(*order, "an order", strings(orders));
  }
  return layers;
}

std::vector<Shader> read_shaders(const std::vector<Member>& section, const Values& values) {
  std::vector<Shader> shaders;
  for (const Member& member : section)
    read_shader(member.value, values, shaders.emplace_back(Shader{.name = member.name, .place = member.place}));
  return shaders;
}

void read_materials(const std::vector<Member>& section, const std::vector<std::string_view>& materials,
                    const std::vector<Shader>& shaders, const Values& values, std::vector<Layer>& layers) {
  for (Layer& layer : layers) layer.shaders.assign(materials.size(), std::nullopt);
  for (const Member& member : section) {
    const auto material = values.place_of(member.place, member.name, "a material of the scene", strings(materials));
    if (!material) return;
    for (const Member& entry : values.members(member.value, "layers with shaders")) {
      const auto layer = values.place_of(entry.place, entry.name, "a layer", names_of(layers));
      const std::size_t shader = values.choice(entry.value, "a shader", names_of(shaders));
      if (values.problems().any()) return;
      layers[*layer].shaders[*material] = shader;
    }
  }
}

}  // namespace lab::render_config
