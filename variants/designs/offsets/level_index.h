/// Finds the size of a block of a buddy tree from its position, without a walk.
///
/// The ancestors of a block are split and what is below them on the way to its first leaf is not, so the number of
/// split nodes on the way from the root to that leaf is the block's level. The split bits of each subtree of 6 levels
/// lie in one word, where the way to a leaf is a mask, so that a population count counts them.
///
/// The article's walk looks at one bit after another, in as many places of its bit field, and ends with a branch that
/// cannot be predicted.
///
/// Cost: find() takes two steps, for a block of at least 4096 leaves one more for each 6 levels; set() one for each 6
/// levels. Memory: 64/63 bits for each leaf, beside the range.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/buddy_layout.h"

namespace lab::designs {

/// It knows only the blocks that set() names. Blocks that were live before may be named again, as other blocks.
class LevelIndex {
 public:
  using Position = BuddyLayout::Position;

  explicit LevelIndex(const BuddyLayout& layout);

  /// A block of 2^log2 bytes begins at `block` from now on.
  void set(Position block, unsigned log2);
  /// log2 of the size of the block that begins at `block`.
  unsigned find(Position block) const {
    // Above a block of less than kWidth^2 leaves, the second tier has a split node, and the higher ones nothing else.
    const std::size_t leaf = leaf_of(block), group = leaf >> kStep;
    const unsigned split = split_above(0, leaf) + split_above(1, group);
    if (split != 0) [[likely]]
      return leaf_log2_ + 2 * kStep - split;
    return find_large(group >> kStep);
  }

  std::size_t bytes() const { return words_.size() * sizeof(Word); }

 private:
  using Word = std::uint64_t;
  static constexpr unsigned kStep = 6;
  static constexpr std::size_t kWidth = std::size_t{1} << kStep;
  static constexpr std::size_t kMostTiers = BuddyLayout::kMaxTreeLog2 / kStep + 1;

  /// Bit i of a word is node i of its subtree: the root is 1, and the halves of i are 2 i and 2 i + 1. kWay[leaf] has
  /// the ancestors of the subtree's node kWidth + leaf.
  static constexpr std::array<Word, kWidth> kWay = [] {
    std::array<Word, kWidth> ways{};
    for (std::size_t leaf = 0; leaf < kWidth; ++leaf)
      for (std::size_t node = (kWidth + leaf) / 2; node > 0; node /= 2) ways[leaf] |= Word{1} << node;
    return ways;
  }();

  unsigned split_above(std::size_t tier, std::size_t node) const {
    return static_cast<unsigned>(std::popcount(words_[first_[tier] + (node >> kStep)] & kWay[node % kWidth]));
  }
  unsigned find_large(std::size_t node) const;

  std::size_t leaf_of(Position block) const { return (block - tree_) >> leaf_log2_; }

  Position tree_;  // where the tree begins, its missing head included; below zero for some ranges of offsets
  unsigned leaf_log2_;
  unsigned top_log2_;  // of what all tiers together span; above the tree, everything counts as split
  std::size_t tiers_;
  std::array<std::size_t, kMostTiers> first_{};  // words_[first_[t] + i] is word i of tier t; the sum may wrap around
  std::vector<Word> words_;
};

}  // namespace lab::designs
