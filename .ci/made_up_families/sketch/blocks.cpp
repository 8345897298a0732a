#include <algorithm>

#include "variants/sketch/family/sketch.h"

namespace lab {

namespace {

constexpr std::size_t kBlock = 4;

/// Tests one pixel of each block and inks all of it or nothing.
void draw(sketch::Paper& paper) {
  const double middle = (static_cast<double>(paper.side) - 1) / 2, radius = static_cast<double>(paper.side) / 2;
  for (std::size_t y = 0; y < paper.side; y += kBlock)
    for (std::size_t x = 0; x < paper.side; x += kBlock) {
      const double dx = static_cast<double>(x) + 1.5 - middle, dy = static_cast<double>(y) + 1.5 - middle;
      if (dx * dx + dy * dy > radius * radius) continue;
      for (std::size_t row = y; row < y + kBlock; ++row)
        std::fill_n(paper.grey.begin() + static_cast<std::ptrdiff_t>(row * paper.side + x), kBlock, 0.0f);
    }
}

}  // namespace

const bench::Variant& bench::this_variant() {
  return sketch::make_variant(LAB_VARIANT,
                              {.idea = "tests one pixel of each block of 4 x 4",
                               .cost = "a sixteenth of the tests",
                               .source = "made up",
                               .weakness = "its edge is coarse"},
                              draw);
}

}  // namespace lab
