/// Best fit over offsets whose freed parts never merge: what merging is worth.
///
/// Idea: best_fit.h without the step that joins a freed part with the free spaces beside it. A space is cut into
/// smaller ones and stays cut, until the whole range is free and is one space again. Cost: as best_fit.h; the number of
/// free spaces grows with the requests that the range has served. Source: the opposite of "Vulkan Memory Allocation
/// (Part 1 of N)" (io7m, 2023), which merges adjacent free spaces to keep their number small. Weakness: a request is
/// refused where free spaces that touch would hold it together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/best_fit.h"

namespace lab::designs {

/// Models RangeAllocator. Alignments are at most the block size in what it is made for; above it, a request passes
/// spaces that hold it but not aligned, as in BestFit. Free spaces touch where each was a part of its own.
class UnmergedFit : public RangeOfNodes {
 public:
  using Token = RangeNodes::Index;

  /// As BestFit's.
  UnmergedFit(std::uint64_t capacity, std::uint64_t block_bytes)
      : RangeOfNodes(capacity, block_bytes), spaces_(block_bytes) {
    nodes_.start(spaces_);
  }

  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment = 1);
  void free(Suballocation taken);

  std::uint64_t block_bytes() const { return nodes_.block_bytes(); }
  std::size_t free_count() const { return spaces_.count(); }
  std::uint64_t largest_free() const { return spaces_.largest(nodes_); }
  std::uint64_t free_tail_bytes() const;
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.heap_bytes(); }

 private:
  SpacesInOrder spaces_;
};

}  // namespace lab::designs
