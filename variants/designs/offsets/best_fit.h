/// A best-fit allocator over offsets: of all free spaces that hold a request it takes the smallest.
///
/// Idea: the range consists of blocks of one size, so every offset is a multiple of it and a suitable alignment never
/// costs a gap. A freed part merges with the free space before it and the one behind it (range_nodes.h). Free spaces
/// are in bins by their number of blocks (size_bins.h): below 128 blocks a bin for each number, above it 64 for each
/// doubling, in ascending order. Of equal spaces, the one that was freed last serves first.
/// Cost: O(1), and in bins of several sizes one step for each smaller space of the same bin, which is within 2 % of the
/// size. 32 bytes for each part and space, 15 KB of lists. The range itself is never touched.
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023), which asks for best fit with merging and expects O(n)
/// over few free spaces. Bins: Masmano et al., "TLSF" (2004), which takes the first space of a larger bin instead.
/// Beyond it: alignments above the block size, which pass spaces that hold a request but not aligned.
/// Weakness: a request that is not a multiple of the block size wastes the rest of its last block, and best fit leaves
/// small free spaces behind. Thousands of free spaces of nearly the same large size cost a walk.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/range_allocator.h"
#include "variants/designs/offsets/range_nodes.h"
#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {

/// Lists of free spaces in which the smallest that holds a request is found.
class SpacesInOrder {
 public:
  using Index = RangeNodes::Index;
  static constexpr Index kNone = RangeNodes::kEnds;

  explicit SpacesInOrder(std::uint64_t block_bytes)
      : block_log2_(static_cast<unsigned>(std::countr_zero(block_bytes))) {}

  /// The smallest space of at least `bytes` (at least 1), or kNone.
  Index find(const RangeNodes& nodes, std::uint64_t bytes) const;
  /// The next larger space, or kNone.
  Index next(const RangeNodes& nodes, Index space) const;
  std::uint64_t largest(const RangeNodes& nodes) const;
  std::size_t count() const { return count_; }

  void add(RangeNodes& nodes, Index space);
  void remove(RangeNodes& nodes, Index space);
  void resize(RangeNodes& nodes, Index space, std::uint64_t bytes);

 private:
  using Bins = SizeBins<6, std::uint64_t>;

  unsigned bin_of(std::uint64_t bytes) const { return Bins::of(((bytes - 1) >> block_log2_) + 1); }

  unsigned block_log2_;
  std::size_t count_ = 0;
  BinSet<Bins::kCount> nonempty_;
  std::array<Index, Bins::kCount> smallest_{};  // of each bin; kNone
};

/// Models RangeAllocator. Copies are independent, and tokens of one are valid for the other.
class BestFit {
 public:
  using Token = RangeNodes::Index;
  static constexpr Token kNoToken = RangeNodes::kEnds;
  static constexpr std::uint64_t kNone = Suballocation::kNone;

  /// `capacity` is below 2^63. If it is no multiple of the block size (a power of two), the last block is shorter.
  BestFit(std::uint64_t capacity, std::uint64_t block_bytes) : nodes_(capacity, block_bytes), spaces_(block_bytes) {
    nodes_.start(spaces_);
  }

  /// With an alignment above the block size, the smallest space that holds the request aligned; the gap in front of it
  /// stays a free space. Used parts have whole blocks, but a request that reaches into a short
  /// last block ends with it. So the empty allocator serves a request of capacity() bytes.
  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment = 1);
  void free(Suballocation taken) { release(taken); }
  /// The same; returns the free space that results, merged with its neighbours.
  Token release(Suballocation taken);

  /// The same at a given place: not served, and no change, if it is not free or `offset` is no multiple of the block
  /// size. O(n).
  Suballocation allocate_at(std::uint64_t offset, std::uint64_t bytes);
  /// The same at the beginning of a free space, which holds `bytes`: a result of lowest_fit() or smallest_fit(). O(1).
  Suballocation allocate_in(Token space, std::uint64_t bytes);

  /// The lowest free space that holds `bytes`, or kNoToken. O(n).
  Token lowest_fit(std::uint64_t bytes) const;
  /// The free space that allocate(bytes) would take, or kNoToken.
  Token smallest_fit(std::uint64_t bytes) const { return spaces_.find(nodes_, bytes + (bytes == 0)); }
  /// The used part that begins at `offset`; not served if none does. O(n).
  Suballocation used_at(std::uint64_t offset) const;
  /// The used part or the free space of a token.
  OffsetRange range_of(std::uint64_t token) const { return nodes_.range_of(static_cast<Token>(token)); }

  std::uint64_t capacity() const { return nodes_.capacity(); }
  std::uint64_t block_bytes() const { return nodes_.block_bytes(); }
  std::uint64_t used_bytes() const { return nodes_.used_bytes(); }
  std::uint64_t free_bytes() const { return capacity() - used_bytes(); }
  std::uint64_t requested_bytes() const { return nodes_.requested_bytes(); }
  std::size_t used_count() const { return nodes_.used_count(); }
  std::size_t free_count() const { return spaces_.count(); }
  std::uint64_t largest_free() const { return spaces_.largest(nodes_); }
  /// Bytes of the last block if it is short and free. Only a request that is no multiple of the block size can use it.
  std::uint64_t free_tail_bytes() const;
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.heap_bytes(); }
  /// For whoever keeps freed parts (deferred_ranges.h).
  RangeNodes& nodes() { return nodes_; }
  const RangeNodes& nodes() const { return nodes_; }

  template <typename Visit>
  void for_each(Visit visit) const {
    nodes_.for_each(visit);
  }
  /// Calls visit(token, OffsetRange).
  template <typename Visit>
  void for_each_token(Visit visit) const {
    for (Token at = nodes_.first(); at != kNoToken; at = nodes_[at].behind) visit(at, nodes_.range_of(at));
  }

 private:
  Suballocation take(Token space, std::uint64_t gap, std::uint64_t bytes) {
    bytes += bytes == 0;
    return nodes_.take(space, gap, bytes, bytes, spaces_);
  }

  RangeNodes nodes_;
  SpacesInOrder spaces_;
};

/// How far free memory is from one contiguous space: 1 - largest / total, so 0 is one space. 0 if nothing is free.
inline double fragmentation(std::uint64_t largest_free, std::uint64_t free_bytes) {
  return free_bytes == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free_bytes);
}

}  // namespace lab::designs
