#include "variants/object_visibility/family/blended.h"

#include <fmt/format.h>

#include "harness/base/usage_error.h"

namespace lab::object_visibility {

Expected<std::vector<std::uint32_t>> whole_ids(std::size_t pixels, std::uint32_t width, ToWhole way,
                                               const std::function<double(std::size_t)>& value) {
  std::vector<std::uint32_t> ids(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const double found = value(i);
    if (!is_id(found, way))
      return usage_error(
          fmt::format("pixel ({}, {}): expected a value from 0 to 4294967295, found {}", i % width, i / width, found));
    ids[i] = static_cast<std::uint32_t>(whole(found, way));
  }
  return ids;
}

std::size_t whole_ids(std::span<const float> values, ToWhole way, std::span<std::uint32_t> ids) {
  const auto convert = [&](auto to_whole) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float id = to_whole(values[i]);
      if (!(id >= 0 && id < 4294967296.0f)) return i;
      ids[i] = static_cast<std::uint32_t>(id);
    }
    return values.size();
  };
  if (way == ToWhole::kTruncated) return convert([](float value) { return std::trunc(value); });
  return convert([](float value) { return std::nearbyint(value); });
}

}  // namespace lab::object_visibility
