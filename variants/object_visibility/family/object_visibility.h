/// Counts with checks: the errors are the same whatever the counter.
#pragma once

#include <cstdint>

#include "harness/base/error.h"
#include "variants/object_visibility/family/counter.h"

namespace lab::object_visibility {

/// The largest id that a table of counters is made for. Blender's pass index ends at 32,767.
inline constexpr std::uint32_t kMostId = (1u << 20) - 1;

/// An image without pixels, or with another number than width times height, in one sentence.
Expected<void> check_image(const IdImage& image);
/// The sentence for an image in which count() found an id beyond `largest`: the first such pixel.
Error unknown_id(const IdImage& image, std::uint32_t largest);
/// Checks, loads and counts: the errors are the same whatever the counter.
Expected<Counts> count_pixels(Counter& counter, const IdImage& image, std::uint32_t largest);

}  // namespace lab::object_visibility
