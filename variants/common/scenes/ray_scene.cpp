#include "variants/common/scenes/ray_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lab {

namespace {

constexpr double kMiss = std::numeric_limits<double>::infinity();

/// A body as all rays from one origin meet it.
struct MetBody {
  MetBody(const Body& body, const Vector3& origin)
      : shape(body.shape),
        to(body.middle - origin),
        first(to - body.half),
        last(to + body.half),
        beyond(dot(to, to) - body.half.x * body.half.x) {}

  BodyShape shape;
  Vector3 to, first, last;  ///< from the origin: to the middle, and to the two corners of a box
  double beyond;            ///< of a sphere: the squared way to its middle, without the squared radius
};

/// The multiple of `direction` at which a ray from the origin enters the body, or kMiss.
double entry(const MetBody& body, const Vector3& direction, const Vector3& inverse) {
  if (body.shape == BodyShape::kSphere) {
    const double along = dot(body.to, direction), squared = dot(direction, direction);
    const double under = along * along - squared * body.beyond;
    if (under < 0) return kMiss;
    const double at = (along - std::sqrt(under)) / squared;
    return at > 0 ? at : kMiss;
  }
  double enters = -kMiss, leaves = kMiss;
  const auto cut = [&](double first, double last, double by) {
    const double one = first * by, other = last * by;
    enters = std::max(enters, std::min(one, other));
    leaves = std::min(leaves, std::max(one, other));
  };
  cut(body.first.x, body.last.x, inverse.x);
  cut(body.first.y, body.last.y, inverse.y);
  cut(body.first.z, body.last.z, inverse.z);
  return enters > 0 && enters <= leaves ? enters : kMiss;
}

/// 1 / x, and a large number in place of an infinite one: a ray along a face must not make 0 times infinity.
double inverse_of(double x) {
  constexpr double kTiny = 1e-12;
  return 1 / (std::abs(x) < kTiny ? std::copysign(kTiny, x) : x);
}

}  // namespace

PinholeCamera look_at(const Vector3& eye, const Vector3& target, double tangent) {
  const auto unit = [](const Vector3& v) { return v * (1 / std::sqrt(dot(v, v))); };
  PinholeCamera camera{.eye = eye, .forward = unit(target - eye), .tangent = tangent};
  camera.right = unit(cross(camera.forward, {0, 1, 0}));
  camera.up = cross(camera.right, camera.forward);
  return camera;
}

std::optional<SeenPoint> see_point(const PinholeCamera& camera, const Vector3& point, std::uint32_t width,
                                   std::uint32_t height) {
  const Vector3 to = point - camera.eye;
  const double depth = dot(to, camera.forward);
  if (!(depth > 0)) return std::nullopt;
  const double scale = height / (2 * camera.tangent * depth);
  return SeenPoint{width * 0.5 + dot(to, camera.right) * scale, height * 0.5 - dot(to, camera.up) * scale, depth};
}

Vector3 ray_direction(const PinholeCamera& camera, std::uint32_t x, std::uint32_t y, std::uint32_t width,
                      std::uint32_t height) {
  const double step = 2 * camera.tangent / height;
  return camera.forward + camera.right * ((x + 0.5 - width * 0.5) * step) +
         camera.up * ((height * 0.5 - (y + 0.5)) * step);
}

SeenBodies see(std::span<const Body> scene, const PinholeCamera& camera, std::uint32_t width, std::uint32_t height) {
  SeenBodies seen{width, height, std::vector<std::uint32_t>(std::size_t{width} * height, kNoBody),
                  std::vector<float>(std::size_t{width} * height, std::numeric_limits<float>::infinity())};
  std::vector<MetBody> bodies;
  for (const Body& body : scene) bodies.emplace_back(body, camera.eye);
  std::size_t pixel = 0;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x, ++pixel) {
      const Vector3 direction = ray_direction(camera, x, y, width, height);
      const Vector3 inverse{inverse_of(direction.x), inverse_of(direction.y), inverse_of(direction.z)};
      double nearest = kMiss;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double at = entry(bodies[i], direction, inverse);
        if (at >= nearest) continue;
        nearest = at;
        seen.body[pixel] = static_cast<std::uint32_t>(i);
      }
      seen.depth[pixel] = static_cast<float>(nearest);
    }
  return seen;
}

}  // namespace lab
