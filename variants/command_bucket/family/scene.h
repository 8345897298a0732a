/// The contents of a frame, the same for every version: components, their keys and their commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/command_bucket/family/packet.h"

namespace lab::command_bucket {

/// The buckets, in the order of their submission.
enum Layer : unsigned { kGBuffer, kShadowMap, kLighting, kLayers };

/// A mesh (drawn into G-buffer and shadow map) or a light (maps a constant buffer, then is drawn into lighting).
struct Component {
  std::uint32_t id;  ///< index among the meshes or the lights
  std::uint32_t index_count;
  std::uint32_t first_index;
  std::uint32_t base_vertex;
  std::uint16_t vertex_buffer;
  std::uint16_t index_buffer;
};

struct Scene {
  std::vector<Component> meshes;
  std::vector<Component> lights;
  std::uint64_t salt = 0;   ///< seeds the keys
  unsigned work_steps = 0;  ///< artificial work of each command

  std::size_t draws() const { return 2 * meshes.size() + lights.size(); }
  std::size_t maps() const { return lights.size(); }
  std::size_t commands() const { return draws() + maps(); }
  std::size_t keys_in(Layer layer) const { return layer == kLighting ? lights.size() : meshes.size(); }
};

/// At most 65,536 lights, because each has its own constant buffer with a 16-bit number.
Scene make_scene(std::uint64_t seed, std::size_t meshes, std::size_t lights, unsigned work_steps);

/// The checksum and the number of backend calls of a correct frame, computed independently of the versions: commands as
/// values in one vector per bucket, std::sort, no packets.
Backend expected(const Scene& scene);

/// For each packet in the order of submission, its index in the order of allocation by one thread, which adds the
/// meshes and then the lights, two packets each.
std::vector<std::uint32_t> submission_order(const Scene& scene);

/// A bijection of 64-bit values that maps neighbours far apart (the finaliser of MurmurHash3, A. Appleby).
constexpr std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
  return value ^ (value >> 33);
}

/// Unique in its layer and unrelated to the order of the components.
inline std::uint64_t generate_key(const Scene& scene, Layer layer, const Component& component) {
  return scatter(scene.salt ^ (std::uint64_t{layer} << 32 | component.id));
}

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

}  // namespace lab::command_bucket
