/// Object-id images in the files of NumPy: format 1.0 or 2.0, little-endian u4, i4, f4 or f8, in C order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "variants/object_visibility/family/blended.h"
#include "variants/object_visibility/family/scene_images.h"

namespace lab::object_visibility {

/// A file's array. The data belongs to the file.
struct NpyArray {
  enum class Type : std::uint8_t { kU4, kI4, kF4, kF8 };
  Type type = Type::kU4;
  std::vector<std::uint64_t> shape;
  std::string_view data;  ///< as many bytes as type and shape say
};
/// Every other file is an error: what was expected and what was found.
Expected<NpyArray> parse_npy(std::string_view file);

/// Its ids, of shape (height, width), (height, width, channels) or flat: one row of pixels with `flat_channels` each.
/// The first channel counts. `way`: of numbers with fractions.
Expected<OwnedImage> npy_ids(const NpyArray& array, ToWhole way, std::uint32_t flat_channels = 1);

}  // namespace lab::object_visibility
