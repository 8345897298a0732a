#include "variants/object_visibility/family/object_visibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/base/usage_error.h"

namespace lab::object_visibility {

Expected<void> check_image(const IdImage& image) {
  const std::uint64_t expected = std::uint64_t{image.width} * image.height;
  if (image.ids.size() != expected)
    return usage_error(fmt::format("expected {} pixels for an image of {} x {}, found {}", expected, image.width,
                                   image.height, image.ids.size()));
  if (image.ids.empty()) return usage_error("expected an image with pixels, found an empty one");
  if (expected > std::numeric_limits<std::uint32_t>::max())
    return usage_error(
        fmt::format("expected at most {} pixels, found {}", std::numeric_limits<std::uint32_t>::max(), expected));
  return {};
}

Error unknown_id(const IdImage& image, std::uint32_t largest) {
  const auto found = std::ranges::find_if(image.ids, [largest](std::uint32_t id) { return id > largest; });
  const auto at = static_cast<std::size_t>(found - image.ids.begin());
  return usage_error(
      fmt::format("pixel ({}, {}): expected an id of at most {}, the largest of a known object, found {}",
                  at % image.width, at / image.width, largest, *found),
      "the list of objects must have every object of the image");
}

Expected<Counts> count_pixels(Counter& counter, const IdImage& image, std::uint32_t largest) {
  if (const Expected<void> checked = check_image(image); !checked) return checked.error();
  if (largest > kMostId)
    return usage_error(fmt::format("expected ids of at most {}, found an object with {}", kMostId, largest));
  Counts counts(std::size_t{largest} + 1);
  counter.load(image);
  if (!counter.count(counts)) return unknown_id(image, largest);
  counts[kBackground] = 0;
  return counts;
}

}  // namespace lab::object_visibility
