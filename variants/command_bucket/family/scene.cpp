#include "variants/command_bucket/family/scene.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "harness/base/random.h"

namespace lab::command_bucket {

namespace {

std::vector<Component> make_components(Random& random, std::size_t count) {
  std::vector<Component> components(count);
  for (std::size_t i = 0; i < count; ++i)
    components[i] = {.id = static_cast<std::uint32_t>(i),
                     .index_count = static_cast<std::uint32_t>(3 * random.between(1, 10'000)),
                     .first_index = static_cast<std::uint32_t>(random.below(1u << 30)),
                     .base_vertex = static_cast<std::uint32_t>(random.below(1u << 30)),
                     .vertex_buffer = static_cast<std::uint16_t>(random.below(1u << 16)),
                     .index_buffer = static_cast<std::uint16_t>(random.below(1u << 16))};
  return components;
}

/// A key with its commands.
struct Entry {
  std::uint64_t key;
  std::optional<MapConstants> map;
  Draw draw;
};

Entry make_entry(const Scene& scene, Layer layer, const Component& component) {
  Entry entry{generate_key(scene, layer, component), {}, {}};
  unsigned command = layer;
  if (layer == kLighting) fill(entry.map.emplace(), component, artificial_work(scene, command++, component));
  fill(entry.draw, component, artificial_work(scene, command, component));
  return entry;
}

}  // namespace

Scene make_scene(std::uint64_t seed, std::size_t meshes, std::size_t lights, unsigned work_steps) {
  assert(lights <= 1u << 16);
  Random random(seed);
  Scene scene;
  scene.salt = random.next();
  scene.meshes = make_components(random, meshes);
  scene.lights = make_components(random, lights);
  scene.work_steps = work_steps;
  return scene;
}

Backend expected(const Scene& scene) {
  Backend backend;
  for (const Layer layer : {kGBuffer, kShadowMap, kLighting}) {
    std::vector<Entry> entries;
    for (const Component& component : layer == kLighting ? scene.lights : scene.meshes)
      entries.push_back(make_entry(scene, layer, component));
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (const Entry& entry : entries) {
      if (entry.map) MapConstants::dispatch(&*entry.map, backend);
      Draw::dispatch(&entry.draw, backend);
    }
  }
  return backend;
}

std::vector<std::uint32_t> submission_order(const Scene& scene) {
  std::vector<std::uint32_t> order;
  order.reserve(scene.commands());
  const auto first_light = static_cast<std::uint32_t>(2 * scene.meshes.size());
  for (const Layer layer : {kGBuffer, kShadowMap, kLighting}) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;  // key, id
    for (const Component& component : layer == kLighting ? scene.lights : scene.meshes)
      entries.emplace_back(generate_key(scene, layer, component), component.id);
    std::sort(entries.begin(), entries.end());
    for (const auto& [key, id] : entries) {
      if (layer == kLighting)
        order.insert(order.end(), {first_light + 2 * id, first_light + 2 * id + 1});
      else
        order.push_back(2 * id + layer);
    }
  }
  return order;
}

}  // namespace lab::command_bucket
