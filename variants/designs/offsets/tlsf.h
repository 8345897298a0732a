/// TLSF, two-level segregated fit, over offsets: a general allocator whose every step is O(1), for memory that it may
/// not touch. addresses/tlsf.h is the same over memory.
///
/// Idea: free spaces lie in lists by size, two levels of them: powers of two, and each of these in 32 equal parts. A
/// bit for each list that is not empty, and a bit for each word of these, find the list by two bit scans. A request is
/// rounded up to the next list's smallest size, so that the first space of any list found there fits (good fit). The
/// rest of a space is a free space again. A freed part merges with free neighbours at once.
/// Alignment: if the space that was found does not hold the request at a multiple of the alignment, one is searched
/// that does wherever it begins. The gap before the part stays a free space.
/// Cost: allocate and free O(1). 32 bytes for each used part and each free space, and 8 KB of lists.
/// Source: Masmano, Ripoll, Crespo, Real: TLSF: a New Dynamic Memory Allocator for Real-Time Systems, ECRTS 2004.
/// Changed: nodes beside the range in place of headers in it; a space keeps its place in its list while its size
/// belongs there; if no larger list has a space, the request's own list is searched, kMostTries spaces far. The last
/// serves a request of the whole range, which rounding up would refuse.
/// Weakness: merging at once reads the neighbours of every freed part; of a bin's spaces the last one is taken, not
/// the one that fits best.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/range_allocator.h"
#include "variants/designs/offsets/range_nodes.h"
#include "variants/designs/offsets/size_lists.h"

namespace lab::designs {

/// A RangeAllocator. Its capacity is less than 2^63.
class OffsetTlsf : public RangeOfNodes {
 public:
  /// Spaces of the request's own list that are tried if no larger list has any.
  static constexpr unsigned kMostTries = 32;

  OffsetTlsf(std::uint64_t capacity, std::uint64_t block_bytes) : RangeOfNodes(capacity, block_bytes) {
    nodes_.start(lists_);
  }

  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment);
  void free(Suballocation taken);

  std::uint64_t largest_free() const { return lists_.largest(nodes_); }
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.heap_bytes(); }

 private:
  using Lists = SizeLists<5, kMostTries>;

  Suballocation allocate_aligned(std::uint64_t bytes, std::uint64_t alignment);

  Lists lists_;
};

}  // namespace lab::designs
