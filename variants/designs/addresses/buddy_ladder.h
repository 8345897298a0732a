/// The steps from a plain buddy allocator to that of "Allocation Adventures 3: The Buddy Allocator" (Stingray blog, 4
/// August 2015), over memory. The article compares ways to know two things about a block:
///
/// - is its buddy free, so that the two merge: a search of the level's list, a bit per block, or one bit per pair;
/// - how large is it: the caller says, or a hash table, the bytes before the block, a level per leaf, or split bits.
///
/// BuddyRung combines one answer to each. All rungs split, merge and place blocks alike, in the order of the final form
/// (offsets/buddy_tree.h). That one is written by itself: it keeps both bits of a block in one word, and a mask of the
/// levels that have a free block. A rung looks at the lists one after the other, as the article does.
///
/// The tables lie in the first leaves of the buffer (the hash table outside), and the links in the free blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/addresses/buddy.h"

namespace lab::designs {

/// The geometry of a tree. A block has an index: the root's is 1, the halves of i are 2 i and 2 i + 1.
struct BuddyNodes {
  using Position = BuddyLayout::Position;
  using Node = std::size_t;

  explicit BuddyNodes(const BuddyLayout& layout);

  /// The index of the block of 2^log2 bytes at `block`, and back.
  Node node_at(Position block, unsigned log2) const { return (block - origin) >> log2; }
  Position position_of(Node node, unsigned log2) const { return origin + (node << log2); }
  /// The number of the leaf at `block` in the tree, whose missing head counts.
  std::size_t leaf_at(Position block) const { return node_at(block, leaf_log2) - (std::size_t{1} << (levels - 1)); }

  Position origin;  ///< tree_bytes() before the tree; it may wrap around
  unsigned leaf_log2;
  unsigned levels;
};

/// Bits in memory that its owner has set to zero.
class BitTable {
 public:
  void bind(std::byte* bytes) { bytes_ = bytes; }
  bool test(std::size_t bit) const { return static_cast<unsigned>(bytes_[bit / 8] >> (bit % 8)) & 1; }
  void set(std::size_t bit) { bytes_[bit / 8] |= mask(bit); }
  void clear(std::size_t bit) { bytes_[bit / 8] &= ~mask(bit); }
  void flip(std::size_t bit) { bytes_[bit / 8] ^= mask(bit); }

 private:
  static std::byte mask(std::size_t bit) { return std::byte{1} << (bit % 8); }
  std::byte* bytes_ = nullptr;
};

// --- Is the buddy free? ---------------------------------------------------------------------------------------------
// table_bits(layout) is the size of the table. became_free() and became_used() say that a block enters or leaves its
// list. buddy_is_free(node) is asked about a block that is in use itself.

/// No table: the buddy is free if it is in its level's list. O(free blocks of the level).
struct SearchedLists {
  static constexpr bool kSearches = true;
  static std::size_t table_bits(const BuddyLayout&) { return 0; }
  void bind(std::byte*) {}
  void became_free(BuddyNodes::Node) {}
  void became_used(BuddyNodes::Node) {}
};

/// A bit per block.
struct FreeBits {
  static constexpr bool kSearches = false;
  static std::size_t table_bits(const BuddyLayout& layout) { return std::size_t{1} << layout.levels; }
  void bind(std::byte* table) { free.bind(table); }
  void became_free(BuddyNodes::Node node) { free.set(node); }
  void became_used(BuddyNodes::Node node) { free.clear(node); }
  bool buddy_is_free(BuddyNodes::Node node) const { return free.test(node ^ 1); }
  BitTable free;
};

/// A bit per pair of buddies: exactly one of them is free. Half a bit per block.
struct XorBits {
  static constexpr bool kSearches = false;
  static std::size_t table_bits(const BuddyLayout& layout) { return std::size_t{1} << (layout.levels - 1); }
  void bind(std::byte* table) { one_is_free.bind(table); }
  void became_free(BuddyNodes::Node node) { one_is_free.flip(node / 2); }
  void became_used(BuddyNodes::Node node) { one_is_free.flip(node / 2); }
  bool buddy_is_free(BuddyNodes::Node node) const { return one_is_free.test(node / 2); }
  BitTable one_is_free;
};

// --- How large is the block? ----------------------------------------------------------------------------------------
// remember() is told each block that is handed out. size_log2() is asked about one that is freed, and forgets it.

/// Nothing is kept: the caller of free() says the size.
struct SizeFromCaller {
  using Position = BuddyNodes::Position;
  static constexpr bool kKnown = false, kAllocates = false;
  static constexpr std::size_t kPreambleBytes = 0;
  static constexpr unsigned kMostLevels = BuddyLayout::kMaxTreeLog2;

  static std::size_t table_bits(const BuddyLayout&) { return 0; }
  explicit SizeFromCaller(const BuddyNodes& tree) : nodes(tree) {}
  void bind(std::byte*) {}
  void split(BuddyNodes::Node) {}
  void merged(BuddyNodes::Node) {}
  void remember(Position, unsigned) {}
  /// Bits that are kept beside the table now.
  std::size_t further_bits() const { return 0; }

  BuddyNodes nodes;
};

/// In 16 bytes before the block, which keep the alignment that C promises. A request of 2^n bytes takes a block of
/// 2^(n+1).
struct SizeInPreamble : SizeFromCaller {
  static constexpr bool kKnown = true;
  static constexpr std::size_t kPreambleBytes = 16;
  using SizeFromCaller::SizeFromCaller;
  void remember(Position block, unsigned log2);
  unsigned size_log2(Position block);
  std::size_t further_bits() const { return 8 * kPreambleBytes * live; }

  std::size_t live = 0;
};

/// In a hash table by address: open addressing with linear probing, 8 bytes a slot, at most half full. It lies outside
/// of the buffer and grows with the number of live blocks.
struct SizeInHashTable : SizeFromCaller {
  static constexpr bool kKnown = true, kAllocates = true;
  explicit SizeInHashTable(const BuddyNodes& nodes);
  void remember(Position block, unsigned log2);
  unsigned size_log2(Position block);
  std::size_t further_bits() const { return 8 * allocated_bytes(); }
  std::size_t allocated_bytes() const { return slots.size() * sizeof slots[0]; }
  /// While it grows, the old and the new table exist.
  std::size_t most_allocated_bytes() const { return most_slots * sizeof slots[0]; }

 private:
  using Slot = std::uint64_t;  // number of the leaf << kLog2Bits | log2 of the size; 0: free
  static constexpr unsigned kLog2Bits = 6;
  std::size_t home(std::size_t leaf) const;
  void grow();

  std::vector<Slot> slots;
  std::size_t live = 0;
  unsigned shift = 0;  // 64 - log2 of the number of slots
  std::size_t most_slots = 0;
};

/// In an array with 5 bits for each leaf: how many levels the block that begins there is above the leaves. At most 32
/// levels.
struct SizeInLevelArray : SizeFromCaller {
  static constexpr bool kKnown = true;
  static constexpr unsigned kBits = 5;
  static constexpr unsigned kMostLevels = 1 << kBits;
  static std::size_t table_bits(const BuddyLayout& layout) { return kBits << (layout.levels - 1); }
  using SizeFromCaller::SizeFromCaller;
  void bind(std::byte* table) { bytes = table; }
  void remember(Position block, unsigned log2);
  unsigned size_log2(Position block) const;

  std::byte* bytes = nullptr;
};

/// A bit per inner block: it is split. The walk from the leaf up ends below the first block that is: O(levels).
struct SizeFromSplitBits : SizeFromCaller {
  static constexpr bool kKnown = true;
  static std::size_t table_bits(const BuddyLayout& layout) { return std::size_t{1} << (layout.levels - 1); }
  using SizeFromCaller::SizeFromCaller;
  void bind(std::byte* table) { is_split.bind(table); }
  void split(BuddyNodes::Node node) { is_split.set(node); }
  void merged(BuddyNodes::Node node) { is_split.clear(node); }
  unsigned size_log2(Position block) const;

  BitTable is_split;
};

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
template <typename Merge, typename Size>
class BuddyRung {
 public:
  using Position = BuddyLayout::Position;

  static constexpr bool kFreesByPointer = Size::kKnown;
  static constexpr bool kAllocates = Size::kAllocates;
  static constexpr std::size_t kPreambleBytes = Size::kPreambleBytes;

  /// As Buddy::plan; also refuses more levels than the rung can tell apart.
  static PlannedBuddy plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes);

  /// A layout of plan(), or the same with more reserved leaves.
  explicit BuddyRung(const BuddyLayout& layout);
  BuddyRung(const BuddyRung&) = delete;
  BuddyRung& operator=(const BuddyRung&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr if none is free. The contents are indeterminate.
  void* allocate(std::size_t bytes);
  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block) requires Size::kKnown;
  /// The same where the caller knows the requested size.
  void free(void* block, std::size_t bytes) requires(!Size::kKnown);

  const BuddyLayout& layout() const { return layout_; }
  /// The size of the block that a request of `bytes` takes, with its preamble.
  std::size_t block_bytes(std::size_t bytes) const { return layout_.block_bytes(bytes + Size::kPreambleBytes); }
  /// The alignment of the memory that is returned.
  std::size_t alignment(std::size_t bytes) const;
  std::size_t largest_request() const;
  /// How many requests of `bytes` it serves when empty.
  std::size_t capacity(std::size_t bytes) const;

  /// Bookkeeping now, without the links of free blocks: what tells that a buddy is free, and what tells a size.
  std::size_t merge_bits() const { return Merge::table_bits(layout_); }
  std::size_t size_bits() const { return Size::table_bits(layout_) + size_.further_bits(); }
  /// Bytes that it allocated, now and at most so far. Part of size_bits().
  std::size_t allocated_bytes() const {
    if constexpr (Size::kAllocates) return size_.allocated_bytes();
    return 0;
  }
  std::size_t most_allocated_bytes() const {
    if constexpr (Size::kAllocates) return size_.most_allocated_bytes();
    return 0;
  }

  /// The largest free block; 0 if none.
  std::size_t largest_free() const;
  /// Calls visit(address, bytes) for every free block, small ones first.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (unsigned log2 = 0; log2 < kBuddyLists; ++log2)
      for (const Link* at = lists_.head(log2)->next; at != lists_.head(log2); at = at->next)
        visit(static_cast<const void*>(at), std::size_t{1} << log2);
  }

 private:
  using Node = BuddyNodes::Node;
  using Link = BuddyStoreInside::Link;

  static std::size_t table_bytes(std::size_t bits) { return (bits + 7) / 8; }
  static std::size_t tables_bytes(const BuddyLayout& layout) {
    return table_bytes(Size::table_bits(layout)) + table_bytes(Merge::table_bits(layout));
  }
  unsigned log2_of_block(std::size_t bytes) const;
  bool empty(unsigned log2) const { return lists_.head(log2)->next == lists_.head(log2); }
  bool buddy_is_free(Node node, unsigned log2) const;
  void push(Node node, unsigned log2);
  void unlink(Link* block, Node node);
  void release(Position block, unsigned log2);

  BuddyLayout layout_;
  BuddyNodes nodes_;
  Merge merge_;
  Size size_;
  BuddyStoreInside lists_;
};

using BuddyListWalk = BuddyRung<SearchedLists, SizeFromCaller>;
using BuddyFreeBit = BuddyRung<FreeBits, SizeFromCaller>;
using BuddyXor = BuddyRung<XorBits, SizeFromCaller>;
using BuddyPreamble = BuddyRung<XorBits, SizeInPreamble>;
using BuddyHash = BuddyRung<XorBits, SizeInHashTable>;
using BuddyLevelArray = BuddyRung<XorBits, SizeInLevelArray>;
using BuddySplit = BuddyRung<XorBits, SizeFromSplitBits>;

extern template class BuddyRung<SearchedLists, SizeFromCaller>;
extern template class BuddyRung<FreeBits, SizeFromCaller>;
extern template class BuddyRung<XorBits, SizeFromCaller>;
extern template class BuddyRung<XorBits, SizeInPreamble>;
extern template class BuddyRung<XorBits, SizeInHashTable>;
extern template class BuddyRung<XorBits, SizeInLevelArray>;
extern template class BuddyRung<XorBits, SizeFromSplitBits>;

}  // namespace lab::designs
