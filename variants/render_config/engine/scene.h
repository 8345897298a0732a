/// The scene that every configuration renders: a yard of columns, boxes and spheres, some of which move, and panes of
/// glass. The same for each seed; no Vulkan here.
///
/// Metres; x, y, z are right-handed and y is up. Front faces are counter-clockwise seen from outside, that is,
/// (b - a) x (c - a) points outwards. No view mirrors (frame_data.h), so they are counter-clockwise on the screen too:
/// VK_FRONT_FACE_COUNTER_CLOCKWISE, whose framebuffer has y down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "variants/render_config/engine/frame_data.h"

namespace lab::render_config {

/// Of a mesh, whose middle is the origin and whose width, height and depth are 1, or 0 where it is flat.
struct Vertex {
  std::array<float, 3> position, normal;
};

/// A range of the scene's indices, to which `first_vertex` is added.
struct Mesh {
  std::uint32_t first_index, indices;
  std::int32_t first_vertex;
};

enum class Material : std::uint8_t { kSolid, kGlass };
inline constexpr std::array<std::string_view, 2> kMaterials{"solid", "glass"};

/// In which order a pass draws.
enum class Order : std::uint8_t { kByMaterial, kFrontToBack, kBackToFront };
inline constexpr std::array<std::string_view, 3> kOrders{"by_material", "front_to_back", "back_to_front"};

struct Drawable {
  Mesh mesh;
  Material material;
};

/// Not thread-safe.
class Scene {
 public:
  /// `objects`: 16 to 65,535, with the ground and the glass. Begins at time 0 with a square output.
  Scene(std::uint64_t seed, std::size_t objects);

  std::span<const Vertex> vertices() const { return vertices_; }
  std::span<const std::uint16_t> indices() const { return indices_; }
  /// By object.
  std::span<const Drawable> drawables() const { return drawables_; }

  /// Moves what moves, and the camera, to this time; objects remember where they were. Then sorts the objects by the
  /// distance of their middles from the camera.
  /// `aspect`: width by height of the output. Allocates nothing.
  void set_time(double seconds, double aspect);

  /// What the device reads of each object, after set_time().
  std::span<const ObjectData> objects() const { return objects_; }
  const Camera& camera() const { return camera_; }
  /// To the sun, of length 1.
  std::array<float, 3> sun() const;
  /// All objects' indices in an order, after set_time(). Objects at equal distances keep the order of their indices.
  std::span<const std::uint32_t> order(Order order) const { return orders_[static_cast<std::size_t>(order)]; }

 private:
  /// A sphere on its way round a point. Metres, radians, seconds.
  struct Motion {
    std::uint32_t object;
    std::array<float, 3> middle;
    float radius, rise;  ///< across the ground, and upwards
    double speed, phase;
  };

  void sort_by_distance();

  std::vector<Vertex> vertices_;
  std::vector<std::uint16_t> indices_;
  std::vector<Drawable> drawables_;
  std::vector<ObjectData> objects_;
  std::vector<Motion> motions_;
  double way_ = 0;                   ///< radius of the camera's way round the yard, metres
  std::vector<std::uint64_t> keys_;  ///< to sort by: the square of a distance, then the index
  Camera camera_;
  std::array<std::vector<std::uint32_t>, kOrders.size()> orders_;
};

}  // namespace lab::render_config
