/// The buddy allocator of the Stingray engine, as "Allocation Adventures 3: The Buddy Allocator" (Stingray blog,
/// 4 August 2015) ends up with it.
///
/// A buffer is a binary tree of blocks: level 0 is the whole tree, each split makes two buddies half the size, the
/// last level holds the leaves. A request gets a block of the next power of two (a leaf at least); a freed block merges
/// with its buddy, and the merged one with its own, as long as the buddy is free.
///
/// - Free blocks of a level form a doubly linked list whose links lie in the free blocks themselves.
/// - Per inner block, two bits: "split", and "exactly one of my two halves is free" (the XOR bit of the pair). Two bits
///   for every inner block are one bit per block: 2^levels bits, in the first leaves of the buffer, in as many as they
///   need. A block's own half of the XOR bit is known when it is freed, so the bit tells the buddy's.
/// - A buffer need not be a power of two: the tree is rounded up and its missing head counts as used, so that the
///   usable memory coincides with the buffer. Nothing outside the buffer is ever read or written.
/// - free(block) finds the level by walking the split bits up from the leaf; free(block, bytes) knows it.
///
/// Added to the article: a mask of the levels that have a free block, which makes the search for one a bit scan; the
/// two bits of an inner block lie side by side, so that a split, a merge or a step of the walk touches one word.
///
/// Cost: allocate O(1) plus one step a split, free(block, bytes) O(1) plus one step a merge, free(block) one more step
/// for each level below the block's; no more than `levels` of each. Metadata: 2^levels / 8 bytes, which is
/// 1 / (4 * leaf_bytes) of the tree (the article's 1 / (8 * leaf_bytes) counts the leaves twice).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/base/error.h"

namespace lab::designs {

/// What a buddy allocator makes of a buffer; arithmetic only, it touches no memory.
struct BuddyLayout {
  static constexpr std::size_t kMinLeafBytes = 16;  ///< two links
  static constexpr unsigned kMaxTreeLog2 = 47;      ///< all of a process's addresses on x86-64

  /// Leaves are aligned to their own size; what of the buffer is left at either end is not used. An error if leaf_bytes
  /// is no power of two or below kMinLeafBytes, or if the buffer holds fewer than two leaves (one is the metadata's).
  static Expected<BuddyLayout> plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes);

  std::byte* begin = nullptr;  ///< first leaf: the metadata
  std::size_t leaves = 0;      ///< that exist, the metadata's included
  std::size_t leaf_bytes = 0;
  unsigned levels = 0;  ///< the tree has 2^(levels - 1) leaves, rounded up from `leaves`

  std::byte* end() const { return begin + leaves * leaf_bytes; }
  std::size_t tree_bytes() const { return leaf_bytes << (levels - 1); }
  /// Head of the tree that lies before the buffer.
  std::size_t missing_bytes() const { return tree_bytes() - leaves * leaf_bytes; }
  /// One bit per block of the tree, rounded up to a byte.
  std::size_t metadata_bytes() const { return ((std::size_t{1} << levels) + 7) / 8; }
  std::size_t metadata_leaves() const { return (metadata_bytes() + leaf_bytes - 1) / leaf_bytes; }
  /// For blocks. The empty allocator serves exactly usable_bytes() / b requests of one block size b.
  std::size_t usable_bytes() const { return (leaves - metadata_leaves()) * leaf_bytes; }
  /// The largest request that the empty allocator serves, and the largest it ever serves: the largest power of two in
  /// usable_bytes(). Of a buffer of 2^k bytes that is 2^(k-1), because the metadata lives in the other half.
  std::size_t largest_request() const { return std::bit_floor(usable_bytes()); }
  /// Blocks of b bytes are aligned to min(b, alignment of the buffer's end), never to less than leaf_bytes.
  std::size_t alignment(std::size_t bytes) const;
  /// The block that a request of 0 to largest_request() bytes gets: a growing buffer should use all of it.
  std::size_t block_bytes(std::size_t bytes) const;
};

/// One thread at a time. The buffer must outlive the allocator; it is not freed by it.
class Buddy {
 public:
  explicit Buddy(const BuddyLayout& layout);
  Buddy(const Buddy&) = delete;
  Buddy& operator=(const Buddy&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr if none is free. The contents are indeterminate.
  void* allocate(std::size_t bytes);

  /// Gives back a block of allocate(); nullptr is ignored. Freeing anything else is undefined (checked_buddy.h finds
  /// it).
  void free(void* block);
  /// The same without the walk. `bytes` is what was asked for, or anything else with the same block_bytes().
  void free(void* block, std::size_t bytes);

  /// Everything is free again, as after construction.
  void reset();

  const BuddyLayout& layout() const { return layout_; }

  /// The largest request that would be served now; 0 if none.
  std::size_t largest_free() const { return std::bit_floor(nonempty_); }

  /// Calls visit(block, bytes) for every free block, small ones first.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (unsigned log2 = 0; log2 < lists_.size(); ++log2)
      for (const Link* at = lists_[log2].next; at != &lists_[log2]; at = at->next) visit(at, std::size_t{1} << log2);
  }

  /// Two bits per inner block, at 2 * index where the root has index 1 and the halves of i are 2 i and 2 i + 1: first
  /// "exactly one half is free", then "split".
  std::span<const std::byte> metadata() const { return {layout_.begin, layout_.metadata_bytes()}; }

 private:
  struct Link {
    Link* next;
    Link* previous;
  };
  using Node = std::size_t;  // index of a block in the tree, the root's is 1
  using Word = std::uint64_t;

  static constexpr Word kOneHalfFree = 1;
  static constexpr unsigned kSplitBit = 1;
  static constexpr Word kSplit = Word{1} << kSplitBit;
  static constexpr unsigned kNodesPerWord = 32;
  static unsigned shift(Node node) { return 2 * static_cast<unsigned>(node % kNodesPerWord); }

  unsigned log2_of_block(std::size_t bytes) const;
  Node node_at(const void* block, unsigned log2) const;
  Link* block_at(Node node, unsigned log2) const;
  Word& word(Node node) { return words_[node / kNodesPerWord]; }
  bool is_split(Node node) const { return (words_[node / kNodesPerWord] >> (shift(node) + kSplitBit)) & 1; }
  void mark_split(Node first, Node last);
  void push(Link* block, unsigned log2);
  void unlink(Link* block, unsigned log2);
  void release(Node node, unsigned log2);

  // Where the block of node n and of 2^s bytes begins: origin_ + n * 2^s, whatever its level. It is one tree below the
  // tree, so it is a number and no pointer.
  std::uintptr_t origin_ = 0;
  Word* words_ = nullptr;
  std::uint64_t nonempty_ = 0;  // bit s: a block of 2^s bytes is free
  std::size_t limit_ = 0;
  unsigned leaf_log2_ = 0;
  // Circular, by log2 of the block size, each with its head as sentinel: linking and unlinking need no branch.
  std::array<Link, BuddyLayout::kMaxTreeLog2> lists_;
  BuddyLayout layout_;
};

}  // namespace lab::designs
