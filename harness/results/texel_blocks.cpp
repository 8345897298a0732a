#include "harness/results/texel_blocks.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "texel_blocks_generated.h"

namespace lab::results {

std::optional<TexelBlock> texel_block(std::string_view format) {
  const auto name = [](const NamedBlock& entry) { return std::string_view(entry.format); };
  const auto found = std::ranges::find(kTexelBlocks, format, name);
  return found == std::end(kTexelBlocks) ? std::nullopt : std::optional(found->block);
}

std::optional<std::uint64_t> packed_bytes(const ImageKind& kind, std::uint32_t width, std::uint32_t height,
                                          std::uint32_t depth) {
  const std::optional<TexelBlock> block = texel_block(kind.format);
  return block ? std::optional(packed_bytes(*block, kind, width, height, depth)) : std::nullopt;
}

std::uint64_t packed_bytes(const TexelBlock& block, const ImageKind& kind, std::uint32_t width, std::uint32_t height,
                           std::uint32_t depth) {
  const auto blocks = [](std::uint32_t texels, std::uint32_t level, std::uint32_t edge) -> std::uint64_t {
    return (std::max(texels >> level, 1u) + edge - 1) / edge;
  };
  const auto full = static_cast<std::uint32_t>(std::bit_width(std::max({width, height, depth})));
  const std::uint32_t levels = kind.mip_levels == 0 ? full : std::min(kind.mip_levels, full);
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < levels; ++level)
    bytes += blocks(width, level, block.width) * blocks(height, level, block.height) *
             blocks(depth, level, block.depth) * block.bytes;
  return bytes * kind.array_layers * kind.samples;
}

}  // namespace lab::results
