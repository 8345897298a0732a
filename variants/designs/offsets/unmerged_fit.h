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
/// spaces that hold it but not aligned, as in BestFit.
class UnmergedFit {
 public:
  using Token = RangeNodes::Index;

  /// As BestFit's.
  UnmergedFit(std::uint64_t capacity, std::uint64_t block_bytes) : nodes_(capacity, block_bytes), spaces_(block_bytes) {
    nodes_.start(spaces_);
  }

  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment = 1);
  void free(Suballocation taken);

  std::uint64_t capacity() const { return nodes_.capacity(); }
  std::uint64_t block_bytes() const { return nodes_.block_bytes(); }
  std::uint64_t used_bytes() const { return nodes_.used_bytes(); }
  std::uint64_t requested_bytes() const { return nodes_.requested_bytes(); }
  std::size_t used_count() const { return nodes_.used_count(); }
  std::size_t free_count() const { return spaces_.count(); }
  std::uint64_t largest_free() const { return spaces_.largest(nodes_); }
  std::uint64_t free_tail_bytes() const;
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.heap_bytes(); }

  /// Free spaces touch where each was a part of its own.
  template <typename Visit>
  void for_each(Visit visit) const {
    nodes_.for_each(visit);
  }

 private:
  RangeNodes nodes_;
  SpacesInOrder spaces_;
};

}  // namespace lab::designs
