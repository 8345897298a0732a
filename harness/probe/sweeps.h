/// What drivers are asked, read from data files (sweeps/*.json): the article's sizes, a wider set, or a user's own.
///
///   {"schema": 2,
///    "images":  [{"formats": ["VK_FORMAT_R8G8B8A8_UNORM"], "type": "2d", "tilings": ["optimal"],
///                 "usages": [["sampled"]], "flags": [[]], "mip_levels": [1, "full"], "array_layers": [1],
///                 "samples": [1], "widths": [1, 2], "heights": [1, 2]}],   every pair; or "sizes": [[640, 480], ...]
///    "buffers": [{"usages": [["storage buffer"]], "flags": [[]], "lengths": [1, 2]}]}
///
/// A block asks for every combination of its lists. Names are Vulkan's own, or the same without prefix and _BIT in
/// lower case. The lists flags, mip_levels, array_layers and samples may be left out, and so may type.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace lab::probe {

// Values are Vulkan's. Plain integers, so that users of this header do not need Vulkan's.

inline constexpr std::uint32_t kFullChain = 0;  ///< as mip_levels: down to one texel

/// What images have in common besides their size.
struct ImageKind {
  std::int32_t format = 0, type = 0, tiling = 0;
  std::uint32_t usage = 0, flags = 0, mip_levels = 1, array_layers = 1, samples = 1;
};

struct Extent {
  std::uint32_t width = 1, height = 1, depth = 1;  ///< texels
  bool operator==(const Extent&) const = default;
};

/// Every size in every kind.
struct ImageBlock {
  std::vector<ImageKind> kinds;
  std::vector<Extent> sizes;
};

struct BufferKind {
  std::uint32_t usage = 0, flags = 0;
};

struct BufferBlock {
  std::vector<BufferKind> kinds;
  std::vector<std::uint64_t> lengths;  ///< bytes
};

/// The queries of one file. Their order: images, then buffers; in each the blocks, their kinds, their sizes.
struct Sweep {
  std::vector<ImageBlock> images;
  std::vector<BufferBlock> buffers;

  std::size_t image_count() const;
  std::size_t buffer_count() const;
};

inline constexpr int kSweepSchema = 2;
inline constexpr std::uint32_t kMostMipLevels = 32;

/// More queries in one file would be a mistake: the answers are to be read and plotted.
inline constexpr std::size_t kMostQueries = 4'000'000;

/// One sentence on the first error: which field, what was expected, what was found.
Expected<Sweep> parse_sweep(std::string_view text);

/// Reads a file. An error names it.
Expected<Sweep> load_sweep(const std::string& file);

/// The mip levels that a file states: a whole number from 1 to kMostMipLevels, or "full", which is kFullChain.
std::optional<std::uint32_t> mip_levels_of(const boost::json::value& value);

/// Mip levels of an image of this size from its full size down to one texel.
std::uint32_t full_chain(const Extent& size);

}  // namespace lab::probe
