#include "variants/designs/offsets/level_index.h"

#include <algorithm>

namespace lab::designs {

LevelIndex::LevelIndex(const BuddyLayout& layout)
    : tree_(layout.end() - layout.tree_bytes()),
      leaf_log2_(static_cast<unsigned>(std::countr_zero(layout.leaf_bytes))),
      tiers_(std::max<std::size_t>((layout.levels - 1 + kStep - 1) / kStep, 2)) {
  top_log2_ = leaf_log2_ + kStep * static_cast<unsigned>(tiers_);
  std::size_t words = 0, low = leaf_of(layout.begin), high = leaf_of(layout.end()) - 1;
  for (std::size_t tier = 0; tier < tiers_; ++tier) {
    low >>= kStep;
    high >>= kStep;
    first_[tier] = words - low;
    words += high - low + 1;
  }
  words_.resize(words);
}

unsigned LevelIndex::find_large(std::size_t node) const {
  unsigned log2 = top_log2_;
  for (std::size_t tier = 2; tier < tiers_; ++tier, node >>= kStep) log2 -= split_above(tier, node);
  return log2;
}

void LevelIndex::set(Position block, unsigned log2) {
  std::size_t node = leaf_of(block);
  unsigned below = log2 - leaf_log2_;  // levels of the block that lie in this tier or in a higher one
  for (std::size_t tier = 0; tier < tiers_; ++tier, node >>= kStep) {
    const Word way = kWay[node % kWidth];
    const unsigned here = below < kStep ? below : kStep;
    // The ancestors of a node have smaller numbers.
    const Word split = way & ((Word{1} << ((kWidth + node % kWidth) >> here) % kWidth) - 1);
    Word& word = words_[first_[tier] + (node >> kStep)];
    word = (word & ~way) | (here == 0 ? way : split);
    below -= here;
  }
}

}  // namespace lab::designs
