/// A scene whose commands are valid to draw: an island of small shapes with lights, and the buffers that the commands
/// name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/command_bucket/family/scene.h"

namespace lab::command_bucket {

/// Most meshes, and most lights: each needs a pixel of its own, with others around it.
inline constexpr std::size_t kMostDrawn = 16'384;

inline constexpr std::size_t kVertexBuffers = 4, kIndexBuffers = 3;

/// Of a shape on a square tile; x and y from -1 to 1, z from 0 to 1.
struct Vertex {
  float x, y, z;
};

/// Each vertex buffer has all shapes, each index buffer has the triangles of all shapes. They lie in another order in
/// each, so a draw of a shape needs other numbers with other buffers.
struct Geometry {
  std::array<std::vector<Vertex>, kVertexBuffers> vertices;
  std::array<std::vector<std::uint16_t>, kIndexBuffers> indices;
};
Geometry make_geometry();

/// Like make_scene() without artificial work, of the same components for the same arguments. At most kMostDrawn of
/// each. The constants of a draw are then its component's id, xor the number of the command (artificial_work()).
Scene make_drawable_scene(std::uint64_t seed, std::size_t meshes, std::size_t lights);

/// What a draw reads on the device, as in shaders/draw.glsl. In pixels.
struct Instance {
  float x, y;    ///< the middle of the base: the centre of a pixel that no other mesh, or no other light, covers
  float size;    ///< from there to the edge
  float height;  ///< 0 for lights
  float red, green, blue, alpha;
};
struct Instances {
  std::vector<Instance> of;  ///< by id
  float top = 0;             ///< no height is larger
};
/// On images of `edge` x `edge` pixels, at least 512.
Instances mesh_instances(const Scene& scene, unsigned edge);
Instances light_instances(const Scene& scene, unsigned edge);

}  // namespace lab::command_bucket
