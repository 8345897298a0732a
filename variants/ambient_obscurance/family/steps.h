/// The steps of a frame on the CPU, each over rows of the image: one text (steps_text.h) for one pixel at a time and
/// for eight, so that both give the same bits.
#pragma once

#include <array>
#include <cstdint>

#include "variants/ambient_obscurance/family/pattern.h"

namespace lab::ambient_obscurance {

inline constexpr std::uint32_t kLevels = 6;          ///< of the mip chain, the image itself included
inline constexpr std::uint32_t kMostPixelsAt0 = 16;  ///< a sample further away than that, pixels, reads a coarser level
inline constexpr float kNothing = 1e4f;              ///< where there is nothing, metres along the view
inline constexpr std::uint32_t kLeastEdge = 1u << kLevels;  ///< of an image, pixels

/// Where the levels of the chain lie in one array. Level m has edges of width >> m and height >> m.
struct Chain {
  std::array<std::int32_t, 8> first{}, width{}, height{};  ///< by level; the last two are not used
  std::size_t texels = 0;
};
/// Edges of at least kLeastEdge.
Chain chain_of(std::uint32_t width, std::uint32_t height);

/// What the steps of a frame read and write. Rows from the top; nothing overlaps.
struct Job {
  std::int32_t width, height;
  Chain chain;
  // of the lens
  float near, x_first, y_first, step;
  float pixels_by_depth;  ///< radius of the sampled disc, pixels, by the depth buffer's value
  // of the frame
  const float *depth, *motion_x, *motion_y;
  const std::uint8_t* moving;  ///< null: the depth has no moving bit
  // of the pattern
  const Direction* spiral;
  const PixelKind* kinds;
  const std::uint8_t* kind_of;
  std::int32_t samples;
  std::int32_t levels;   ///< of the chain that samples read; 1: the image alone
  bool forwards_movers;  ///< coarser levels have the moving bit
  // of the similarity
  bool has_history;  ///< there was a frame before
  bool disocclusion, velocity, printed_combination;
  Dangerous dangerous;
  // what is made
  float* z;                 ///< the chain: metres along the view, negative where something moves
  const float* last_z;      ///< its first level in the last frame
  float* obscured;          ///< 1: nothing hides the sky
  float* touching;          ///< the share of a pixel's samples that touch a mover; null: is not wanted
  float *result, *penalty;  ///< history of the next frame
  const float *last_result, *last_penalty;
  float* weight;  ///< what history weighed; null: is not wanted
};

struct Steps {
  /// Rows of the chain's first level.
  void (*linearise)(const Job& job, std::int32_t first_row, std::int32_t end_row);
  /// Rows of level `level` > 0 of the chain, from the one before.
  void (*halve)(const Job& job, std::int32_t level, std::int32_t first_row, std::int32_t end_row);
  void (*obscure)(const Job& job, std::int32_t first_row, std::int32_t end_row);
  void (*reproject)(const Job& job, std::int32_t first_row, std::int32_t end_row);
};

const Steps& scalar_steps();
/// Eight pixels at once. Null on a CPU without AVX2.
const Steps* avx2_steps();

}  // namespace lab::ambient_obscurance
