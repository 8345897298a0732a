/// The queries for every driver, read from a data file (sweeps.json): the article's image and buffer sweeps, or others.
///
///   {"schema": 1,
///    "images":  {"format": "VK_FORMAT_R8G8B8A8_UNORM", "type": "2d", "tiling": "optimal", "usage": ["sampled"],
///                "mip_levels": 1, "array_layers": 1, "samples": 1,
///                "widths": [1, 2], "heights": [1, 2]},       every pair; or "sizes": [[640, 480], ...]
///    "buffers": {"usage": ["storage buffer"], "lengths": [1, 2]}}
///
/// Names are Vulkan's own, or the same without prefix and _BIT in lower case.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace lab::probe {

/// Values are Vulkan's. Plain integers, so that users of this header do not need Vulkan's.
struct ImageSweep {
  std::int32_t format = 0, type = 0, tiling = 0;
  std::uint32_t usage = 0, mip_levels = 1, array_layers = 1, samples = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes;  ///< width, height
};

struct BufferSweep {
  std::uint32_t usage = 0;
  std::vector<std::uint64_t> lengths;  ///< bytes
};

struct Sweeps {
  ImageSweep images;
  BufferSweep buffers;
  boost::json::object parameters;  ///< the file without its sizes, as a column records it
};

/// One sentence on the first error: which field, what was expected, what was found.
Expected<Sweeps> parse_sweeps(std::string_view text);

}  // namespace lab::probe
