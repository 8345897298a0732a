/// Best fit whose freed blocks wait for the next request of their size before they merge.
///
/// Idea: a freed block goes on a short stack of its length, one for each length of up to 64 leaves, and the next
/// request of that length takes it from there. Only what finds its stack full, or empty, reaches the best fit below
/// (bitmap_fit.h), which merges at once. Before a request is refused, all stacks are emptied and it is tried again, so
/// nothing is refused that the best fit could serve. When no block is live, all stacks are emptied too, so the state
/// of an empty heap is always the same.
/// Cost: mostly a push or a pop; else the best fit's O(1). A request that would be refused empties 64 stacks of
/// kDepth blocks first. Those hold at most kDepth * 2080 leaves, which no other length can use meanwhile.
/// Source: deferred coalescing and "quick lists": Wilson et al., "Dynamic Storage Allocation: A Survey and Critical
/// Review" (1995); emptied before a refusal, as in magazines.
/// Weakness: a request that takes a block from a stack does not choose the best place for it, so free memory is
/// somewhat more fragmented, and the worst single call is slower.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/bitmap_fit.h"

namespace lab::designs {

/// Positions and lengths are in leaves. Not thread-safe.
class DeferredFit {
 public:
  using Leaf = BitmapFit::Leaf;
  static constexpr Leaf kNone = BitmapFit::kNone;
  static constexpr unsigned kDepth = 8;
  static constexpr Leaf kLongest = 64;  ///< longer blocks merge at once

  /// As BitmapFit's.
  DeferredFit(Leaf leaves, void* metadata) : fit_(leaves, metadata) {}

  /// As BitmapFit's.
  Leaf allocate(Leaf leaves) {
    if (leaves <= kLongest && waiting_[leaves].count != 0) [[likely]] {
      ++live_;
      return waiting_[leaves].pop();
    }
    return allocate_below(leaves);
  }
  void free(Leaf first) { free(first, fit_.end_of(first) - first); }
  /// The same without a look at the bookkeeping. `leaves` is what was requested.
  void free(Leaf first, Leaf leaves) {
    if (--live_ != 0 && leaves <= kLongest && waiting_[leaves].count != kDepth) [[likely]]
      waiting_[leaves].push(first);
    else
      free_below(first);
  }

  /// Merges all blocks that wait.
  void merge();
  void reset();

  Leaf leaves() const { return fit_.leaves(); }
  /// Leaves of the blocks that wait.
  std::size_t waiting_leaves() const;
  /// What is free below the blocks that wait.
  const BitmapFit& fit() const { return fit_; }

 private:
  struct Stack {
    std::uint32_t count = 0;
    std::array<Leaf, kDepth> blocks;
    Leaf pop() { return blocks[--count]; }
    void push(Leaf block) { blocks[count++] = block; }
  };

  Leaf allocate_below(Leaf leaves);
  void free_below(Leaf first);

  std::array<Stack, kLongest + 1> waiting_{};
  std::size_t live_ = 0;
  BitmapFit fit_;
};

}  // namespace lab::designs
