#include "variants/render_config/language/shaders.h"

namespace lab::render_config {

namespace {

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
