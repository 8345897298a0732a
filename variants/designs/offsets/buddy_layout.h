/// The shape of a buddy tree over a range of positions. A position is an offset, or the address of memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace lab::designs {

struct PlannedBuddy;

/// Arithmetic only: it touches no memory.
struct BuddyLayout {
  using Position = std::uintptr_t;
  static constexpr unsigned kMaxTreeLog2 = 47;  ///< all of a process's addresses on x86-64

  /// What a range must have at least, so that the allocator's own data fit.
  struct Needs {
    std::size_t leaf_bytes = 1;
    std::size_t leaves = 1;
  };

  /// Leaves are aligned to their own size; the rest at either end of the range is not used. Refuses leaf_bytes that is
  /// not a power of two, a range that is too large, and what is less than `needs`.
  static PlannedBuddy plan(Position begin, std::size_t bytes, std::size_t leaf_bytes, const Needs& needs);
  /// Over the offsets 0 to `bytes`.
  static PlannedBuddy plan(std::size_t bytes, std::size_t leaf_bytes);

  Position begin = 0;      ///< of the first leaf
  std::size_t leaves = 0;  ///< in the range, including reserved ones
  std::size_t leaf_bytes = 0;
  unsigned levels = 0;              ///< the tree has 2^(levels - 1) leaves, rounded up from `leaves`
  std::size_t reserved_leaves = 0;  ///< the first ones, which are never handed out, such as those of the metadata

  Position end() const { return begin + leaves * leaf_bytes; }
  std::size_t tree_bytes() const { return leaf_bytes << (levels - 1); }
  /// Size of the tree's head that lies before the range.
  std::size_t missing_bytes() const { return tree_bytes() - leaves * leaf_bytes; }
  /// One bit per block of the tree, rounded up to a byte.
  std::size_t metadata_bytes() const { return ((std::size_t{1} << levels) + 7) / 8; }
  /// What blocks may take.
  std::size_t usable_bytes() const { return (leaves - reserved_leaves) * leaf_bytes; }
  /// How many requests of `bytes` the empty allocator serves: the range ends on a multiple of any block's size, and
  /// what is missing or reserved lies at its beginning.
  std::size_t capacity(std::size_t bytes) const {
    return bytes > largest_request() ? 0 : usable_bytes() / block_bytes(bytes);
  }
  /// The largest request that the allocator can serve: the largest power of two that is at most usable_bytes(). For a
  /// range of 2^k bytes of which leaves are reserved it is 2^(k-1), because the other half contains these.
  std::size_t largest_request() const { return std::bit_floor(usable_bytes()); }
  /// The alignment of a block of b bytes: min(b, alignment of the range's end), at least leaf_bytes.
  std::size_t alignment(std::size_t bytes) const;
  /// The size of the block for a request of 0 to largest_request() bytes. The caller may use all of it.
  std::size_t block_bytes(std::size_t bytes) const;
};

/// A layout, or one sentence about why there is none.
struct PlannedBuddy {
  BuddyLayout layout;
  std::string refusal;  ///< "": there is a layout
};

}  // namespace lab::designs
