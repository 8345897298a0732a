/// What a renderer would hand to ambient obscurance in each frame: depths, motion, and what moves. Made by code.
#pragma once

#include <cstdint>
#include <vector>

#include "variants/common/scenes/ray_scene.h"

namespace lab::ambient_obscurance {

/// Turns pixels and depths into points of the camera's space, metres: x to the right, y down, z forward.
struct Lens {
  std::uint32_t width = 0, height = 0;
  float near = 0;                  ///< depth 1 is there, and depth d at near / d
  float x_first = 0, y_first = 0;  ///< of the middle of the first pixel, at z = 1
  float step = 0;                  ///< from a pixel's middle to the next one's, at z = 1
  std::size_t pixels() const { return std::size_t{width} * height; }
};

struct Frame {
  std::vector<float> depth;               ///< near / z, as a reversed depth buffer without a far end has it; 0: nothing
  std::vector<float> motion_x, motion_y;  ///< pixels since the last frame, by which a pixel's content has moved
  std::vector<std::uint8_t> moving;       ///< 1: belongs to a body that moves by itself
};

enum class Scene : std::uint8_t {
  kStill,
  kCamera,   ///< the camera moves
  kObject,   ///< a shelf moves, which hangs before a wall
  kStanding  ///< the same shelf stands on the floor
};
constexpr bool moves(Scene scene) {
  return scene == Scene::kObject || scene == Scene::kStanding;
}

/// How far the shelf moves on the screen in a frame, where it faces the camera.
inline constexpr unsigned kObjectPixels = 2;

struct Sequence {
  Lens lens;
  std::vector<Frame> frames;  ///< of kStill one, which lasts
  std::size_t count = 0;      ///< of frames
  const Frame& frame(std::size_t i) const { return frames[i < frames.size() ? i : frames.size() - 1]; }
};

Sequence make_sequence(Scene scene, std::uint32_t width, std::uint32_t height, std::size_t frames);

/// The last frame by itself.
Sequence last_alone(const Sequence& sequence);
/// As many frames as `sequence` has, in which what its last one shows stands still.
Sequence standing_still(const Sequence& sequence);

/// What the shelf covered in one of `frames` frames before the last one, and does not cover in the last: for 8, a band
/// of 16 pixels behind it. Pixels, in ascending order.
std::vector<std::size_t> left_band(const Sequence& sequence, std::size_t frames);

/// The pixels whose content has moved since the frame before, or all others; in ascending order.
std::vector<std::size_t> moved_pixels(const Frame& frame, bool moved);

}  // namespace lab::ambient_obscurance
