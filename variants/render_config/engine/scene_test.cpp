#include "variants/render_config/engine/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace lab::render_config {
namespace {

using Point = std::array<double, 3>;
using Triangle = std::array<Vertex, 3>;

constexpr double kAspect = 16.0 / 9;

Point point(const std::array<float, 3>& from) {
  return {from[0], from[1], from[2]};
}
Point from_to(const Point& a, const Point& b) {
  return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
}
double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::vector<Triangle> triangles(const Scene& scene, const Mesh& mesh) {
  std::vector<Triangle> result;
  for (std::uint32_t i = 0; i < mesh.indices; i += 3) {
    Triangle triangle;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint16_t index = scene.indices()[mesh.first_index + i + corner];
      triangle[corner] = scene.vertices()[static_cast<std::size_t>(mesh.first_vertex + index)];
    }
    result.push_back(triangle);
  }
  return result;
}

Point normal_of(const std::array<Point, 3>& corners) {
  return cross(from_to(corners[0], corners[1]), from_to(corners[0], corners[2]));
}

/// Different meshes by their first indices.
std::map<std::uint32_t, Mesh> meshes(const Scene& scene) {
  std::map<std::uint32_t, Mesh> result;
  for (const Drawable& drawable : scene.drawables()) result.emplace(drawable.mesh.first_index, drawable.mesh);
  return result;
}

Point transformed(const ObjectData& object, const Vertex& vertex) {
  Point result;
  for (std::size_t i = 0; i < 3; ++i) {
    const Four& row = object.rows[i];
    result[i] = double{row[0]} * vertex.position[0] + double{row[1]} * vertex.position[1] +
                double{row[2]} * vertex.position[2] + row[3];
  }
  return result;
}

std::vector<std::uint32_t> order_of(const Scene& scene, Order order) {
  const auto span = scene.order(order);
  return {span.begin(), span.end()};
}

// But for where they were before.
bool same_objects(const Scene& a, const Scene& b) {
  return std::ranges::equal(a.objects(), b.objects(), [](const ObjectData& one, const ObjectData& other) {
    return one.rows == other.rows && one.colour == other.colour;
  });
}

TEST(Scene, HasAsManyObjectsAsItIsAskedForAndTheSmallestHasEveryMeshAndMaterial) {
  for (const std::size_t objects : {16u, 17u, 256u, 65535u}) {
    const Scene scene(1, objects);
    EXPECT_EQ(scene.drawables().size(), objects);
    EXPECT_EQ(scene.objects().size(), objects);
    EXPECT_EQ(meshes(scene).size(), 4u);
    std::set<Material> materials;
    for (const Drawable& drawable : scene.drawables()) materials.insert(drawable.material);
    EXPECT_EQ(materials.size(), kMaterials.size());
  }
}

TEST(Scene, GlassAndNothingElseIsTransparent) {
  const Scene scene(1, 256);
  std::size_t panes = 0;
  for (std::size_t i = 0; i < scene.objects().size(); ++i) {
    const float opacity = scene.objects()[i].colour[3];
    if (scene.drawables()[i].material == Material::kGlass) {
      ++panes;
      EXPECT_GT(opacity, 0);
      EXPECT_LT(opacity, 1);
    } else {
      EXPECT_EQ(opacity, 1);
    }
  }
  EXPECT_GE(panes, 10u);
  EXPECT_LE(panes, 40u);
}

TEST(Scene, IsTheSameForEachSeedAndTimeHoweverItGotThere) {
  Scene direct(7, 100), in_steps(7, 100), other(8, 100);
  for (int i = 0; i < 10; ++i) in_steps.set_time(i, kAspect);
  for (Scene* scene : {&direct, &in_steps, &other}) scene->set_time(33.25, kAspect);
  EXPECT_TRUE(same_objects(direct, in_steps));
  EXPECT_FALSE(same_objects(direct, other));
  EXPECT_EQ(direct.camera().eye, in_steps.camera().eye);
  for (const Order order : {Order::kByMaterial, Order::kFrontToBack, Order::kBackToFront})
    EXPECT_EQ(order_of(direct, order), order_of(in_steps, order));
}

TEST(Scene, FrontFacesAreCounterClockwiseSeenFromOutside) {
  const Scene scene(1, 16);
  for (const auto& [first, mesh] : meshes(scene)) {
    bool flat = true;
    for (const Triangle& triangle : triangles(scene, mesh))
      for (const Vertex& vertex : triangle) flat = flat && vertex.position[1] == 0;
    for (const Triangle& triangle : triangles(scene, mesh)) {
      const Point a = point(triangle[0].position), b = point(triangle[1].position), c = point(triangle[2].position);
      const Point normal = normal_of({a, b, c});
      EXPECT_GT(dot(normal, normal), 1e-8);
      // The meshes are convex and the origin is within: outwards is away from it. The ground's outside is above.
      const Point outwards = flat ? Point{0, 1, 0} : Point{a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]};
      EXPECT_GT(dot(normal, outwards), 0);
      for (const Vertex& vertex : triangle) {
        EXPECT_GT(dot(normal, point(vertex.normal)), 0);
        EXPECT_NEAR(dot(point(vertex.normal), point(vertex.normal)), 1, 1e-5);
      }
    }
  }
}

TEST(Scene, MeshesAreClosedExceptTheGround) {
  const Scene scene(1, 16);
  for (const auto& [first, mesh] : meshes(scene)) {
    if (mesh.indices == 6) continue;
    std::map<std::array<std::array<float, 3>, 2>, int> edges;
    for (const Triangle& triangle : triangles(scene, mesh))
      for (std::size_t i = 0; i < 3; ++i) ++edges[{triangle[i].position, triangle[(i + 1) % 3].position}];
    for (const auto& [edge, count] : edges) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ((edges[{edge[1], edge[0]}]), 1);
    }
  }
}

/// By the specification of Vulkan's rasterization: the area of a polygon in the framebuffer, whose y points down, is
/// positive if it is counter-clockwise.
double vulkan_area(const Matrix& matrix, const std::array<Point, 3>& corners) {
  std::array<std::array<double, 2>, 3> at{};
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<double, 4> clip{};
    for (std::size_t row = 0; row < 4; ++row) {
      clip[row] = matrix[12 + row];
      for (std::size_t column = 0; column < 3; ++column)
        clip[row] += double{matrix[column * 4 + row]} * corners[i][column];
    }
    if (clip[3] <= 0) return 0;
    at[i] = {(clip[0] / clip[3] * 0.5 + 0.5) * 640, (clip[1] / clip[3] * 0.5 + 0.5) * 360};
  }
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& [x, y] = at[i];
    const auto& [next_x, next_y] = at[(i + 1) % 3];
    sum += x * next_y - next_x * y;
  }
  return -sum / 2;
}

TEST(Scene, WhatFacesAViewIsVulkansCounterClockwiseForTheCameraAndForTheSun) {
  Scene scene(3, 64);
  std::size_t front = 0, back = 0;
  for (const double seconds : {0.0, 50.0, 100.0, 150.0}) {
    scene.set_time(seconds, kAspect);
    const Point eye = point(scene.camera().eye), sun = point(scene.sun());
    const Matrix camera = camera_view(scene.camera()).view_projection;
    const Matrix shadow = cascade_view(scene.camera(), scene.sun(), {}).view_projection;
    for (std::size_t i = 0; i < scene.objects().size(); ++i) {
      for (const Triangle& triangle : triangles(scene, scene.drawables()[i].mesh)) {
        std::array<Point, 3> corners;
        for (std::size_t corner = 0; corner < 3; ++corner)
          corners[corner] = transformed(scene.objects()[i], triangle[corner]);
        const Point normal = normal_of(corners);
        const auto check = [&](double facing, double area) {
          if (std::abs(area) < 0.05) return;
          EXPECT_EQ(facing > 0, area > 0);
          ++(area > 0 ? front : back);
        };
        check(dot(normal, from_to(corners[0], eye)), vulkan_area(camera, corners));
        check(dot(normal, sun), vulkan_area(shadow, corners));
      }
    }
  }
  EXPECT_GT(front, 1000u);
  EXPECT_GT(back, 1000u);
}

TEST(Scene, OrdersHaveEveryObjectOnce) {
  Scene scene(4, 1000);
  scene.set_time(12, kAspect);
  std::vector<std::uint32_t> all(1000);
  std::iota(all.begin(), all.end(), 0u);
  for (const Order order : {Order::kByMaterial, Order::kFrontToBack, Order::kBackToFront}) {
    std::vector<std::uint32_t> sorted = order_of(scene, order);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, all);
  }
}

TEST(Scene, OrdersAreByMaterialAndByDistanceThenByIndex) {
  constexpr std::size_t kObjects = 65535;  // so many that some distances are equal
  Scene scene(4, kObjects);
  scene.set_time(12, kAspect);
  std::vector<float> distances;
  for (const ObjectData& object : scene.objects()) {
    float squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float way = object.rows[axis][3] - scene.camera().eye[axis];
      squared += way * way;
    }
    distances.push_back(squared);
  }
  EXPECT_LT(std::set<float>(distances.begin(), distances.end()).size(), kObjects);

  const auto sorted = [&](auto before) {
    std::vector<std::uint32_t> result(kObjects);
    std::iota(result.begin(), result.end(), 0u);
    std::stable_sort(result.begin(), result.end(), before);
    return result;
  };
  EXPECT_EQ(order_of(scene, Order::kByMaterial), sorted([&](std::uint32_t a, std::uint32_t b) {
              return scene.drawables()[a].material < scene.drawables()[b].material;
            }));
  EXPECT_EQ(order_of(scene, Order::kFrontToBack),
            sorted([&](std::uint32_t a, std::uint32_t b) { return distances[a] < distances[b]; }));
  EXPECT_EQ(order_of(scene, Order::kBackToFront),
            sorted([&](std::uint32_t a, std::uint32_t b) { return distances[a] > distances[b]; }));
}

TEST(Scene, SomeSpheresMoveAndNothingElse) {
  Scene scene(6, 256);
  const std::vector<ObjectData> before(scene.objects().begin(), scene.objects().end());
  scene.set_time(1, kAspect);
  std::set<std::uint32_t> meshes_that_move;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ObjectData& object = scene.objects()[i];
    EXPECT_EQ(before[i].previous_rows, before[i].rows);
    EXPECT_EQ(object.previous_rows, before[i].rows);
    if (object.rows == before[i].rows) continue;
    ++moved;
    meshes_that_move.insert(scene.drawables()[i].mesh.first_index);
  }
  EXPECT_GE(moved, 16u);
  EXPECT_EQ(meshes_that_move.size(), 1u);
}

TEST(Scene, NothingSinksIntoTheGroundOrReachesTheCamera) {
  for (const std::size_t objects : {16u, 256u, 4096u}) {
    Scene scene(9, objects);
    for (const double seconds : {0.0, 1.5, 71.0}) {
      scene.set_time(seconds, kAspect);
      for (std::size_t i = 0; i < objects; ++i) {
        for (const Triangle& triangle : triangles(scene, scene.drawables()[i].mesh)) {
          for (const Vertex& vertex : triangle) {
            const Point at = transformed(scene.objects()[i], vertex);
            EXPECT_GE(at[1], -1e-4);
            EXPECT_LT(at[1], scene.camera().eye[1] - scene.camera().near);
          }
        }
      }
    }
  }
}

TEST(Scene, TheCameraGoesSlowlyRoundTheYardAndSeesItsMiddle) {
  Scene scene(10, 256);
  const auto eye_at = [&](double seconds) {
    scene.set_time(seconds, kAspect);
    return point(scene.camera().eye);
  };
  const Point begin = eye_at(0), soon = eye_at(1), half = eye_at(120), round = eye_at(240);
  const Point step = from_to(begin, soon);
  EXPECT_GT(dot(step, step), 0.01);
  EXPECT_LT(dot(step, step), 4);
  EXPECT_NEAR(half[0], -begin[0], 1e-3);
  EXPECT_NEAR(half[2], -begin[2], 1e-3);
  const Point rest = from_to(begin, round);
  EXPECT_LT(dot(rest, rest), 1e-6);
  EXPECT_FLOAT_EQ(scene.camera().aspect, static_cast<float>(kAspect));
  const Point middle{0, 1, 0}, to_middle = from_to(point(scene.camera().eye), middle);
  EXPECT_NEAR(dot(to_middle, point(scene.camera().forward)), std::sqrt(dot(to_middle, to_middle)), 1e-3);
}

TEST(Scene, TheSunIsAboveAndOfLength1) {
  const Scene scene(1, 16);
  EXPECT_NEAR(dot(point(scene.sun()), point(scene.sun())), 1, 1e-6);
  EXPECT_GT(scene.sun()[1], 0.3f);
}

}  // namespace
}  // namespace lab::render_config
