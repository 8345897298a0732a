#include "variants/ambient_obscurance/family/frames.h"

#include <algorithm>
#include <cmath>

namespace lab::ambient_obscurance {

namespace {

constexpr float kNear = 0.1f;
constexpr double kTangent = 0.55;
constexpr double kWall = -4.6;   ///< z of the wall's front
constexpr double kFront = -3.2;  ///< of the shelf

/// A room's corner: floor, two walls, and bodies that touch them; and a shelf without sides, dark inside, that hangs or
/// stands away from the wall and is the only thing that may move.
std::vector<Body> room(double shelf_x, bool hangs) {
  constexpr double kHalfWidth = 0.42, kHalfHeight = 0.6, kHalfDepth = 0.25, kBoard = 0.02;
  constexpr int kBoards = 7;
  const double y = hangs ? 0.35 : -1 + kHalfHeight, z = kFront - kHalfDepth;
  std::vector<Body> bodies{{BodyShape::kBox, {0, -1.5, -4}, {9, 0.5, 9}},
                           {BodyShape::kBox, {0, 2, kWall - 0.5}, {9, 6, 0.5}},
                           {BodyShape::kBox, {-4.4, 2, -4}, {0.5, 6, 9}},
                           {BodyShape::kBox, {-2.9, -0.6, -4.0}, {0.5, 0.4, 0.6}},
                           {BodyShape::kSphere, {-1.9, -0.55, -3.4}, {0.45, 0, 0}},
                           {BodyShape::kSphere, {2.6, -0.3, -3.9}, {0.7, 0, 0}},
                           {BodyShape::kBox, {1.6, -0.85, -2.6}, {0.3, 0.15, 0.3}},
                           {BodyShape::kBox, {1.6, -0.55, -2.6}, {0.18, 0.15, 0.18}},
                           {BodyShape::kBox, {3.6, 0.5, -4.3}, {0.15, 1.5, 0.15}},
                           {BodyShape::kBox, {0.2, 2.1, kWall}, {1.6, 0.06, 0.35}},
                           {BodyShape::kBox, {shelf_x, y, z - kHalfDepth + kBoard}, {kHalfWidth, kHalfHeight, kBoard}}};
  for (int board = 0; board < kBoards; ++board)
    bodies.push_back({BodyShape::kBox,
                      {shelf_x, y + (kHalfHeight - kBoard) * (board * 2.0 / (kBoards - 1) - 1), z},
                      {kHalfWidth, kBoard, kHalfDepth}});
  return bodies;
}

struct Moment {
  PinholeCamera camera;
  std::vector<Body> bodies;
};

/// `frame` is -1 for what was before the first one.
Moment moment(Scene scene, std::ptrdiff_t frame, std::uint32_t height) {
  const auto at = static_cast<double>(frame);
  const double along = scene == Scene::kCamera ? at * 0.012 : 0;
  const PinholeCamera camera{.eye = {along, 0.2, -0.2 * along}, .tangent = kTangent};
  const double metres = kObjectPixels * 2 * kTangent * -kFront / height;
  return {camera, room(-0.9 + (moves(scene) ? at * metres : 0), scene != Scene::kStanding)};
}

Frame make_frame(const Moment& now, const Moment& before, std::uint32_t width, std::uint32_t height) {
  const SeenBodies seen = see(now.bodies, now.camera, width, height);
  const std::size_t pixels = seen.body.size();
  Frame frame{std::vector<float>(pixels), std::vector<float>(pixels), std::vector<float>(pixels),
              std::vector<std::uint8_t>(pixels)};
  std::size_t pixel = 0;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x, ++pixel) {
      const std::uint32_t body = seen.body[pixel];
      if (body == kNoBody) continue;
      const Vector3 way = now.bodies[body].middle - before.bodies[body].middle;
      const Vector3 point =
          now.camera.eye + ray_direction(now.camera, x, y, width, height) * static_cast<double>(seen.depth[pixel]);
      frame.depth[pixel] = kNear / seen.depth[pixel];
      frame.moving[pixel] = way == Vector3{} ? 0 : 1;
      if (const auto last = see_point(before.camera, point - way, width, height)) {
        // What does not move has moved by exactly 0, not by what rounding leaves.
        const double dx = x + 0.5 - last->x, dy = y + 0.5 - last->y;
        constexpr double kRounding = 1e-6;
        frame.motion_x[pixel] = std::abs(dx) < kRounding ? 0 : static_cast<float>(dx);
        frame.motion_y[pixel] = std::abs(dy) < kRounding ? 0 : static_cast<float>(dy);
      }
    }
  return frame;
}

}  // namespace

Sequence make_sequence(Scene scene, std::uint32_t width, std::uint32_t height, std::size_t frames) {
  const double step = 2 * kTangent / height;
  Sequence sequence;
  sequence.lens = {width,
                   height,
                   kNear,
                   static_cast<float>((0.5 - width * 0.5) * step),
                   static_cast<float>((0.5 - height * 0.5) * step),
                   static_cast<float>(step)};
  sequence.count = frames;
  const std::size_t made = scene == Scene::kStill ? 1 : frames;
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(made); ++i)
    sequence.frames.push_back(make_frame(moment(scene, i, height), moment(scene, i - 1, height), width, height));
  return sequence;
}

Sequence last_alone(const Sequence& sequence) {
  return {sequence.lens, {sequence.frame(sequence.count - 1)}, 1};
}

Sequence standing_still(const Sequence& sequence) {
  Sequence still = last_alone(sequence);
  Frame& frame = still.frames.front();
  std::ranges::fill(frame.motion_x, 0.f);
  std::ranges::fill(frame.motion_y, 0.f);
  std::ranges::fill(frame.moving, std::uint8_t{0});
  still.count = sequence.count;
  return still;
}

std::vector<std::size_t> left_band(const Sequence& sequence, std::size_t frames) {
  std::vector<std::size_t> band;
  const std::size_t last = sequence.count - 1;
  for (std::size_t pixel = 0; pixel < sequence.lens.pixels(); ++pixel) {
    if (sequence.frame(last).moving[pixel] != 0) continue;
    for (std::size_t back = 1; back <= std::min(frames, last); ++back)
      if (sequence.frame(last - back).moving[pixel] != 0) {
        band.push_back(pixel);
        break;
      }
  }
  return band;
}

std::vector<std::size_t> moved_pixels(const Frame& frame, bool moved) {
  std::vector<std::size_t> pixels;
  for (std::size_t i = 0; i < frame.depth.size(); ++i)
    if ((frame.motion_x[i] != 0 || frame.motion_y[i] != 0) == moved) pixels.push_back(i);
  return pixels;
}

}  // namespace lab::ambient_obscurance
