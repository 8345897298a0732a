/// Slabs: runs of pages that are cut into blocks of one size each.
///
/// Idea: an arena consists of pages. A request of up to kMostSlabBytes is rounded up to one of 47 sizes, and a
/// slab, a run of one to several pages, holds blocks of one of them. The slabs of a size that have a free block
/// form a list, and the free blocks of a slab another one, in place. A larger request gets a run of whole pages. A
/// slab without live blocks gives its pages back at once, and free runs merge.
/// Cost: allocate and free O(1): a few loads, and a search for a run by bit scan when a slab begins or ends; only if
/// no run is surely long enough, those of about its length are tried one by one. 20 bytes for each page, in the arena's
/// first pages, which is 0.5 %; nothing for a block. Sizes at most 1/8 apart, and at most 1/16 of a slab is no block.
/// Source: Jeff Bonwick: The Slab Allocator: An Object-Caching Kernel Memory Allocator, USENIX 1994; without the
/// caching of constructed objects.
/// Weakness: a slab with one live block keeps its pages from every other size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {

/// Not thread-safe. The memory must outlive the allocator, which does not free it.
class Slab {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kMostSlabBytes = 3840;  ///< a larger request takes whole pages

  /// `memory` must be aligned to kPageBytes. Uses whole pages.
  Slab(void* memory, std::size_t bytes);
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr.
  void* allocate(std::size_t bytes);
  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block);

  /// Bytes that a block of `bytes` takes in its slab, or in whole pages; `bytes` is at most largest_request().
  static std::size_t block_bytes(std::size_t bytes);
  /// The alignment of a block of `bytes`, a power of two.
  static std::size_t alignment(std::size_t bytes);

  /// The largest request that the empty arena serves; 0 if it serves none.
  std::size_t largest_request() const { return pages_ * kPageBytes; }
  /// How many requests of `bytes` the empty arena serves.
  std::size_t capacity(std::size_t bytes) const;
  /// Bytes of the arena that hold the state of its pages.
  std::size_t table_bytes() const { return table_bytes_; }

  /// Calls visit(bytes) for every free run of pages and for every free block of a slab.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (std::size_t page = 0; page < pages_; page += run_pages(table_[page])) {
      const Page& first = table_[page];
      if (first.kind == kFreeRun) visit(run_pages(first) * kPageBytes);
      if (first.kind < kClasses)
        for (unsigned block = first.used; block < kSizes[first.kind].blocks; ++block)
          visit(std::size_t{kSizes[first.kind].granules} * kGranule);
    }
  }

 private:
  static constexpr std::size_t kGranule = 16;
  using Index = std::uint32_t;  // of a page
  using Classes = SizeBins<3>;
  using Runs = SizeBins<3>;

  static constexpr Index kNone = ~Index{0};
  static constexpr std::uint16_t kNoBlock = 0xffff;
  static constexpr unsigned kClasses = Classes::of(kMostSlabBytes / kGranule) + 1;
  static constexpr std::uint8_t kFreeRun = 0xff, kLargeRun = 0xfe;
  static constexpr std::size_t kMostPages = std::size_t{1} << 28;
  static constexpr unsigned kRunBins = Runs::of(kMostPages) + 1;

  struct Size {
    std::uint16_t granules = 0, blocks = 0, pages = 0;
  };
  static constexpr std::array<Size, kClasses> sizes();
  static const std::array<Size, kClasses> kSizes;

  /// A page that is the first of a slab or of a run. Of a slab's other pages only `kind` and `back` count, of a run's
  /// last one only `kind` and `pages`; of those between, nothing.
  struct Page {
    Index next, previous;  // in the list of its size's slabs with a free block, or of its bin's free runs
    Index pages;           // of a run
    std::uint16_t free;    // of a slab: its first free block, in granules from its beginning
    std::uint16_t used;    // of a slab: live blocks
    std::uint16_t carved;  // of a slab: blocks that were handed out at least once; those behind are in no list
    std::uint8_t kind;     // the class of a slab, kFreeRun or kLargeRun
    std::uint8_t back;     // pages from the slab's first page to this one
  };

  static unsigned class_of(std::size_t bytes) {
    return Classes::holding(static_cast<std::uint32_t>((bytes + (bytes == 0) + kGranule - 1) / kGranule));
  }
  static std::size_t pages_for(std::size_t bytes) { return bytes / kPageBytes + (bytes % kPageBytes != 0); }
  static std::size_t run_pages(const Page& first) {
    return first.kind < kClasses ? kSizes[first.kind].pages : first.pages;
  }
  std::byte* address(Index page) const { return begin_ + page * kPageBytes; }

  Index new_slab(unsigned size_class);
  Index take_run(Index pages);
  Index run_in_own_bin(Index pages) const;
  void release_run(Index first, Index pages);
  void add_run(Index first, Index pages);
  void remove_run(Index first);
  void push(Index& head, Index page);
  void remove(Index& head, Index page);

  Page* table_;
  std::byte* begin_;  // of the first page that can be allocated
  std::size_t pages_;
  std::size_t table_bytes_;
  std::array<Index, kClasses> slabs_;  // by class: the first slab with a free block
  std::array<Index, kRunBins> runs_;   // by bin of pages: the first free run
  BinSet<kRunBins> nonempty_;          // of runs_
};

}  // namespace lab::designs
