/// A family made up for CI: discs drawn into a small grey picture. It has everything that a family can have.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/bench/task.h"

namespace lab::sketch {

/// A square picture of grey levels from 0 to 1.
struct Paper {
  explicit Paper(std::size_t pixels) : side(pixels), grey(pixels * pixels, 1.0f) {}
  std::size_t side;
  std::vector<float> grey;
};

/// Draws a disc that touches the edges of the paper.
using DrawDisc = void (*)(Paper& paper);

/// A variant that draws with `draw`.
bench::Variant& make_variant(const char* name, const bench::Card& card, DrawDisc draw);

}  // namespace lab::sketch
