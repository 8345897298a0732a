/// A buddy allocator that gives the unused tail of a block back: a request of 5 leaves takes a block of 4 and one of 1.
///
/// Idea: as in a buddy allocator, free memory is a set of the largest aligned blocks, and a block of n leaves begins at
/// a multiple of n rounded up to a power of two. But it takes only n leaves, and what follows it stays free. So a
/// request needs no whole free block, only the free leaves at the begin of one: the prefix of an aligned place. A free
/// block of 2^k leaves that is a left half has a prefix that goes on into its buddy. Free blocks are listed by the
/// length of their prefix, and a request takes one of the smallest class that holds it.
/// Two rules keep places free for large requests. Tails come first: free memory behind a block that reaches past the
/// middle of its place, where no request of that block's class fits anyway. And a request takes the last aligned place
/// in a prefix, so that what is left still begins where the prefix began.
/// Cost: allocate and free: a bit scan and up to one step for each bit of n and each merge, and the bits of n leaves
/// are set, 64 a step. A request above 64 leaves may also search the free blocks of its own class, which are few. Two
/// bits a leaf (free; end of a block), so free(block) counts the leaves, 64 a step. Links lie in the free blocks.
/// Source: the tail is mentioned wherever buddies are; the prefixes and their listing are our own.
/// Weakness: a request begins at its rounded size. Sizes that are uniform from 1 to 2^k therefore need 5/4 of their sum
/// (see variants/allocator/README.md), however the tails are used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/size_classes.h"

namespace lab::designs {

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
class TrimmedBuddy {
 public:
  using Leaf = std::uint32_t;
  static constexpr std::size_t kMinLeafBytes = 16;
  static constexpr Leaf kMostLeaves = Leaf{1} << 30;

  /// The bookkeeping lies at the end of the buffer.
  static constexpr std::size_t metadata_bytes(std::size_t leaves) { return (leaves + 63) / 64 * sizeof(Bits); }
  /// The most leaves of a buffer of `bytes`, without those of the bookkeeping; at most kMostLeaves.
  static Leaf leaves_within(std::size_t bytes, std::size_t leaf_bytes);

  /// `buffer` is aligned to leaf_bytes, a power of two of at least kMinLeafBytes, and holds at least one leaf.
  TrimmedBuddy(void* buffer, std::size_t bytes, std::size_t leaf_bytes);
  TrimmedBuddy(const TrimmedBuddy&) = delete;
  TrimmedBuddy& operator=(const TrimmedBuddy&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr if no aligned place has so much free memory.
  void* allocate(std::size_t bytes);
  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block);
  /// The same without counting. `bytes` is the requested size.
  void free(void* block, std::size_t bytes);
  /// Frees everything: the state is that after construction.
  void reset();

  std::size_t leaf_bytes() const { return std::size_t{1} << leaf_log2_; }
  Leaf leaves() const { return leaves_; }
  /// Size of the block for a request. The caller may use all of it.
  std::size_t block_bytes(std::size_t bytes) const { return std::size_t{leaves_of(bytes)} << leaf_log2_; }
  /// Of a block of `bytes`: that of its rounded size, or of the buffer's begin if that is less.
  std::size_t alignment(std::size_t bytes) const;
  std::size_t largest_request() const { return std::size_t{leaves_} << leaf_log2_; }
  /// The number of requests of `bytes` that the empty allocator serves.
  std::size_t capacity(std::size_t bytes) const;
  /// The largest request that would succeed now; 0 if none.
  std::size_t largest_free() const;

  /// Calls visit(block, bytes) for every free block, by address.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (Leaf at = 0; at < leaves_;) {
      const Leaf leaves = is_free(at) ? block_of(at) : 1;
      if (is_free(at))
        visit(static_cast<void*>(begin_ + (std::size_t{at} << leaf_log2_)), std::size_t{leaves} << leaf_log2_);
      at += leaves;
    }
  }

 private:
  /// Of 64 leaves.
  struct Bits {
    std::uint64_t free, ends;  // bit i: leaf i is free; leaf i is the last one of a block
  };
  /// At the begin of a free block.
  struct Node {
    Leaf next, previous;  // in the list of the class of `prefix`
    Leaf prefix;          // free leaves from here on, within the aligned place that the block begins
    Leaf is_tail;         // of a place whose first block reaches past its middle: 0 or 1
  };
  static constexpr Leaf kNone = ~Leaf{0};

  Node& node(Leaf leaf) const { return *reinterpret_cast<Node*>(begin_ + (std::size_t{leaf} << leaf_log2_)); }
  Leaf leaf_at(const void* block) const {
    return static_cast<Leaf>(static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin_) >> leaf_log2_);
  }
  Leaf leaves_of(std::size_t bytes) const { return static_cast<Leaf>((bytes - (bytes != 0)) >> leaf_log2_) + 1; }
  bool is_free(Leaf leaf) const { return leaf < leaves_ && ((bits_[leaf / 64].free >> (leaf % 64)) & 1) != 0; }
  /// Leaves of the free block that begins here.
  Leaf block_of(Leaf leaf) const;
  bool is_block(Leaf leaf, Leaf leaves) const;
  void mark(Leaf first, Leaf leaves, bool free);
  bool is_tail(Leaf leaf) const;
  void link(Leaf leaf, Leaf prefix, Leaf is_tail);
  void unlink(Leaf leaf);
  void insert(Leaf leaf, Leaf leaves);
  void insert_all(Leaf first, Leaf end);
  void refresh_before(Leaf leaf);
  Leaf find(Leaf leaves) const;
  void release(Leaf first, Leaf leaves);

  std::byte* begin_;
  Bits* bits_;
  Leaf leaves_;
  unsigned leaf_log2_;
  // Lists by Node::is_tail and the class of the prefix.
  std::array<ClassMask, 2> nonempty_;
  std::array<std::array<Leaf, SizeClasses::kCount>, 2> heads_;
};

}  // namespace lab::designs
