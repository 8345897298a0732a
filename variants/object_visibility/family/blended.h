/// Object-id images whose pixels are numbers with fractions: antialiasing blends the ids of neighbours, as if they were
/// colours.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/base/error.h"

namespace lab::object_visibility {

enum class ToWhole : std::uint8_t {
  kTruncated,  ///< towards 0, as the article's script does it
  kRounded     ///< to the nearest, and to the even one of two, as the article's text says and Python's round() does it
};
inline double whole(double value, ToWhole way) {
  return way == ToWhole::kTruncated ? std::trunc(value) : std::nearbyint(value);
}

/// Whether `value` becomes an id: what is NaN, below 0 or beyond 32 bits does not.
inline bool is_id(double value, ToWhole way) {
  const double id = whole(value, way);
  return id >= 0 && id < 4294967296.0;
}

/// The ids of `pixels`, of which `value(i)` is each one's value. An error names the pixel.
Expected<std::vector<std::uint32_t>> whole_ids(std::size_t pixels, std::uint32_t width, ToWhole way,
                                               const std::function<double(std::size_t)>& value);
/// The same of an image in memory, fast. Returns the first pixel that is no id, or the number of pixels.
std::size_t whole_ids(std::span<const float> values, ToWhole way, std::span<std::uint32_t> ids);

}  // namespace lab::object_visibility
