/// Address-ordered first fit over offsets: the lowest free space that holds a request.
///
/// Idea: all free spaces are in one list by offset, and a request walks it from the beginning. Low offsets fill first,
/// so the high end of the range tends to stay one large space. A freed part merges with its free neighbours at once.
/// Alignment: the gap before an aligned part stays a free space.
/// Cost: allocate O(free spaces). free O(1) if a neighbour is free; otherwise it looks for its place in the list,
/// O(used parts between two free spaces). 32 bytes for each used part and each free space. Source: Knuth, The Art of
/// Computer Programming, volume 1, 2.5 (1968); Wilson et al., "Dynamic Storage Allocation: A Survey and Critical
/// Review" (1995), which finds that address order fragments little. Weakness: small spaces gather at the beginning of
/// the range, where every search passes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/range_allocator.h"
#include "variants/designs/offsets/range_nodes.h"

namespace lab::designs {

/// A RangeAllocator. Its capacity is less than 2^63.
class FirstFit : public RangeOfNodes {
 public:
  FirstFit(std::uint64_t capacity, std::uint64_t block_bytes) : RangeOfNodes(capacity, block_bytes) {
    nodes_.start(list_);
  }

  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment);
  void free(Suballocation taken);

  std::uint64_t largest_free() const;  ///< O(free spaces)
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.heap_bytes(); }

 private:
  using Index = RangeNodes::Index;

  /// All free spaces by offset, in a circle through kEnds.
  struct List {
    void add(RangeNodes& nodes, Index space);
    void remove(RangeNodes& nodes, Index space);
    void resize(RangeNodes& nodes, Index space, std::uint64_t bytes) { nodes[space].state = bytes; }
  };

  [[no_unique_address]] List list_;
};

}  // namespace lab::designs
