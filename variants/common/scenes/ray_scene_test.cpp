#include "variants/common/scenes/ray_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lab {
namespace {

constexpr std::uint32_t kWidth = 64, kHeight = 48;

TEST(RayScene, WhatASphereCoversIsItsShareOfTheImage) {
  // On the axis: the silhouette is a disc of radius r / sqrt(d^2 - r^2) at distance 1.
  const std::vector<Body> scene{{BodyShape::kSphere, {0, 0, -5}, {1, 0, 0}}};
  const PinholeCamera camera{.tangent = 0.5};
  const SeenBodies seen = see(scene, camera, 640, 480);
  const auto covered = static_cast<double>(std::ranges::count(seen.body, 0u));
  const double radius = 1 / std::sqrt(24.0) * 480;  // pixels: the image is 1 high at distance 1
  EXPECT_NEAR(covered / (M_PI * radius * radius), 1, 0.005);
}

TEST(RayScene, ThePointUnderAPixelIsSeenInItsMiddle) {
  const std::vector<Body> scene{{BodyShape::kBox, {0, -1, -6}, {4, 0.5, 3}},
                                {BodyShape::kSphere, {1, 0, -5}, {1, 0, 0}}};
  const PinholeCamera camera = look_at({0.5, 1, 1}, {0, -0.5, -5}, 0.6);
  const SeenBodies seen = see(scene, camera, kWidth, kHeight);
  int hit = 0;
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::size_t pixel = std::size_t{y} * kWidth + x;
      ASSERT_EQ(std::isinf(seen.depth[pixel]), seen.body[pixel] == kNoBody);
      if (seen.body[pixel] == kNoBody) continue;
      ++hit;
      const double depth = seen.depth[pixel];
      const auto point =
          see_point(camera, camera.eye + ray_direction(camera, x, y, kWidth, kHeight) * depth, kWidth, kHeight);
      ASSERT_TRUE(point);
      EXPECT_NEAR(point->x, x + 0.5, 1e-6);
      EXPECT_NEAR(point->y, y + 0.5, 1e-6);
      EXPECT_NEAR(point->depth, depth, 1e-6);
    }
  EXPECT_GT(hit, 500);
}

TEST(RayScene, TheNearestOfTwoBodiesIsSeenInAnyOrder) {
  const Body near{BodyShape::kBox, {0, 0, -3}, {0.5, 0.5, 0.5}}, far{BodyShape::kBox, {0, 0, -8}, {2, 2, 0.5}};
  const PinholeCamera camera;
  const std::size_t middle = std::size_t{kHeight} / 2 * kWidth + kWidth / 2;
  EXPECT_EQ(see(std::vector{near, far}, camera, kWidth, kHeight).body[middle], 0u);
  EXPECT_EQ(see(std::vector{far, near}, camera, kWidth, kHeight).body[middle], 1u);
  EXPECT_FLOAT_EQ(see(std::vector{far, near}, camera, kWidth, kHeight).depth[middle], 2.5f);
}

TEST(RayScene, WhatIsBehindTheCameraOrAroundItIsNotSeen) {
  const std::vector<Body> scene{{BodyShape::kSphere, {0, 0, 5}, {1, 0, 0}}, {BodyShape::kBox, {0, 0, 0}, {9, 9, 9}}};
  const SeenBodies seen = see(scene, {}, kWidth, kHeight);
  EXPECT_EQ(std::ranges::count(seen.body, kNoBody), kWidth * kHeight);
  EXPECT_FALSE(see_point({}, {0, 0, 5}, kWidth, kHeight));
}

}  // namespace
}  // namespace lab
