/// The buddy allocator (buddy.h) over a range of any size, with every block at a multiple of its own size.
///
/// Idea: a request gets a block of the next power of two, of its size or of its alignment, whichever is larger. The
/// tree of buddies ends where the range ends, and so its blocks lie at multiples of their size counted from there. Here
/// they count from the other side, and so do all offsets: the range begins where the tree ends.
/// Leaf: block_bytes, but at least 256 and at least what makes 2^16 leaves of the range; a smaller range is one leaf of
/// the largest power of two that it holds. The bytes behind the last whole leaf are never used.
/// Cost: allocate and free one step for each split or merge, at most 16. 8.3 bytes for each leaf, so about 3.2 % of
/// the range at 256-byte leaves and at most 528 KiB; 24 bytes for each used part.
/// Source: Knuth, The Art of Computer Programming, volume 1, 2.5 (1968); buddy_tree.h names what it changes.
/// Weakness: rounding up to powers of two wastes a quarter of each block on average. A range that is no power of two
/// serves no request of its whole size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/buddy.h"
#include "variants/designs/offsets/range_allocator.h"

namespace lab::designs {

/// A RangeAllocator. Its capacity is at most 2^47. Cannot be copied or moved.
class RangeBuddy {
 public:
  static constexpr std::uint64_t kLeastLeaf = 256;
  static constexpr unsigned kMostLeavesLog2 = 16;

  RangeBuddy(std::uint64_t capacity, std::uint64_t block_bytes);

  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment);
  void free(Suballocation taken);

  std::uint64_t capacity() const { return capacity_; }
  std::size_t used_count() const { return used_count_; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t requested_bytes() const { return requested_bytes_; }
  std::uint64_t largest_free() const { return capacity_ == 0 ? 0 : tree_.largest_free(); }
  std::size_t metadata_bytes() const { return sizeof *this + tree_.store().bytes() + parts_.capacity() * sizeof(Part); }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const OffsetRange& range : ranges()) visit(range);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t requested = 0;  // 0: not in use
    std::uint32_t log2 = 0;       // of the block
    std::uint32_t next = kNone;   // in the list of those not in use
  };

  std::uint64_t end() const { return tree_.layout().end(); }
  std::vector<OffsetRange> ranges() const;

  std::uint64_t capacity_, block_bytes_;
  OffsetBuddy tree_;
  std::vector<Part> parts_;  // by token
  std::uint32_t unused_ = kNone;
  std::size_t used_count_ = 0;
  std::uint64_t used_bytes_ = 0, requested_bytes_ = 0;
};

}  // namespace lab::designs
