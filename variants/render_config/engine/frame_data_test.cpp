#include "variants/render_config/engine/frame_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/base/random.h"

namespace lab::render_config {
namespace {

using Point = std::array<double, 3>;
using Clip = std::array<double, 4>;

double uniform(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.next() >> 11) * 0x1p-53;
}

/// By the matrix as the device has it, in double precision.
Clip multiplied(const Matrix& matrix, const Clip& by) {
  Clip result{};
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column) result[row] += double{matrix[column * 4 + row]} * by[column];
  return result;
}

Point divided(const Clip& clip) {
  return {clip[0] / clip[3], clip[1] / clip[3], clip[2] / clip[3]};
}
Point seen_at(const Matrix& matrix, const Point& point) {
  return divided(multiplied(matrix, {point[0], point[1], point[2], 1}));
}

Point moved(const Point& point, const std::array<float, 3>& along, double by) {
  return {point[0] + along[0] * by, point[1] + along[1] * by, point[2] + along[2] * by};
}

constexpr double kRounding = 1e-4;  // of the camera's matrix in single precision

/// At the origin, along -z.
Camera plain_camera() {
  return {.eye = {0, 0, 0},
          .forward = {0, 0, -1},
          .up = {0, 1, 0},
          .field_of_view = 1,
          .aspect = 16.0f / 9,
          .near = 0.5f,
          .far = 100};
}

Camera any_camera(Random& random) {
  Camera camera = plain_camera();
  for (float& part : camera.eye) part = static_cast<float>(uniform(random, -50, 50));
  const double turn = uniform(random, 0, 6.28), pitch = uniform(random, -1.3, 1.3);
  camera.forward = {static_cast<float>(std::sin(turn) * std::cos(pitch)), static_cast<float>(std::sin(pitch)),
                    static_cast<float>(std::cos(turn) * std::cos(pitch))};
  return camera;
}

std::array<float, 3> any_sun(Random& random) {
  const double turn = uniform(random, 0, 6.28), height = uniform(random, 0.2, 1.57);
  return {static_cast<float>(std::sin(turn) * std::cos(height)), static_cast<float>(std::sin(height)),
          static_cast<float>(std::cos(turn) * std::cos(height))};
}

/// What the camera sees at this place of the screen, -1 to 1, and distance along its direction.
Point point_at(const Camera& camera, double x, double y, double distance) {
  const double near = camera.near, far = camera.far;
  const double depth = far / (far - near) * (1 - near / distance);
  const Matrix inverse = frame_data(camera, {0, 1, 0}, {}, 640, 360, 0, 0, {}).inverse_view_projection;
  return divided(multiplied(inverse, {x, y, depth, 1}));
}

std::vector<CascadeSpec> cascades(std::uint32_t of, float split, bool sphere) {
  std::vector<CascadeSpec> specs;
  for (std::uint32_t i = 0; i < of; ++i)
    specs.push_back({.cascade = i, .of = of, .reach = 60, .split = split, .sphere = sphere, .pixels = 512});
  return specs;
}

void expect_near(const Point& seen, const Point& expected, double by = 1e-5) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(seen[i], expected[i], by) << "axis " << i;
}

TEST(FrameData, TheCameraSeesRightAtPlusXAndUpAtMinusYAndDepthFrom0To1) {
  const Matrix matrix = camera_view(plain_camera()).view_projection;
  const double half_height = std::tan(0.5), half_width = half_height * 16 / 9;
  expect_near(seen_at(matrix, {0, 0, -0.5}), {0, 0, 0});
  expect_near(seen_at(matrix, {0, 0, -100}), {0, 0, 1});
  expect_near(seen_at(matrix, {half_width * 10, 0, -10}), {1, 0, 100 / 99.5 * 0.95});
  expect_near(seen_at(matrix, {0, half_height * 10, -10}), {0, -1, 100 / 99.5 * 0.95});
}

TEST(FrameData, ClipSpacesWIsTheDistanceAlongTheCamerasDirection) {
  const Clip clip = multiplied(camera_view(plain_camera()).view_projection, {3, 4, -20, 1});
  EXPECT_NEAR(clip[3], 20, 1e-5);
}

TEST(FrameData, TheInverseOfTheCamerasMatrixLeadsBackToThePoint) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Camera camera = any_camera(random);
    const Matrix inverse = frame_data(camera, {0, 1, 0}, {}, 640, 360, 0, 0, {}).inverse_view_projection;
    const Point seen{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0, 0.99)};
    const Point point = divided(multiplied(inverse, {seen[0], seen[1], seen[2], 1}));
    expect_near(seen_at(camera_view(camera).view_projection, point), seen, 1e-3);
  }
}

TEST(FrameData, ACascadesBoxHasEveryPointOfItsPartOfTheCamerasFrustumAndWhatCastsShadowsIntoIt) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const Camera camera = any_camera(random);
    const std::array<float, 3> sun = any_sun(random);
    for (const bool sphere : {false, true}) {
      for (CascadeSpec spec : cascades(3, 0.7f, sphere)) {
        // With few pixels, a sphere is moved far.
        if (round % 2 == 0) spec.pixels = 4;
        const ViewData view = cascade_view(camera, sun, spec);
        for (int i = 0; i < 24; ++i) {
          // The corners first.
          const bool corner = i < 8;
          const double x = corner ? (i & 1 ? 1 : -1) : uniform(random, -1, 1);
          const double y = corner ? (i & 2 ? 1 : -1) : uniform(random, -1, 1);
          const double distance = corner ? view.range[i & 4 ? 1 : 0] : uniform(random, view.range[0], view.range[1]);
          const Point point = point_at(camera, x, y, distance);
          for (const double towards_sun : {0.0, 60.0}) {
            const Point seen = seen_at(view.view_projection, moved(point, sun, towards_sun));
            EXPECT_LE(std::abs(seen[0]), 1 + kRounding);
            EXPECT_LE(std::abs(seen[1]), 1 + kRounding);
            EXPECT_GE(seen[2], -kRounding);
            EXPECT_LE(seen[2], 1 + kRounding);
          }
        }
      }
    }
  }
}

TEST(FrameData, ASphereIsTheSmallestWhoseMiddleIsOnTheCamerasAxis) {
  Random random(6);
  for (int round = 0; round < 20; ++round) {
    Camera camera = plain_camera();
    camera.field_of_view = static_cast<float>(uniform(random, 0.2, 1.6));
    for (const CascadeSpec& spec : cascades(3, 0.7f, true)) {
      const ViewData view = cascade_view(camera, {0, 1, 0}, spec);
      const double begin = view.range[0], end = view.range[1];
      const double slope = std::tan(camera.field_of_view / 2) * std::hypot(1, camera.aspect);
      double smallest = 1e9;
      for (double middle = begin; middle <= end; middle += (end - begin) / 5000)
        smallest = std::min(smallest,
                            std::max(std::hypot(middle - begin, begin * slope), std::hypot(end - middle, end * slope)));
      EXPECT_NEAR(view.range[2] * (static_cast<float>(spec.pixels) - 1) / 2, smallest, smallest * 1e-3);
    }
  }
}

TEST(FrameData, ABoxIsNeverWiderThanTheSphere) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const Camera camera = any_camera(random);
    const std::array<float, 3> sun = any_sun(random);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const ViewData box = cascade_view(camera, sun, cascades(3, 0.7f, false)[i]);
      const ViewData sphere = cascade_view(camera, sun, cascades(3, 0.7f, true)[i]);
      EXPECT_LT(box.range[2], sphere.range[2] * 1.002);
    }
  }
}

TEST(FrameData, AShadowsDepthGrowsAwayFromTheSun) {
  Random random(4);
  const Camera camera = any_camera(random);
  const std::array<float, 3> sun = any_sun(random);
  const Matrix matrix = cascade_view(camera, sun, {}).view_projection;
  const Point point{1, 2, 3};
  const Point here = seen_at(matrix, point), below = seen_at(matrix, moved(point, sun, -1));
  EXPECT_GT(below[2], here[2]);
  EXPECT_NEAR(below[0], here[0], 1e-5);
  EXPECT_NEAR(below[1], here[1], 1e-5);
}

TEST(FrameData, ASphereHasAConstantSizeAndMovesInWholeTexels) {
  Random random(5);
  const std::array<float, 3> sun{0.5f, 0.7f, 0.3f};
  const Point mark{7, 1, -3};
  for (const CascadeSpec& spec : cascades(3, 0.7f, true)) {
    const ViewData first = cascade_view(plain_camera(), sun, spec);
    const Point first_at = seen_at(first.view_projection, mark);
    for (int i = 0; i < 200; ++i) {
      const ViewData view = cascade_view(any_camera(random), sun, spec);
      EXPECT_EQ(view.range[2], first.range[2]);
      // The matrices differ in their last column alone.
      for (std::size_t element = 0; element < 12; ++element)
        EXPECT_EQ(view.view_projection[element], first.view_projection[element]);
      const Point at = seen_at(view.view_projection, mark);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const double texels = (at[axis] - first_at[axis]) / 2 * spec.pixels;
        EXPECT_NEAR(texels, std::round(texels), 0.01);
      }
    }
  }
}

TEST(FrameData, TheEdgeOfATexelIsWhatTheMatrixMakesOfIt) {
  for (const bool sphere : {false, true}) {
    CascadeSpec spec = cascades(3, 0.7f, sphere)[1];
    const ViewData view = cascade_view(plain_camera(), {0.5f, 0.7f, 0.3f}, spec);
    const auto scale = [&](std::size_t row) {
      const Matrix& m = view.view_projection;
      return std::hypot(m[row], m[4 + row], m[8 + row]);
    };
    EXPECT_NEAR(view.range[2], 2 / std::min(scale(0), scale(1)) / static_cast<float>(spec.pixels), 1e-4);
    const float texel = view.range[2];
    spec.pixels *= 2;
    EXPECT_NEAR(cascade_view(plain_camera(), {0.5f, 0.7f, 0.3f}, spec).range[2], texel / 2, texel * 0.01);
  }
}

TEST(FrameData, ASplitOf0GivesEqualLengthsAnd1EqualRatios) {
  const Camera camera = plain_camera();
  const auto ranges = [&](float split) {
    std::vector<std::array<float, 2>> result;
    for (const CascadeSpec& spec : cascades(4, split, true)) {
      const ViewData view = cascade_view(camera, {0, 1, 0}, spec);
      result.push_back({view.range[0], view.range[1]});
    }
    return result;
  };
  for (const float split : {0.0f, 0.3f, 1.0f}) {
    const auto all = ranges(split);
    EXPECT_FLOAT_EQ(all.front()[0], camera.near);
    EXPECT_FLOAT_EQ(all.back()[1], 60);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_FLOAT_EQ(all[i][0], all[i - 1][1]);
  }
  for (const auto& [begin, end] : ranges(0)) EXPECT_NEAR(end - begin, 59.5 / 4, 1e-4);
  for (const auto& [begin, end] : ranges(1)) EXPECT_NEAR(end / begin, std::pow(120, 0.25), 1e-4);
}

TEST(FrameData, ASunStraightAboveHasAViewToo) {
  const ViewData view = cascade_view(plain_camera(), {0, 2, 0}, {});
  for (const float element : view.view_projection) EXPECT_TRUE(std::isfinite(element));
  const Point seen = seen_at(view.view_projection, {0, 0, -10});
  EXPECT_LE(std::abs(seen[0]), 1);
  EXPECT_LE(std::abs(seen[1]), 1);
}

TEST(FrameData, EverythingIsFilledIn) {
  const Camera camera = plain_camera();
  const std::vector<CascadeSpec> specs = cascades(2, 0.5f, true);
  Matrix previous{};
  previous[3] = 7;
  const FrameData data = frame_data(camera, {0, 3, 4}, specs, 640, 360, 2.5, 75, previous);
  EXPECT_EQ(data.previous_view_projection, previous);
  EXPECT_EQ(data.sun_direction, (Four{0, 0.6f, 0.8f, 0}));
  EXPECT_EQ(data.output_size, (Four{640, 360, 1.0f / 640, 1.0f / 360}));
  EXPECT_EQ(data.time, (Four{2.5f, 75, 0, 0}));
  EXPECT_GT(data.sun_colour[0], 0);
  EXPECT_GT(data.sky_colour[2], 0);
  EXPECT_EQ(data.views[0].view_projection, camera_view(camera).view_projection);
  EXPECT_EQ(data.views[0].eye, (Four{0, 0, 0, 0.5f}));
  EXPECT_EQ(data.views[0].range, (Four{0.5f, 100, 0, 0}));
  for (std::size_t i = 0; i < 2; ++i) {
    const ViewData view = cascade_view(camera, {0, 3, 4}, specs[i]);
    EXPECT_EQ(data.views[i + 1].view_projection, view.view_projection);
    EXPECT_EQ(data.views[i + 1].eye, view.eye);
    EXPECT_EQ(data.views[i + 1].range, view.range);
  }
  EXPECT_EQ(data.views[3].view_projection, Matrix{});
}

}  // namespace
}  // namespace lab::render_config
