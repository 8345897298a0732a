#include "variants/command_bucket/device/drawable_scene.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <span>

#include "harness/base/random.h"
#include "variants/command_bucket/family/keys.h"

namespace lab::command_bucket {

namespace {

// Rings around the z axis, from the bottom up. The last one is closed by its middle.
struct Ring {
  float radius, z;
};
struct Shape {
  unsigned sides;
  std::vector<Ring> rings;
};

enum : std::size_t { kTree, kHouse, kRock, kDome, kWave, kShapes };

// How high the tile below a shape is, and how large the shape may be: its shadow must not reach the next middle.
constexpr float kTile = 0.18f, kBody = 0.8f;

const std::array<Shape, kShapes>& shapes() {
  static const std::array<Shape, kShapes> table{{
      {7, {{0.62f, kTile}, {0.45f, 0.45f}, {0.12f, 0.95f}}},
      {4, {{0.72f, kTile}, {0.72f, 0.7f}, {0.3f, 1.0f}}},
      {5, {{kBody, kTile}, {0.5f, 0.6f}, {0.1f, 1.0f}}},
      {8, {{0.7f, kTile}, {0.6f, 0.55f}, {0.35f, 0.85f}}},
      {6, {{0.75f, kTile}, {0.3f, 0.3f}}},
  }};
  return table;
}

// A stack of rings on top of a square tile. Appends vertices and their triangles.
struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<std::uint16_t> indices;

  void add(unsigned sides, std::span<const Ring> rings, float turn) {
    const auto first = static_cast<std::uint16_t>(vertices.size());
    for (const Ring& ring : rings)
      for (unsigned side = 0; side < sides; ++side) {
        const float angle = turn + 2 * std::numbers::pi_v<float> * static_cast<float>(side) / static_cast<float>(sides);
        vertices.push_back({ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.z});
      }
    const auto middle = static_cast<std::uint16_t>(vertices.size());
    vertices.push_back({0, 0, rings.back().z});
    const auto at = [&](std::size_t ring, unsigned side) {
      return static_cast<std::uint16_t>(first + ring * sides + side % sides);
    };
    for (unsigned side = 0; side < sides; ++side) {
      for (std::size_t ring = 0; ring + 1 < rings.size(); ++ring)
        indices.insert(indices.end(), {at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side),
                                       at(ring, side + 1), at(ring + 1, side + 1)});
      indices.insert(indices.end(), {at(rings.size() - 1, side), at(rings.size() - 1, side + 1), middle});
    }
  }
};

Mesh mesh_of(std::size_t shape, float turn) {
  constexpr float kHalfTurn = std::numbers::pi_v<float> / 4, kCorner = std::numbers::sqrt2_v<float>;
  constexpr Ring kTileRings[] = {{kCorner, 0}, {0.96f * kCorner, kTile}};
  Mesh mesh;
  mesh.add(4, kTileRings, kHalfTurn);
  mesh.add(shapes()[shape].sides, shapes()[shape].rings, kHalfTurn + turn);
  return mesh;
}

// The shape that lies at a place of a buffer.
std::size_t shape_at(std::size_t buffer, std::size_t place) {
  return (place + buffer) % kShapes;
}

struct Numbers {
  std::array<std::array<std::uint32_t, kShapes>, kVertexBuffers> base_vertex{};
  std::array<std::array<std::uint32_t, kShapes>, kIndexBuffers> first_index{};
  std::array<std::uint32_t, kShapes> index_count{};
};

struct Built {
  Geometry geometry;
  Numbers numbers;
};

Built build() {
  Built built;
  for (std::size_t buffer = 0; buffer < kVertexBuffers; ++buffer)
    for (std::size_t place = 0; place < kShapes; ++place) {
      const std::size_t shape = shape_at(buffer, place);
      const Mesh mesh = mesh_of(shape, shape == kHouse ? 0 : 0.4f * static_cast<float>(buffer));
      auto& vertices = built.geometry.vertices[buffer];
      built.numbers.base_vertex[buffer][shape] = static_cast<std::uint32_t>(vertices.size());
      vertices.insert(vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    }
  for (std::size_t buffer = 0; buffer < kIndexBuffers; ++buffer)
    for (std::size_t place = 0; place < kShapes; ++place) {
      const std::size_t shape = shape_at(buffer, place);
      const Mesh mesh = mesh_of(shape, 0);
      auto& indices = built.geometry.indices[buffer];
      built.numbers.first_index[buffer][shape] = static_cast<std::uint32_t>(indices.size());
      built.numbers.index_count[shape] = static_cast<std::uint32_t>(mesh.indices.size());
      indices.insert(indices.end(), mesh.indices.begin(), mesh.indices.end());
    }
  return built;
}

// Where a component stands: row by row on a grid of square cells.
class Grid {
 public:
  Grid(std::size_t count, unsigned edge) : edge_(edge) {
    while (side_ * side_ < count) ++side_;
    cell_ = edge / side_;
    assert(cell_ >= 4);
  }
  float cell() const { return static_cast<float>(cell_); }
  // The centre of a pixel.
  float x(std::size_t id) const { return along(id % side_); }
  float y(std::size_t id) const { return along(id / side_); }
  // From 0 to 1 over the grid.
  float u(std::size_t id) const { return part(id % side_); }
  float v(std::size_t id) const { return part(id / side_); }

 private:
  float along(std::size_t cell) const {
    return static_cast<float>((edge_ - cell_ * side_) / 2 + cell * cell_ + cell_ / 2) + 0.5f;
  }
  float part(std::size_t cell) const { return (static_cast<float>(cell) + 0.5f) / static_cast<float>(side_); }

  std::size_t edge_, side_ = 1, cell_ = 0;
};

float smooth(float from, float to, float at) {
  const float t = std::clamp((at - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Where a scene's seed puts hills, woods and towns.
class Island {
 public:
  explicit Island(std::uint64_t salt) : salt_(salt) {}

  // Above 0 is land, 1 is about the highest.
  float height(float u, float v) const {
    const float away = std::hypot(u - 0.5f, v - 0.5f) * 2;
    return 1.5f * noise(u, v, 0, 5) - 0.38f - 0.75f * smooth(0.35f, 1.05f, away);
  }
  float wood(float u, float v) const { return noise(2 * u, 2 * v, 1, 4); }
  // From 0 to 1: how densely people live there.
  float town(float u, float v) const {
    const float h = height(u, v);
    const float lowland = smooth(0.01f, 0.05f, h) * (1 - smooth(0.24f, 0.36f, h));
    return lowland * smooth(0.50f, 0.60f, noise(1.7f * u, 1.7f * v, 2, 3));
  }

 private:
  float lattice(int x, int y, unsigned layer) const {
    const auto at = std::uint64_t{layer} << 48 | static_cast<std::uint64_t>(x & 0xffff) << 16 |
                    static_cast<std::uint64_t>(y & 0xffff);
    return static_cast<float>(scatter(salt_ ^ at) >> 40) / static_cast<float>(1 << 24);
  }
  // Octaves of values on a lattice.
  float noise(float u, float v, unsigned layer, unsigned octaves) const {
    float sum = 0, weight = 0.5f, all = 0, scale = 4;
    for (unsigned octave = 0; octave < octaves; ++octave, weight /= 2, scale *= 2) {
      const float x = u * scale, y = v * scale;
      const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
      const float s = smooth(0, 1, x - static_cast<float>(left)), t = smooth(0, 1, y - static_cast<float>(top));
      const unsigned at = layer * 8 + octave;
      const float upper = std::lerp(lattice(left, top, at), lattice(left + 1, top, at), s);
      const float lower = std::lerp(lattice(left, top + 1, at), lattice(left + 1, top + 1, at), s);
      sum += weight * std::lerp(upper, lower, t);
      all += weight;
    }
    return sum / all;
  }

  std::uint64_t salt_;
};

// What stands on a cell.
struct Ground {
  std::size_t shape;
  float tall;  // from 0 to 1
  std::array<float, 3> colour;
};

Ground ground_at(const Island& island, float u, float v) {
  const float h = island.height(u, v), wood = island.wood(u, v);
  if (h < 0) {
    const float deep = smooth(0, 0.35f, -h);
    return {kWave, 0.3f, {0.12f - 0.07f * deep, 0.42f - 0.22f * deep, 0.62f - 0.22f * deep}};
  }
  if (h < 0.03f) return {kDome, 0.3f, {0.86f, 0.77f, 0.55f}};
  if (island.town(u, v) > 0.35f && wood > 0.3f) return {kHouse, 0.6f + 0.8f * (wood - 0.3f), {0.72f, 0.50f, 0.42f}};
  if (h > 0.58f) return {kRock, 1.0f, {0.93f, 0.95f, 0.98f}};
  if (h > 0.44f) return {kRock, 0.8f, {0.50f, 0.46f, 0.43f}};
  if (wood > 0.49f) return {kTree, 0.9f, {0.10f, 0.36f + 0.1f * wood, 0.16f}};
  return {kDome, 0.4f, {0.34f + 0.3f * wood, 0.52f, 0.22f}};
}

Component drawn(const Built& built, std::uint32_t id, std::size_t shape, Random& random) {
  const auto vertex_buffer = static_cast<std::uint16_t>(random.below(kVertexBuffers));
  const auto index_buffer = static_cast<std::uint16_t>(random.below(kIndexBuffers));
  return {.id = id,
          .index_count = built.numbers.index_count[shape],
          .first_index = built.numbers.first_index[index_buffer][shape],
          .base_vertex = built.numbers.base_vertex[vertex_buffer][shape],
          .vertex_buffer = vertex_buffer,
          .index_buffer = index_buffer,
          .material = 0,
          .blend = 0,
          .depth = kNearest};
}

}  // namespace

Geometry make_geometry() {
  return build().geometry;
}

Scene make_drawable_scene(std::uint64_t seed, std::size_t meshes, std::size_t lights) {
  assert(meshes <= kMostDrawn && lights <= kMostDrawn);
  const Built built = build();
  Random random(seed);
  Scene scene;
  scene.salt = random.next();
  const Island island(scene.salt);
  const Grid grid(meshes, 512);
  for (std::uint32_t id = 0; id < meshes; ++id)
    scene.meshes.push_back(drawn(built, id, ground_at(island, grid.u(id), grid.v(id)).shape, random));
  for (std::uint32_t id = 0; id < lights; ++id) scene.lights.push_back(drawn(built, id, random.below(kShapes), random));
  return scene;
}

// A tile reaches 0.62 cells far. A body of kBody of that, with a shadow of half its height of 0.6 cells, reaches 0.8.
Instances mesh_instances(const Scene& scene, unsigned edge) {
  const Island island(scene.salt);
  const Grid grid(scene.meshes.size(), edge);
  Random random(scene.salt);
  Instances instances{{}, 0.6f * grid.cell()};
  for (std::size_t id = 0; id < scene.meshes.size(); ++id) {
    const float u = grid.u(id), v = grid.v(id);
    const Ground ground = ground_at(island, u, v);
    constexpr float kNear = 0.012f;
    const float slope =
        std::max(island.height(u + kNear, v + kNear), 0.0f) - std::max(island.height(u - kNear, v - kNear), 0.0f);
    const float shade =
        std::clamp(1 - 3 * slope, 0.55f, 1.35f) * (0.9f + 0.2f * static_cast<float>(random.below(256)) / 255);
    const auto shaded = [&](float colour) { return std::min(colour * shade, 1.0f); };
    instances.of.push_back({grid.x(id), grid.y(id), 0.62f * grid.cell(), std::min(ground.tall, 1.0f) * instances.top,
                            shaded(ground.colour[0]), shaded(ground.colour[1]), shaded(ground.colour[2]), 1});
  }
  return instances;
}

Instances light_instances(const Scene& scene, unsigned edge) {
  const Island island(scene.salt);
  const Grid grid(scene.lights.size(), edge);
  Random random(~scene.salt);
  Instances instances{{}, 0};
  for (std::size_t id = 0; id < scene.lights.size(); ++id) {
    const float town = island.town(grid.u(id), grid.v(id));
    const float chance = static_cast<float>(random.below(1024)) / 1023;
    const float bright = 0.02f + 1.1f * town * chance * chance * chance;
    instances.of.push_back({grid.x(id), grid.y(id), 0.9f * grid.cell(), 0, bright, bright, bright, 1});
  }
  return instances;
}

}  // namespace lab::command_bucket
