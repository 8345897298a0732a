/// Where the samples of a frame lie: a spiral that all frames and pixels share, and how each turns and shifts it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "variants/ambient_obscurance/family/settings.h"

namespace lab::ambient_obscurance {

/// Sample i of a pixel of kind k lies in the direction of `spiral[i]`, turned by `kinds[k]`, at (i + kinds[k].shift) /
/// n of the radius.
struct Direction {
  float x = 1, y = 0;
};
struct PixelKind {
  float cosine = 1, sine = 0;
  float shift = 0.5f;  ///< 0 to 1
};

inline constexpr std::size_t kMostKinds = 64;

/// Of one frame.
struct Pattern {
  std::vector<Direction> spiral;            ///< a direction for each sample
  std::array<PixelKind, kMostKinds> kinds;  ///< those that `kind_of` names
  std::vector<std::uint8_t> kind_of;        ///< by pixel
};

/// The patterns of a cycle of frames: 8 of the article's, 9 of nine even turns, 16 of those that never repeat.
/// `seed` chooses the random turns.
std::vector<Pattern> make_patterns(const Settings& settings, std::uint32_t width, std::uint32_t height,
                                   std::uint64_t seed);

/// The first 8 terms of the Halton sequence of base 3, which are the article's turns: 1/3, 2/3, 1/9, ... 8/9.
std::array<double, 8> halton_turns();

/// Where a direction of the spiral of `samples` is, in turns: each sample turns by about a golden angle, and the last
/// joins the first.
double spiral_turn(std::uint32_t sample, std::uint32_t samples);

}  // namespace lab::ambient_obscurance
