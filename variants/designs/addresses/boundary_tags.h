/// A preamble and a postamble around each block: free(pointer) and merging without any search.
///
/// Idea: both tags hold the block's size and whether it is free. The preamble gives free(pointer) the size. The
/// preamble of the block behind and the postamble of the block before lie beside a freed block, so it finds and
/// merges with its free neighbours at once. Free blocks form a circular list in place. A search begins where the
/// last one ended (next fit), and a request takes the end of the first block that is large enough.
/// Cost: free O(1); allocate O(free blocks) at worst, but few while the arena has room. 32 bytes a block, because
/// the block between the tags is aligned to 16 bytes: a request of 4 KiB does not fit into a page, and takes two of
/// them.
/// Source: Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015). Boundary tags and the roving pointer
/// are Knuth's (The Art of Computer Programming, volume 1, 2.5); with searches from the list's beginning, small
/// blocks collect there, and every search passes thousands of them.
/// Weakness: small blocks are mostly tags, and next fit spreads free memory over the whole arena.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/addresses/linear.h"

namespace lab::designs {

/// Not thread-safe. The memory must outlive the allocator, which does not free it.
class BoundaryTags {
 public:
  static constexpr std::size_t kGranule = 16;  ///< alignment of every block
  static constexpr std::size_t kTagBytes = 16;

  /// `memory` must be aligned to kGranule. Uses whole granules.
  BoundaryTags(void* memory, std::size_t bytes);
  BoundaryTags(const BoundaryTags&) = delete;
  BoundaryTags& operator=(const BoundaryTags&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr.
  void* allocate(std::size_t bytes);
  /// The same; adds the number of free blocks that it passes (and of the list's head) to `passed`.
  void* allocate(std::size_t bytes, std::uint64_t& passed);
  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block);

  /// Bytes that a live block takes in the arena, with its tags.
  std::size_t block_bytes(const void* block) const {
    return tag_at(static_cast<const std::byte*>(block) - kTagBytes).bytes;
  }

  /// The largest request that the empty arena serves; 0 if it serves none.
  std::size_t largest_request() const { return empty() ? 0 : bytes() - 2 * kTagBytes; }
  /// How many requests of `bytes` the empty arena serves.
  std::size_t capacity(std::size_t bytes) const {
    return empty() || bytes > largest_request() ? 0 : this->bytes() / block_for(bytes);
  }

  /// Calls visit(bytes, is_free) for every block, by address. The size includes the tags.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const std::byte* at = begin_; at != end_; at += tag_at(at).bytes) visit(tag_at(at).bytes, tag_at(at).free);
  }

 private:
  struct Tag {
    std::size_t bytes;  // of the whole block
    bool free;
  };
  static_assert(sizeof(Tag) == kTagBytes);
  struct Link {
    Link* next;
    Link* previous;
  };
  static_assert(sizeof(Link) == kGranule);
  static constexpr std::size_t kMinBlock = 2 * kTagBytes + kGranule;

  /// The block for a request of at most largest_request().
  static std::size_t block_for(std::size_t bytes) { return round_up(bytes + (bytes == 0), kGranule) + 2 * kTagBytes; }
  static const Tag& tag_at(const std::byte* at) { return *reinterpret_cast<const Tag*>(at); }
  static Link& link_at(std::byte* block) { return *reinterpret_cast<Link*>(block + kTagBytes); }
  static void write_tags(std::byte* block, std::size_t bytes, bool free);

  std::size_t bytes() const { return static_cast<std::size_t>(end_ - begin_); }
  bool empty() const { return begin_ == end_; }
  void insert(std::byte* block);
  void remove(std::byte* block);
  template <typename Pass>
  void* take(std::size_t bytes, Pass pass);

  std::byte* begin_;
  std::byte* end_;
  Link list_;    // circular, so that a block's neighbours in it always exist
  Link* rover_;  // where the next search begins, a free block or list_; freed blocks come last in it
};

}  // namespace lab::designs
