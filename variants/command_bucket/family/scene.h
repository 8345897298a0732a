/// The contents of a frame, the same for every version: components, their keys and their commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "variants/command_bucket/family/commands.h"

namespace lab::command_bucket {

/// The buckets, in the order of their submission.
enum Layer : unsigned { kGBuffer, kShadowMap, kLighting, kLayers };
inline constexpr Layer kAllLayers[] = {kGBuffer, kShadowMap, kLighting};

/// What a bucket is sorted by (keys.h).
enum class KeyLayout { kScattered, kByDepth, kByMaterial, kByShortDepth };

/// How a light's constants reach the device.
enum class Updates {
  kMapped,         ///< MapConstants: the call alone, as in the article
  kStaged,         ///< UpdateBuffer: packets carry the data, and they are copied when the frame is submitted
  kDoubleBuffered  ///< UpdateBuffer: the data are written to their place at once
};

inline constexpr float kNearest = 0.1f, kFarthest = 1000.0f;  ///< of depths, metres
inline constexpr std::uint32_t kMaterials = 200;

/// A mesh (drawn into G-buffer and shadow map) or a light (has its constants updated, then is drawn into lighting).
struct Component {
  std::uint32_t id;  ///< index among the meshes or the lights
  std::uint32_t index_count;
  std::uint32_t first_index;
  std::uint32_t base_vertex;
  std::uint16_t vertex_buffer;
  std::uint16_t index_buffer;
  std::uint16_t material;
  std::uint16_t blend;  ///< 1: translucent
  float depth;          ///< from the camera, metres
};

struct Scene {
  std::vector<Component> meshes;
  std::vector<Component> lights;
  std::uint64_t salt = 0;   ///< seeds the keys
  unsigned work_steps = 0;  ///< artificial work of each command
  KeyLayout keys = KeyLayout::kScattered;
  Updates updates = Updates::kMapped;

  std::size_t draws() const { return 2 * meshes.size() + lights.size(); }
  std::size_t maps() const { return updates == Updates::kMapped ? lights.size() : 0; }
  std::size_t buffer_updates() const { return lights.size() - maps(); }
  std::size_t commands() const { return draws() + lights.size(); }
  std::size_t keys_in(Layer layer) const { return layer == kLighting ? lights.size() : meshes.size(); }
};

/// At most 65,536 meshes and lights, because each has a 16-bit number in its key.
Scene make_scene(std::uint64_t seed, std::size_t meshes, std::size_t lights, unsigned work_steps);

/// The checksum and the number of backend calls of a correct frame, computed independently of the versions: commands as
/// values in one vector per bucket, std::sort, no packets.
Backend expected(const Scene& scene);

/// For each packet in the order of submission, its index in the order of allocation by one thread, which adds the
/// meshes and then the lights, two packets each.
std::vector<std::uint32_t> submission_order(const Scene& scene);

/// How often the material changes from one draw to the next of the same layer, in the order of the keys.
std::size_t material_changes(const Scene& scene);

/// What becomes of depths in 24 bits.
struct ShortDepths {
  std::size_t merged = 0;     ///< meshes whose depth differs from that of the next nearer one, but not in 24 bits
  std::size_t misplaced = 0;  ///< the same, if the mantissa were taken as it is: meshes that get a smaller key than
                              ///< the next nearer one
};
/// Of the meshes at depths from `nearest` until `farthest`.
ShortDepths short_depths(const Scene& scene, float nearest, float farthest);

/// The artificial work of one command: `work_steps` steps, each dependent on the previous one. The result goes into the
/// command, so that the compiler cannot remove the work.
inline std::uint64_t artificial_work(const Scene& scene, unsigned command, const Component& component) {
  std::uint64_t state = std::uint64_t{command} << 32 | component.id;
  for (unsigned step = 0; step < scene.work_steps; ++step) state = (state ^ (state >> 32)) * 0x9fb21c651e98df25u;
  return state;
}

inline void fill(Draw& draw, const Component& component, std::uint64_t work) {
  draw = {component.index_count,   component.first_index,  component.base_vertex,
          component.vertex_buffer, component.index_buffer, static_cast<std::uint32_t>(work ^ (work >> 32))};
}

inline void fill(MapConstants& map, const Component& component, std::uint64_t work) {
  map = {static_cast<std::uint16_t>(component.id), static_cast<std::uint16_t>(work ^ (work >> 32))};
}

/// The constants of a light: kUpdateBytes at `data`.
inline void write_constants(std::byte* data, const Component& component, std::uint64_t work) {
  std::uint64_t word = work ^ std::uint64_t{component.first_index} << 32;
  for (std::size_t at = 0; at < kUpdateBytes; at += sizeof word, word += 0x9e3779b97f4a7c15u)
    std::memcpy(data + at, &word, sizeof word);
}

}  // namespace lab::command_bucket
