#include "variants/sketch/family/sketch.h"

namespace lab {

namespace {

void draw(sketch::Paper& paper) {
  const double middle = (static_cast<double>(paper.side) - 1) / 2, radius = static_cast<double>(paper.side) / 2;
  for (std::size_t y = 0; y < paper.side; ++y)
    for (std::size_t x = 0; x < paper.side; ++x) {
      const double dx = static_cast<double>(x) - middle, dy = static_cast<double>(y) - middle;
      if (dx * dx + dy * dy <= radius * radius) paper.grey[y * paper.side + x] = 0;
    }
}

}  // namespace

const bench::Variant& bench::this_variant() {
  return sketch::make_variant(LAB_VARIANT,
                              {.idea = "tests every pixel against the circle",
                               .cost = "one multiplication and one comparison a pixel",
                               .source = "made up",
                               .weakness = "looks at pixels far outside"},
                              draw);
}

}  // namespace lab
