/// Free spaces in bins whose sizes are floating-point numbers of few bits: the idea of OffsetAllocator.
///
/// Idea: the bins' sizes have three bits of mantissa, so each power of two has eight. Two levels of bits show which
/// bins have a space. A request is rounded up to a bin, so that the first space of any bin found there fits; the rest
/// goes back to the bin of its size. A freed part merges with free neighbours at once. All nodes lie in one array.
/// Alignment: none of its own. A request for more than a block's alignment asks for the largest possible gap in
/// addition and keeps it.
/// Cost: allocate and free O(1). 32 bytes for each used part and each free space, and 2 KB of bins.
/// Source: Sebastian Aaltonen: OffsetAllocator (2023), written anew. Changed: 64-bit sizes, hence more than its 256
/// bins; the array of nodes grows; a space stays in its bin while its size belongs there; if no higher bin has a space,
/// the first of the request's own bin is tried, so that the empty range serves a request of all of it.
/// Weakness: bins are an eighth of a power of two wide, so a space is passed over that is up to 1/8 larger than the
/// request; alignment wastes memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/range_allocator.h"
#include "variants/designs/offsets/range_nodes.h"
#include "variants/designs/offsets/size_lists.h"

namespace lab::designs {

/// A RangeAllocator. Its capacity is less than 2^63.
class FloatBins : public RangeOfNodes {
 public:
  FloatBins(std::uint64_t capacity, std::uint64_t block_bytes) : RangeOfNodes(capacity, block_bytes) {
    nodes_.start(lists_);
  }

  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment);
  void free(Suballocation taken);

  std::uint64_t largest_free() const { return lists_.largest(nodes_); }
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.heap_bytes(); }

 private:
  using Lists = SizeLists<3, 1>;

  Suballocation allocate_aligned(std::uint64_t bytes, std::uint64_t alignment);

  Lists lists_;
};

}  // namespace lab::designs
