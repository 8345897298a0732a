/// Scenes of simple bodies that code makes, and what a pinhole camera sees of them: for families that work on images
/// which a renderer would give them. Exact by construction: a ray through the middle of each pixel, no antialiasing.
///
/// Metres; right-handed. Images have their rows from the top.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lab {

struct Vector3 {
  double x = 0, y = 0, z = 0;
  bool operator==(const Vector3&) const = default;
};
constexpr Vector3 operator+(const Vector3& a, const Vector3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
constexpr Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
constexpr Vector3 operator*(const Vector3& a, double b) {
  return {a.x * b, a.y * b, a.z * b};
}
constexpr double dot(const Vector3& a, const Vector3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

enum class BodyShape : std::uint8_t { kSphere, kBox };
struct Body {
  BodyShape shape = BodyShape::kBox;
  Vector3 middle;
  Vector3 half;  ///< of a box, half its edges, which are parallel to the axes; of a sphere, x is the radius
};

/// The axes are perpendicular and of length 1: right = cross(forward, up).
struct PinholeCamera {
  Vector3 eye{}, right{1, 0, 0}, up{0, 1, 0}, forward{0, 0, -1};
  double tangent = 0.5;  ///< of half the vertical field of view
};
/// `target` is not above or below `eye`. y is up.
PinholeCamera look_at(const Vector3& eye, const Vector3& target, double tangent);

/// Where a point is seen: pixels from the left and the top, the middle of the first pixel is 0.5, 0.5; and its distance
/// along the camera's forward direction. Nothing: it is not in front of the camera.
struct SeenPoint {
  double x, y, depth;
};
std::optional<SeenPoint> see_point(const PinholeCamera& camera, const Vector3& point, std::uint32_t width,
                                   std::uint32_t height);

/// What a ray per pixel hits first.
struct SeenBodies {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> body;  ///< its place in the scene, or kNoBody
  std::vector<float> depth;         ///< along the camera's forward direction; infinite where nothing is hit
};
inline constexpr std::uint32_t kNoBody = 0xffff'ffff;

/// A body that encloses the eye hides nothing: only surfaces that face the camera are seen.
SeenBodies see(std::span<const Body> scene, const PinholeCamera& camera, std::uint32_t width, std::uint32_t height);

/// The direction of the ray through a pixel's middle, whose part along `forward` is 1: eye + direction * depth is the
/// point that is seen there.
Vector3 ray_direction(const PinholeCamera& camera, std::uint32_t x, std::uint32_t y, std::uint32_t width,
                      std::uint32_t height);

}  // namespace lab
