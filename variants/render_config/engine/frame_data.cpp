#include "variants/render_config/engine/frame_data.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace lab::render_config {
namespace {

// As frame.glsl declares them by std140 and std430.
static_assert(sizeof(ViewData) == 96 && offsetof(ViewData, eye) == 64 && offsetof(ViewData, range) == 80);
static_assert(sizeof(FrameData) == 208 + 96 * kMostViews && offsetof(FrameData, previous_view_projection) == 64 &&
              offsetof(FrameData, sun_direction) == 128 && offsetof(FrameData, sun_colour) == 144 &&
              offsetof(FrameData, sky_colour) == 160 && offsetof(FrameData, output_size) == 176 &&
              offsetof(FrameData, time) == 192 && offsetof(FrameData, views) == 208);
static_assert(sizeof(ObjectData) == 112 && offsetof(ObjectData, colour) == 48 &&
              offsetof(ObjectData, previous_rows) == 64);

constexpr Four kSunColour{3.0f, 2.7f, 2.2f, 0};
constexpr Four kSkyColour{0.22f, 0.34f, 0.55f, 0};
constexpr double kCasters = 60;  // metres towards the sun

// Double precision until the end: differences of far points decide which texel a shadow falls into.
using Vector = std::array<double, 3>;

Vector vector(const std::array<float, 3>& from) {
  return {from[0], from[1], from[2]};
}
double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector scaled(const Vector& a, double by) {
  return {a[0] * by, a[1] * by, a[2] * by};
}
Vector sum(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector normalized(const Vector& a) {
  return scaled(a, 1 / std::sqrt(dot(a, a)));
}

Four four(const Vector& xyz, double w) {
  return {static_cast<float>(xyz[0]), static_cast<float>(xyz[1]), static_cast<float>(xyz[2]), static_cast<float>(w)};
}

/// Unit vectors, right-handed: right x up = -forward.
struct Axes {
  Vector right, up, forward;
};

Axes axes(const Vector& forward, const Vector& up) {
  const Vector ahead = normalized(forward);
  const Vector right = normalized(cross(ahead, up));
  return {right, cross(right, ahead), ahead};
}

struct Row {
  Vector xyz;
  double w;
};

Matrix matrix(const std::array<Row, 4>& rows) {
  Matrix result;
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      result[column * 4 + row] = static_cast<float>(column < 3 ? rows[row].xyz[column] : rows[row].w);
  return result;
}

/// A camera's projection, apart from where it stands. A point `right`, `up`, `ahead` from the eye has
/// clip x = right / wide, y = -up / high, z = depth_scale * ahead + depth_offset, w = ahead.
struct Projection {
  double wide, high, depth_scale, depth_offset;

  explicit Projection(const Camera& camera) {
    high = std::tan(camera.field_of_view * 0.5);
    wide = high * camera.aspect;
    const double near = camera.near, far = camera.far;
    depth_scale = far / (far - near);
    depth_offset = -near * depth_scale;
  }
};

Axes axes(const Camera& camera) {
  return axes(vector(camera.forward), vector(camera.up));
}

Matrix inverse_view_projection(const Camera& camera) {
  const Projection projection(camera);
  const auto [right, up, forward] = axes(camera);
  const Vector eye = vector(camera.eye);
  const double scale = projection.depth_scale, offset = projection.depth_offset;
  // Clip x, y and w say how far the point is along the axes. The world's w is (z - scale * w) / offset.
  std::array<Row, 4> rows;
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i] = {{right[i] * projection.wide, -up[i] * projection.high, eye[i] / offset},
               forward[i] - eye[i] * scale / offset};
  }
  rows[3] = {{0, 0, 1 / offset}, -scale / offset};
  return matrix(rows);
}

/// Where cascade `index` begins: 0 at the near distance, `of` at the reach.
double split_distance(const Camera& camera, const CascadeSpec& spec, std::uint32_t index) {
  const double near = camera.near, reach = spec.reach;
  const double part = static_cast<double>(index) / spec.of;
  const double equal_lengths = near + (reach - near) * part;
  const double equal_ratios = near * std::pow(reach / near, part);
  return equal_lengths + (equal_ratios - equal_lengths) * spec.split;
}

/// The box that a view without perspective covers: the middle of its near side, half its edges, and its length.
struct Box {
  double x, y, z, half_width, half_height, length, texel;
};

/// Encloses the sphere round the part of the camera's frustum from `begin` to `end`. The sphere is the smallest whose
/// middle is on the camera's axis, so that its size depends on nothing that moves.
Box sphere_box(const Camera& camera, const Axes& light, double begin, double end, std::uint32_t pixels) {
  const Projection projection(camera);
  const double slope2 = projection.wide * projection.wide + projection.high * projection.high;  // of the corners
  const double middle = std::min((begin + end) / 2 * (1 + slope2), end);
  const double radius = std::sqrt((end - middle) * (end - middle) + end * end * slope2);
  const Vector at = sum(vector(camera.eye), scaled(axes(camera).forward, middle));
  // One texel more than the sphere needs, because the box is up to half a texel away from it.
  const double texel = 2 * radius / (pixels - 1), half = texel * pixels / 2;
  const auto whole_texels = [texel](double value) { return std::round(value / texel) * texel; };
  return {.x = whole_texels(dot(light.right, at)),
          .y = whole_texels(dot(light.up, at)),
          .z = dot(light.forward, at) - half - kCasters,
          .half_width = half,
          .half_height = half,
          .length = 2 * half + kCasters,
          .texel = texel};
}

/// Encloses the corners of the part of the camera's frustum from `begin` to `end`, as close as the light's axes allow.
Box tight_box(const Camera& camera, const Axes& light, double begin, double end, std::uint32_t pixels) {
  const Projection projection(camera);
  const auto [right, up, forward] = axes(camera);
  const Vector eye = vector(camera.eye);
  constexpr double kMost = std::numeric_limits<double>::max();
  Vector low{kMost, kMost, kMost}, high{-kMost, -kMost, -kMost};
  for (const double distance : {begin, end}) {
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) {
        const Vector ahead = sum(forward, sum(scaled(right, x * projection.wide), scaled(up, y * projection.high)));
        const Vector corner = sum(eye, scaled(ahead, distance));
        const Vector in_light{dot(light.right, corner), dot(light.up, corner), dot(light.forward, corner)};
        for (std::size_t i = 0; i < 3; ++i) {
          low[i] = std::min(low[i], in_light[i]);
          high[i] = std::max(high[i], in_light[i]);
        }
      }
    }
  }
  // A little more, because shaders round.
  for (std::size_t i = 0; i < 3; ++i) {
    const double more = (high[i] - low[i]) * 1e-3 + 1e-3;
    low[i] -= more;
    high[i] += more;
  }
  return {.x = (low[0] + high[0]) / 2,
          .y = (low[1] + high[1]) / 2,
          .z = low[2] - kCasters,
          .half_width = (high[0] - low[0]) / 2,
          .half_height = (high[1] - low[1]) / 2,
          .length = high[2] - low[2] + kCasters,
          .texel = std::max(high[0] - low[0], high[1] - low[1]) / pixels};
}

}  // namespace

ViewData camera_view(const Camera& camera) {
  const Projection projection(camera);
  const auto [right, up, forward] = axes(camera);
  const Vector eye = vector(camera.eye);
  const double x = 1 / projection.wide, y = -1 / projection.high, z = projection.depth_scale;
  return {.view_projection = matrix({Row{scaled(right, x), -x * dot(right, eye)}, Row{scaled(up, y), -y * dot(up, eye)},
                                     Row{scaled(forward, z), -z * dot(forward, eye) + projection.depth_offset},
                                     Row{forward, -dot(forward, eye)}}),
          .eye = four(eye, camera.near),
          .range = {camera.near, camera.far, 0, 0}};
}

ViewData cascade_view(const Camera& camera, std::array<float, 3> sun, const CascadeSpec& spec) {
  assert(spec.of > 0 && spec.cascade < spec.of && spec.reach > camera.near && spec.pixels > 1);
  const double begin = split_distance(camera, spec, spec.cascade);
  const double end = split_distance(camera, spec, spec.cascade + 1);
  // The axes depend on the sun alone: if they turned with the camera, texels would not stay where they are.
  const Vector to_sun = normalized(vector(sun));
  const Axes light = axes(scaled(to_sun, -1), std::abs(to_sun[1]) < 0.99 ? Vector{0, 1, 0} : Vector{0, 0, 1});
  const Box box = (spec.sphere ? sphere_box : tight_box)(camera, light, begin, end, spec.pixels);

  const double x = 1 / box.half_width, y = -1 / box.half_height, z = 1 / box.length;
  const Vector near_side = sum(scaled(light.forward, box.z), sum(scaled(light.right, box.x), scaled(light.up, box.y)));
  return {.view_projection = matrix({Row{scaled(light.right, x), -x * box.x}, Row{scaled(light.up, y), -y * box.y},
                                     Row{scaled(light.forward, z), -z * box.z}, Row{{0, 0, 0}, 1}}),
          .eye = four(near_side, 0),
          .range = {static_cast<float>(begin), static_cast<float>(end), static_cast<float>(box.texel), 0}};
}

FrameData frame_data(const Camera& camera, std::array<float, 3> sun, std::span<const CascadeSpec> views,
                     std::uint32_t width, std::uint32_t height, double seconds, std::uint64_t frame,
                     const Matrix& previous) {
  assert(views.size() < kMostViews && width > 0 && height > 0);
  const auto wide = static_cast<float>(width), high = static_cast<float>(height);
  FrameData data{.inverse_view_projection = inverse_view_projection(camera),
                 .previous_view_projection = previous,
                 .sun_direction = four(normalized(vector(sun)), 0),
                 .sun_colour = kSunColour,
                 .sky_colour = kSkyColour,
                 .output_size = {wide, high, 1 / wide, 1 / high},
                 .time = {static_cast<float>(seconds), static_cast<float>(frame), 0, 0},
                 .views = {}};
  data.views[0] = camera_view(camera);
  for (std::size_t i = 0; i < views.size(); ++i) data.views[i + 1] = cascade_view(camera, sun, views[i]);
  return data;
}

}  // namespace lab::render_config
