/// A buddy allocator whose areas are reserved for one block size each, so that an address tells the size: the area that
/// it lies in is in a table. "Allocation Adventures 3" (Stingray blog, 2015) mentions it as an option for a limited
/// number of sizes.
///
/// The buddy of addresses/buddy.h hands out areas of kAreaBytes. A request of less gets a block of the next power of
/// two from an area of that size; a free area becomes one when there is none with a free block, and is free again with
/// its last block. So small blocks never split nor merge, and their sizes share no area. A larger request is the
/// buddy's.
///
/// Cost: O(1) below an area; else that of the buddy. Metadata: sizeof(Area) per area in the first areas of the buffer,
/// which is one bit per block in a tree of 64-byte leaves, and the buddy's bits, which are fewer.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "variants/designs/addresses/buddy.h"

namespace lab::designs {

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
class BuddyAreas {
 public:
  static constexpr std::size_t kAreaBytes = 4096;

  /// The layout of the buddy of areas, with the table's reserved. `least_block` is the size of the smallest block: a
  /// power of two, at least 16 and less than an area. Refuses a buffer without an area for blocks.
  static PlannedBuddy plan(void* buffer, std::size_t bytes, std::size_t least_block);

  BuddyAreas(const BuddyLayout& areas, std::size_t least_block);
  BuddyAreas(const BuddyAreas&) = delete;
  BuddyAreas& operator=(const BuddyAreas&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr if none is free. The contents are indeterminate.
  void* allocate(std::size_t bytes);
  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block);

  const BuddyLayout& layout() const { return buddy_.layout(); }
  std::size_t block_bytes(std::size_t bytes) const;
  std::size_t alignment(std::size_t bytes) const;
  std::size_t largest_request() const { return layout().largest_request(); }
  /// How many requests of `bytes` it serves when empty.
  std::size_t capacity(std::size_t bytes) const;
  std::size_t table_bytes() const { return layout().leaves * sizeof(Area); }

  /// The largest free block; 0 if none.
  std::size_t largest_free() const;
  /// Calls visit(address, bytes) for every free block: those of areas in use, then the free areas.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (unsigned log2 = 0; log2 < kAreaLog2; ++log2) {
      const std::size_t bytes = std::size_t{1} << log2;
      for (Index at = area(head(log2)).next; at != head(log2); at = area(at).next) {
        for (std::uint16_t block = area(at).first_free; block != kNone; block = next_of(at, block))
          visit(static_cast<const void*>(begin_of(at) + block * bytes), bytes);
        for (std::size_t block = area(at).carved; block < kAreaBytes / bytes; ++block)
          visit(static_cast<const void*>(begin_of(at) + block * bytes), bytes);
      }
    }
    buddy_.for_each_free(visit);
  }

 private:
  static constexpr unsigned kAreaLog2 = std::countr_zero(kAreaBytes);
  static constexpr std::uint16_t kNone = 0xffff;

  /// An area by its number, or a list's head: those of areas that have a free block, a list for each size.
  using Index = std::uint32_t;
  struct Area {
    Index next = 0, previous = 0;
    std::uint16_t first_free = kNone;  ///< the blocks that were freed, linked in their first bytes
    std::uint16_t carved = 0;          ///< blocks from here on were never handed out
    std::uint16_t live = 0;
    std::uint8_t log2 = 0;  ///< of the block size; of an area that begins a larger block, that block's
  };
  static_assert(sizeof(Area) == 16);

  static Index head(unsigned log2) { return static_cast<Index>(log2); }
  Area& area(Index index) { return index < kAreaLog2 ? heads_[index] : table_[index - kAreaLog2]; }
  const Area& area(Index index) const { return index < kAreaLog2 ? heads_[index] : table_[index - kAreaLog2]; }
  Index index_of(const void* block) const;
  std::byte* begin_of(Index index) const { return buddy_.begin() + std::size_t{index - kAreaLog2} * kAreaBytes; }
  std::uint16_t next_of(Index index, std::size_t block) const;
  void link(Index index);
  void unlink(Index index);

  unsigned least_log2_;
  Buddy buddy_;
  Area* table_;
  std::array<Area, kAreaLog2> heads_;
};

}  // namespace lab::designs
