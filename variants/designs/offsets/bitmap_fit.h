/// Best fit with all bookkeeping in bitmaps apart from the blocks: a dense heap that stays fast.
///
/// Idea: a range is a row of leaves, and a block is any run of them: no power of two, no alignment beyond a leaf's. Two
/// bits for each leaf say "a block or a free run begins here" and "it is a free run". They show a block's size, so
/// free(block) needs no header, and a freed block's neighbours, so it merges in O(1). 64 leaves are a page, which is
/// one word of each bitmap. Only the longest free run that begins in a page is listed, in the list of its size class;
/// lists link pages, so that links take 8 bytes a page instead of 8 bytes a leaf. A request takes the front of the
/// first run in the lowest class that holds it. Classes below 64 leaves are exact, so there this is best fit.
/// What crosses the end of a page has its end in the page where it begins; a free run has its begin in the page where
/// it ends. So no length is ever counted leaf by leaf or page by page.
/// Cost: allocate and free(block) O(1): a bit scan, and an update of up to three pages. A request of more than 64
/// leaves that no higher class holds searches its own class. Metadata: 40 bytes a page, which is 1 % at 64-byte leaves,
/// and 2 KB of list heads. The range itself is never read or written.
/// Source: our own. Wilson et al., "Dynamic Storage Allocation: A Survey and Critical Review" (1995), on best fit with
/// exact classes and on boundary tags, which are bits here.
/// Weakness: rounds up to leaves. A page's shorter free runs are found only when its longest one is taken.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/size_classes.h"

namespace lab::designs {

/// Positions and lengths are in leaves. Not thread-safe.
class BitmapFit {
 public:
  using Leaf = std::uint32_t;
  static constexpr Leaf kNone = ~Leaf{0};
  static constexpr Leaf kMostLeaves = Leaf{1} << 31;
  static constexpr Leaf kPageLeaves = 64;

  /// Size of the bookkeeping for a range of `leaves`.
  static constexpr std::size_t metadata_bytes(std::size_t leaves) {
    return SizeClasses::kCount * sizeof(Link) + pages_of(leaves) * (sizeof(Link) + sizeof(Page));
  }
  /// The most leaves of `leaf_bytes` that fit in `bytes` together with their bookkeeping, at most kMostLeaves.
  static Leaf leaves_within(std::size_t bytes, std::size_t leaf_bytes);

  /// Over 1 to kMostLeaves leaves. `metadata` has metadata_bytes(leaves), is aligned to 8 and outlives the allocator.
  BitmapFit(Leaf leaves, void* metadata);
  BitmapFit(const BitmapFit&) = delete;
  BitmapFit& operator=(const BitmapFit&) = delete;

  /// The first leaf of a block of `leaves` (at least 1), or kNone if no free run holds them.
  Leaf allocate(Leaf leaves);
  /// The front of the free run that begins at `run` and holds `leaves`.
  void allocate_at(Leaf run, Leaf leaves) { take_front(run, end_of(run), leaves); }
  /// Frees the block that begins at `first`. Freeing anything else is undefined.
  void free(Leaf first);

  /// Frees everything: the state is that after construction.
  void reset();

  Leaf leaves() const { return leaves_; }
  /// Of the block or free run that begins at `first`.
  Leaf end_of(Leaf first) const;
  bool is_free_run(Leaf first) const { return ((page_of(first).free >> (first % kPageLeaves)) & 1) != 0; }
  /// The first free run that begins at `leaf` or behind it, or kNone. One step a page.
  Leaf first_free_run(Leaf leaf) const;
  /// The longest free run now.
  Leaf largest_free() const;

  /// Calls visit(first, leaves) for every free run, by position.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (Leaf first = 0; first < leaves_;) {
      const Leaf end = end_of(first);
      if (is_free_run(first)) visit(first, end - first);
      first = end;
    }
  }

 private:
  struct Page {
    std::uint64_t begins;        // bit i: a block or a free run begins at leaf i of the page
    std::uint64_t free;          // bit i: it is a free run
    Leaf crosses_to;             // end of what begins in this page and reaches its end
    Leaf crosses_from;           // begin of the free run that ends in this page and begins before; kNone: a block does
    std::uint16_t listed_class;  // 0: no free run begins in the page
    std::uint8_t listed;         // leaf of the page where the listed run begins
  };
  /// Of circular lists: first the heads of the classes, then the pages.
  struct Link {
    std::uint32_t next, previous;
  };

  /// One more than needed if the range ends with a page, so that the begin of what follows the range has a bit.
  static constexpr std::size_t pages_of(std::size_t leaves) { return leaves / kPageLeaves + 1; }
  Page& page_of(Leaf leaf) { return pages_[leaf / kPageLeaves]; }
  const Page& page_of(Leaf leaf) const { return pages_[leaf / kPageLeaves]; }
  static std::uint64_t bit(Leaf leaf) { return std::uint64_t{1} << (leaf % kPageLeaves); }

  void list(std::size_t page, unsigned size_class, Leaf first);
  void list_longest(std::size_t page);
  void add_run(Leaf first, Leaf end);
  void cross(Leaf first, Leaf end, Leaf from);
  Leaf run_before(Leaf leaf) const;
  Leaf find(Leaf leaves) const;
  void take_front(Leaf first, Leaf end, Leaf leaves);

  Link* links_;
  Page* pages_;
  Leaf leaves_;
  ClassMask nonempty_;
};

}  // namespace lab::designs
