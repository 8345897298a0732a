/// The buddy allocator of the Stingray engine, in the final form of "Allocation Adventures 3: The Buddy Allocator"
/// (Stingray blog, 4 August 2015).
///
/// A buffer is a binary tree of blocks: level 0 is the whole tree, each split makes two buddies of half the size, the
/// last level holds the leaves. A request gets a block of the next power of two (at least a leaf). A freed block merges
/// with its buddy if that is free, and the merged block with its buddy in turn.
///
/// - Free blocks of a level form a doubly linked list whose links lie in the free blocks themselves.
/// - Each inner block has two bits: "split", and "exactly one of the two halves is free" (the XOR bit of the pair). Two
///   bits per inner block are one bit per block: 2^levels bits, in the first leaves of the buffer. A block that is
///   being freed is known to be in use, so the XOR bit shows whether its buddy is free.
/// - A buffer need not be a power of two: the tree is rounded up and its missing head counts as in use, so the usable
///   memory coincides with the buffer. Nothing outside the buffer is ever read or written.
/// - free(block) finds the level by walking the split bits up from the leaf; free(block, bytes) knows it.
///
/// Additions to the article: a mask of the levels that have a free block makes the search a bit scan; the two bits of
/// an inner block are adjacent, so that a split, a merge or a step of the walk touches one word.
///
/// Cost: allocate O(1) plus one step per split; free(block, bytes) O(1) plus one step per merge; free(block) one more
/// step per level below the block's; at most `levels` of each. Metadata: 2^levels / 8 bytes, which is 1 / (4 *
/// leaf_bytes) of the tree (the article's 1 / (8 * leaf_bytes) counts the leaves twice).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/base/error.h"

namespace lab::designs {

/// The layout of a buddy allocator in a buffer. Arithmetic only: it touches no memory.
struct BuddyLayout {
  static constexpr std::size_t kMinLeafBytes = 16;  ///< two links
  static constexpr unsigned kMaxTreeLog2 = 47;      ///< all of a process's addresses on x86-64

  /// Leaves are aligned to their own size; the rest at either end of the buffer is not used. An error if leaf_bytes is
  /// not a power of two or is below kMinLeafBytes, or if the buffer holds fewer than two leaves (one is for the
  /// metadata).
  static Expected<BuddyLayout> plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes);

  std::byte* begin = nullptr;  ///< first leaf: the metadata
  std::size_t leaves = 0;      ///< in the buffer, including those of the metadata
  std::size_t leaf_bytes = 0;
  unsigned levels = 0;  ///< the tree has 2^(levels - 1) leaves, rounded up from `leaves`

  std::byte* end() const { return begin + leaves * leaf_bytes; }
  std::size_t tree_bytes() const { return leaf_bytes << (levels - 1); }
  /// Size of the tree's head that lies before the buffer.
  std::size_t missing_bytes() const { return tree_bytes() - leaves * leaf_bytes; }
  /// One bit per block of the tree, rounded up to a byte.
  std::size_t metadata_bytes() const { return ((std::size_t{1} << levels) + 7) / 8; }
  std::size_t metadata_leaves() const { return (metadata_bytes() + leaf_bytes - 1) / leaf_bytes; }
  /// Memory for blocks. The empty allocator serves exactly usable_bytes() / b requests of block size b.
  std::size_t usable_bytes() const { return (leaves - metadata_leaves()) * leaf_bytes; }
  /// The largest request that the allocator can serve: the largest power of two that is at most usable_bytes(). For a
  /// buffer of 2^k bytes it is 2^(k-1), because the other half contains the metadata.
  std::size_t largest_request() const { return std::bit_floor(usable_bytes()); }
  /// The alignment of a block of b bytes: min(b, alignment of the buffer's end), at least leaf_bytes.
  std::size_t alignment(std::size_t bytes) const;
  /// The size of the block for a request of 0 to largest_request() bytes. The caller may use all of it.
  std::size_t block_bytes(std::size_t bytes) const;
};

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
class Buddy {
 public:
  explicit Buddy(const BuddyLayout& layout);
  Buddy(const Buddy&) = delete;
  Buddy& operator=(const Buddy&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr if none is free. The contents are indeterminate.
  void* allocate(std::size_t bytes);

  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined (checked_buddy.h detects it).
  void free(void* block);
  /// The same without the walk. `bytes` is the requested size, or any other with the same block_bytes().
  void free(void* block, std::size_t bytes);

  /// Frees everything: the state is that after construction.
  void reset();

  const BuddyLayout& layout() const { return layout_; }

  /// The largest request that would succeed now; 0 if none.
  std::size_t largest_free() const { return std::bit_floor(nonempty_); }

  /// Calls visit(block, bytes) for every free block, small ones first.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (unsigned log2 = 0; log2 < lists_.size(); ++log2)
      for (const Link* at = lists_[log2].next; at != &lists_[log2]; at = at->next) visit(at, std::size_t{1} << log2);
  }

  /// Two bits per inner block at bit 2 * index: first "exactly one half is free", then "split". The root has index 1;
  /// the halves of i are 2 i and 2 i + 1.
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

  // The block of node n with 2^s bytes begins at origin_ + n * 2^s, at any level. origin_ is tree_bytes() before the
  // tree, outside of the buffer, so it is a number and not a pointer.
  std::uintptr_t origin_ = 0;
  Word* words_ = nullptr;
  std::uint64_t nonempty_ = 0;  // bit s: a block of 2^s bytes is free
  std::size_t limit_ = 0;
  unsigned leaf_log2_ = 0;
  // Circular lists by log2 of the block size, each with its head as sentinel, so that linking needs no branch.
  std::array<Link, BuddyLayout::kMaxTreeLog2> lists_;
  BuddyLayout layout_;
};

}  // namespace lab::designs
