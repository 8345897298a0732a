/// How many bytes the texels of an image have, without anything between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/results/sweep_answers.h"

namespace lab::results {

/// The smallest unit of a format: one texel, or a block of a compressed format.
struct TexelBlock {
  std::uint32_t bytes = 0;
  std::uint32_t width = 1, height = 1, depth = 1;  ///< texels
};

/// The block of a format ("R8G8B8A8_UNORM"); none for a format of several planes or unknown to the pinned registry.
std::optional<TexelBlock> texel_block(std::string_view format);

/// Bytes of all texels of an image: every mip level, layer and sample, tightly packed; none if its format has no block.
std::optional<std::uint64_t> packed_bytes(const ImageKind& kind, std::uint32_t width, std::uint32_t height,
                                          std::uint32_t depth = 1);

/// The same of a known block, for many images of one kind.
std::uint64_t packed_bytes(const TexelBlock& block, const ImageKind& kind, std::uint32_t width, std::uint32_t height,
                           std::uint32_t depth = 1);

}  // namespace lab::results
