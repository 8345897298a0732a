#include "variants/command_bucket/family/scene.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/random.h"
#include "variants/command_bucket/family/keys.h"

namespace lab::command_bucket {

namespace {

constexpr std::size_t kMostComponents = 1u << kIdBits;
constexpr unsigned kTranslucentOf = 10;  // one component in ten is translucent

/// In [0, 1), with the 24 bits that a float holds.
float fraction(Random& random) {
  return static_cast<float>(random.below(1u << 24)) * 0x1p-24f;
}

/// `sorted_by`: of what the components are sorted by, apart from the rest, which stays as it was in earlier results.
std::vector<Component> make_components(Random& random, Random& sorted_by, std::size_t count) {
  std::vector<Component> components(count);
  for (std::size_t i = 0; i < count; ++i)
    components[i] = {.id = static_cast<std::uint32_t>(i),
                     .index_count = static_cast<std::uint32_t>(3 * random.between(1, 10'000)),
                     .first_index = static_cast<std::uint32_t>(random.below(1u << 30)),
                     .base_vertex = static_cast<std::uint32_t>(random.below(1u << 30)),
                     .vertex_buffer = static_cast<std::uint16_t>(random.below(1u << 16)),
                     .index_buffer = static_cast<std::uint16_t>(random.below(1u << 16)),
                     .material = static_cast<std::uint16_t>(sorted_by.below(kMaterials)),
                     .blend = sorted_by.below(kTranslucentOf) == 0,
                     .depth = kNearest * std::pow(kFarthest / kNearest, fraction(sorted_by))};  // log-uniform
  return components;
}

/// A key, put together in another way than by the versions: field by field, from the most significant one.
std::uint64_t reference_key(const Scene& scene, Layer layer, const Component& component) {
  if (scene.keys == KeyLayout::kScattered) return scattered_key(scene, layer, component);
  const bool is_short = scene.keys == KeyLayout::kByShortDepth;
  const KeyFields fields =
      is_short ? fields_of<kShortDepthBits>(layer, component) : fields_of<kDepthBits>(layer, component);
  std::pair<std::uint64_t, unsigned> depth{fields.depth, is_short ? kShortDepthBits : kDepthBits};
  std::pair<std::uint64_t, unsigned> material{fields.material, kMaterialBits};
  if (scene.keys == KeyLayout::kByMaterial) std::swap(depth, material);
  std::uint64_t key = fields.blend;
  for (const auto& [value, bits] : {depth, material, std::pair{fields.id, kIdBits}}) key = (key << bits) + value;
  return key;
}

/// A key with its commands.
struct Entry {
  std::uint64_t key;
  const Component* component;
  std::optional<MapConstants> map;
  std::optional<UpdateBuffer> update;
  Draw draw;
};

Entry make_entry(const Scene& scene, Layer layer, const Component& component) {
  Entry entry{reference_key(scene, layer, component), &component, {}, {}, {}};
  unsigned command = layer;
  if (layer == kLighting) {
    if (scene.updates == Updates::kMapped)
      fill(entry.map.emplace(), component, artificial_work(scene, command, component));
    else
      entry.update = {component.id, 0};
    ++command;
  }
  fill(entry.draw, component, artificial_work(scene, command, component));
  return entry;
}

/// The entries of a bucket by ascending key.
std::vector<Entry> sorted_entries(const Scene& scene, Layer layer) {
  std::vector<Entry> entries;
  for (const Component& component : layer == kLighting ? scene.lights : scene.meshes)
    entries.push_back(make_entry(scene, layer, component));
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  return entries;
}

}  // namespace

Scene make_scene(std::uint64_t seed, std::size_t meshes, std::size_t lights, unsigned work_steps) {
  assert(meshes <= kMostComponents && lights <= kMostComponents);
  Random random(seed), sorted_by(scatter(seed));
  Scene scene;
  scene.salt = random.next();
  scene.meshes = make_components(random, sorted_by, meshes);
  scene.lights = make_components(random, sorted_by, lights);
  scene.work_steps = work_steps;
  return scene;
}

Backend expected(const Scene& scene) {
  Backend backend;
  std::vector<std::byte> buffers(scene.buffer_updates() * kUpdateBytes);
  backend.buffers = buffers.data();
  for (const Layer layer : kAllLayers)
    for (const Entry& entry : sorted_entries(scene, layer)) {
      if (entry.map) MapConstants::dispatch(&*entry.map, backend);
      if (entry.update) UpdateBuffer::dispatch(&*entry.update, backend);
      Draw::dispatch(&entry.draw, backend);
    }
  if (!buffers.empty()) {
    for (const Component& light : scene.lights)
      write_constants(&buffers[std::size_t{light.id} * kUpdateBytes], light, artificial_work(scene, kLighting, light));
    backend.checksum.bytes(buffers.data(), buffers.size());
  }
  backend.buffers = nullptr;
  return backend;
}

std::vector<std::uint32_t> submission_order(const Scene& scene) {
  std::vector<std::uint32_t> order;
  order.reserve(scene.commands());
  const auto first_light = static_cast<std::uint32_t>(2 * scene.meshes.size());
  for (const Layer layer : kAllLayers)
    for (const Entry& entry : sorted_entries(scene, layer)) {
      const std::uint32_t id = entry.component->id;
      if (layer == kLighting)
        order.insert(order.end(), {first_light + 2 * id, first_light + 2 * id + 1});
      else
        order.push_back(2 * id + layer);
    }
  return order;
}

std::size_t material_changes(const Scene& scene) {
  std::size_t changes = 0;
  for (const Layer layer : kAllLayers) {
    const std::vector<Entry> entries = sorted_entries(scene, layer);
    for (std::size_t i = 1; i < entries.size(); ++i)
      changes += entries[i].component->material != entries[i - 1].component->material;
  }
  return changes;
}

ShortDepths short_depths(const Scene& scene, float nearest, float farthest) {
  std::vector<float> depths;
  for (const Component& mesh : scene.meshes)
    if (mesh.depth >= nearest && mesh.depth < farthest) depths.push_back(mesh.depth);
  std::ranges::sort(depths);
  const auto mantissa = [](float depth) { return std::bit_cast<std::uint32_t>(depth) & 0x7fffffu; };
  ShortDepths found;
  for (std::size_t i = 1; i < depths.size(); ++i) {
    if (depths[i] == depths[i - 1]) continue;
    found.merged += short_depth(depths[i]) == short_depth(depths[i - 1]);
    found.misplaced += mantissa(depths[i]) < mantissa(depths[i - 1]);
  }
  return found;
}

}  // namespace lab::command_bucket
