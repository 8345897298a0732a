#include "variants/render_config/engine/scene.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "harness/base/random.h"

namespace lab::render_config {
namespace {

using Point = std::array<float, 3>;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kCell = 3;            // metres between neighbours; nothing leaves its cell
constexpr double kRound = 240;         // seconds in which the camera goes once round the yard
constexpr double kHeight = 9;          // of the camera, metres: above everything that stands in the yard
constexpr double kMostWay = 34;        // metres: in a large yard the camera stays near the middle
constexpr unsigned kColumnSides = 12;  // few, because a CPU may draw them
constexpr unsigned kSphereSegments = 12;
constexpr unsigned kSphereRings = 8;

// --- Meshes ----------------------------------------------------------------------------------------------------------

/// Appends one mesh to the scene's vertices and indices.
class MeshBuilder {
 public:
  MeshBuilder(std::vector<Vertex>& vertices, std::vector<std::uint16_t>& indices)
      : vertices_(vertices), indices_(indices), first_vertex_(vertices.size()), first_index_(indices.size()) {}

  unsigned vertex(const Point& position, const Point& normal) {
    vertices_.push_back({position, normal});
    return static_cast<unsigned>(vertices_.size() - 1 - first_vertex_);
  }
  /// Counter-clockwise seen from outside.
  void triangle(unsigned a, unsigned b, unsigned c) {
    for (const unsigned index : {a, b, c}) indices_.push_back(static_cast<std::uint16_t>(index));
  }
  void quad(unsigned a, unsigned b, unsigned c, unsigned d) {
    triangle(a, b, c);
    triangle(a, c, d);
  }
  Mesh done() const {
    return {static_cast<std::uint32_t>(first_index_), static_cast<std::uint32_t>(indices_.size() - first_index_),
            static_cast<std::int32_t>(first_vertex_)};
  }

 private:
  std::vector<Vertex>& vertices_;
  std::vector<std::uint16_t>& indices_;
  std::size_t first_vertex_, first_index_;
};

/// On a circle of radius 1 round the y axis. Seen from above, `i` grows counter-clockwise.
Point on_circle(unsigned i, unsigned of) {
  const double angle = kTurn * i / of;
  return {static_cast<float>(std::sin(angle)), 0, static_cast<float>(std::cos(angle))};
}

Mesh add_ground(MeshBuilder mesh) {
  const Point up{0, 1, 0};
  mesh.quad(mesh.vertex({-0.5f, 0, 0.5f}, up), mesh.vertex({0.5f, 0, 0.5f}, up), mesh.vertex({0.5f, 0, -0.5f}, up),
            mesh.vertex({-0.5f, 0, -0.5f}, up));
  return mesh.done();
}

Mesh add_box(MeshBuilder mesh) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const float side : {-0.5f, 0.5f}) {
      // The axes after this one, so that right x up points along it; changed over on the other side.
      std::size_t right = (axis + 1) % 3, up = (axis + 2) % 3;
      if (side < 0) std::swap(right, up);
      Point normal{};
      normal[axis] = side * 2;
      const auto corner = [&](float to_right, float upwards) {
        Point position{};
        position[axis] = side;
        position[right] = to_right;
        position[up] = upwards;
        return mesh.vertex(position, normal);
      };
      const unsigned a = corner(-0.5f, -0.5f), b = corner(0.5f, -0.5f), c = corner(0.5f, 0.5f), d = corner(-0.5f, 0.5f);
      mesh.quad(a, b, c, d);
    }
  }
  return mesh.done();
}

Mesh add_column(MeshBuilder mesh) {
  constexpr unsigned n = kColumnSides;
  // For each corner of the circle: low and high of the side, low and high of the ends.
  for (unsigned i = 0; i < n; ++i) {
    const Point out = on_circle(i, n);
    const Point low{out[0] / 2, -0.5f, out[2] / 2}, high{out[0] / 2, 0.5f, out[2] / 2};
    mesh.vertex(low, out);
    mesh.vertex(high, out);
    mesh.vertex(low, {0, -1, 0});
    mesh.vertex(high, {0, 1, 0});
  }
  for (unsigned i = 0; i < n; ++i) {
    const unsigned here = i * 4, next = (i + 1) % n * 4;
    mesh.quad(here, next, next + 1, here + 1);
    if (i > 0 && i + 1 < n) {
      mesh.triangle(2, next + 2, here + 2);
      mesh.triangle(3, here + 3, next + 3);
    }
  }
  return mesh.done();
}

Mesh add_sphere(MeshBuilder mesh) {
  constexpr unsigned n = kSphereSegments;
  const auto add = [&](const Point& out) { return mesh.vertex({out[0] / 2, out[1] / 2, out[2] / 2}, out); };
  const unsigned top = add({0, 1, 0}), bottom = add({0, -1, 0});
  for (unsigned ring = 1; ring < kSphereRings; ++ring) {
    const double angle = std::numbers::pi * ring / kSphereRings;
    const auto radius = static_cast<float>(std::sin(angle)), y = static_cast<float>(std::cos(angle));
    for (unsigned i = 0; i < n; ++i) {
      const Point out = on_circle(i, n);
      add({out[0] * radius, y, out[2] * radius});
    }
  }
  const auto at = [](unsigned ring, unsigned i) { return 2 + (ring - 1) * n + i % n; };
  for (unsigned i = 0; i < n; ++i) {
    mesh.triangle(top, at(1, i), at(1, i + 1));
    for (unsigned ring = 1; ring + 1 < kSphereRings; ++ring)
      mesh.quad(at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1), at(ring, i));
    mesh.triangle(bottom, at(kSphereRings - 1, i + 1), at(kSphereRings - 1, i));
  }
  return mesh.done();
}

// --- Objects ---------------------------------------------------------------------------------------------------------

double uniform(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.next() >> 11) * 0x1p-53;
}

float uniform_float(Random& random, double low, double high) {
  return static_cast<float>(uniform(random, low, high));
}

/// Scaled, turned round the y axis, and moved.
ObjectData placed(const Point& size, double angle, const Point& middle, const Four& colour) {
  const auto sine = static_cast<float>(std::sin(angle)), cosine = static_cast<float>(std::cos(angle));
  const std::array<Four, 3> rows{Four{cosine * size[0], 0, sine * size[2], middle[0]}, Four{0, size[1], 0, middle[1]},
                                 Four{-sine * size[0], 0, cosine * size[2], middle[2]}};
  return {.rows = rows, .colour = colour, .previous_rows = rows};
}

constexpr std::array<Four, 8> kColours{{{0.72f, 0.66f, 0.56f, 1},
                                        {0.50f, 0.20f, 0.13f, 1},
                                        {0.16f, 0.33f, 0.44f, 1},
                                        {0.60f, 0.46f, 0.15f, 1},
                                        {0.22f, 0.38f, 0.19f, 1},
                                        {0.66f, 0.66f, 0.68f, 1},
                                        {0.35f, 0.22f, 0.36f, 1},
                                        {0.12f, 0.13f, 0.15f, 1}}};
constexpr Four kGroundColour{0.36f, 0.34f, 0.29f, 1};
constexpr std::array<Four, 3> kGlassColours{
    {{0.35f, 0.7f, 0.6f, 0.3f}, {0.7f, 0.4f, 0.2f, 0.4f}, {0.3f, 0.4f, 0.8f, 0.35f}}};

enum class Kind : std::uint8_t { kColumn, kBox, kSphere, kMovingSphere, kPane };
// Objects take these kinds in turn, so that even the smallest scene has all of them.
constexpr std::array kKinds{Kind::kColumn, Kind::kBox,          Kind::kSphere, Kind::kPane,         Kind::kBox,
                            Kind::kColumn, Kind::kMovingSphere, Kind::kBox,    Kind::kMovingSphere, Kind::kColumn};

}  // namespace

Scene::Scene(std::uint64_t seed, std::size_t objects) {
  assert(objects >= 16 && objects <= 65535);
  const Mesh ground = add_ground({vertices_, indices_}), box = add_box({vertices_, indices_}),
             column = add_column({vertices_, indices_}), sphere = add_sphere({vertices_, indices_});

  // One object to a cell of a square yard, in no order, so that an object's index says nothing about its place.
  Random random(seed);
  const auto edge = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(objects - 1))));
  const double yard = static_cast<double>(edge) * kCell;
  std::vector<std::uint32_t> cells(edge * edge);
  std::iota(cells.begin(), cells.end(), 0u);
  for (std::size_t i = cells.size() - 1; i > 0; --i) std::swap(cells[i], cells[random.below(i + 1)]);
  const auto add = [this](const Mesh& mesh, const ObjectData& object, Material material = Material::kSolid) {
    drawables_.push_back({mesh, material});
    objects_.push_back(object);
  };

  drawables_.reserve(objects);
  objects_.reserve(objects);
  const auto ground_edge = static_cast<float>(yard + 40);
  add(ground, placed({ground_edge, 1, ground_edge}, 0, {0, 0, 0}, kGroundColour));
  for (std::size_t i = 1; i < objects; ++i) {
    const std::size_t cell = cells[i - 1];
    const auto across = [&](std::size_t place) {
      return (static_cast<double>(place) + 0.5) * kCell - yard / 2 + uniform(random, -0.3, 0.3);
    };
    const auto x = static_cast<float>(across(cell % edge)), z = static_cast<float>(across(cell / edge));
    const double angle = uniform(random, 0, kTurn);
    const Four colour = kColours[random.below(kColours.size())];
    switch (const Kind kind = kKinds[(i - 1) % kKinds.size()]) {
      case Kind::kColumn: {
        const float width = uniform_float(random, 0.4, 0.9), height = uniform_float(random, 2, 4.5);
        add(column, placed({width, height, width}, angle, {x, height / 2, z}, colour));
        break;
      }
      case Kind::kBox: {
        const float width = uniform_float(random, 0.6, 1.6), height = uniform_float(random, 0.4, 2),
                    depth = uniform_float(random, 0.6, 1.6);
        add(box, placed({width, height, depth}, angle, {x, height / 2, z}, colour));
        break;
      }
      case Kind::kSphere:
      case Kind::kMovingSphere: {
        const bool moves = kind == Kind::kMovingSphere;
        const float size = uniform_float(random, 0.6, moves ? 1.1 : 1.6);
        if (moves) {
          motions_.push_back({.object = static_cast<std::uint32_t>(i),
                              .middle = {x, size / 2, z},
                              .radius = uniform_float(random, 0.2, 0.6),
                              .rise = uniform_float(random, 0.5, 3),
                              .speed = uniform(random, 0.5, 2) * (random.below(2) == 0 ? 1 : -1),
                              .phase = angle});
        }
        add(sphere, placed({size, size, size}, angle, {x, size / 2, z}, colour));
        break;
      }
      case Kind::kPane: {
        const float width = uniform_float(random, 1.2, 2), height = uniform_float(random, 1.6, 2.6);
        add(box, placed({width, height, 0.06f}, angle, {x, height / 2, z}, kGlassColours[random.below(3)]),
            Material::kGlass);
        break;
      }
    }
  }

  keys_.resize(objects);
  for (std::vector<std::uint32_t>& order : orders_) {
    order.resize(objects);
    std::iota(order.begin(), order.end(), 0u);
  }
  auto& by_material = orders_[static_cast<std::size_t>(Order::kByMaterial)];
  std::stable_sort(by_material.begin(), by_material.end(), [this](std::uint32_t a, std::uint32_t b) {
    return drawables_[a].material < drawables_[b].material;
  });
  way_ = std::min(yard / 2 + 4, kMostWay);
  set_time(0, 1);
  set_time(0, 1);  // and nothing moved
}

std::array<float, 3> Scene::sun() const {
  const double x = 0.55, y = 0.7, z = 0.3, length = std::sqrt(x * x + y * y + z * z);
  return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
}

void Scene::set_time(double seconds, double aspect) {
  for (const Motion& motion : motions_) {
    const double angle = motion.phase + motion.speed * seconds;
    auto& rows = objects_[motion.object].rows;
    objects_[motion.object].previous_rows = rows;
    rows[0][3] = motion.middle[0] + motion.radius * static_cast<float>(std::cos(angle));
    rows[1][3] = motion.middle[1] + motion.rise * static_cast<float>(0.5 - 0.5 * std::cos(2 * angle));
    rows[2][3] = motion.middle[2] + motion.radius * static_cast<float>(std::sin(angle));
  }

  const double angle = kTurn * seconds / kRound;
  const double x = way_ * std::sin(angle), y = kHeight + 0.5 * std::sin(3 * angle), z = way_ * std::cos(angle);
  // It looks at the middle of the yard, 1 m above the ground.
  camera_ = {.eye = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)},
             .forward = {static_cast<float>(-x), static_cast<float>(1 - y), static_cast<float>(-z)},
             .up = {0, 1, 0},
             .field_of_view = 1,
             .aspect = static_cast<float>(aspect),
             .near = 0.25f,
             .far = 200};
  const double length = std::hypot(x, 1 - y, z);
  for (float& part : camera_.forward) part = static_cast<float>(part / length);
  sort_by_distance();
}

void Scene::sort_by_distance() {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    float squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float way = objects_[i].rows[axis][3] - camera_.eye[axis];
      squared += way * way;
    }
    // The bits of floats that are not negative are in the order of the floats.
    keys_[i] = std::uint64_t{std::bit_cast<std::uint32_t>(squared)} << 32 | i;
  }
  std::sort(keys_.begin(), keys_.end());

  auto& front_to_back = orders_[static_cast<std::size_t>(Order::kFrontToBack)];
  std::transform(keys_.begin(), keys_.end(), front_to_back.begin(),
                 [](std::uint64_t key) { return static_cast<std::uint32_t>(key); });
  // Backwards, except where distances are equal.
  auto out = orders_[static_cast<std::size_t>(Order::kBackToFront)].begin();
  for (std::size_t end = keys_.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && keys_[begin - 1] >> 32 == keys_[end - 1] >> 32) --begin;
    for (std::size_t i = begin; i < end; ++i) *out++ = front_to_back[i];
    end = begin;
  }
}

}  // namespace lab::render_config
