/// The buddy allocator of the Stingray engine, in the final form of "Allocation Adventures 3: The Buddy Allocator"
/// (Stingray blog, 4 August 2015), over positions: addresses of memory (addresses/buddy.h) or offsets
/// (offsets/buddy.h).
///
/// A range is a binary tree of blocks: level 0 is the whole tree, each split makes two buddies of half the size, the
/// last level holds the leaves. A request gets a block of the next power of two (at least a leaf). A freed block merges
/// with its buddy if that is free, and the merged block with its buddy in turn.
///
/// - Free blocks of a level form a doubly linked list. Where its links lie is the Store's choice: in the free blocks
///   themselves, or beside the range.
/// - Each inner block has two bits: "split", and "exactly one of the two halves is free" (the XOR bit of the pair). Two
///   bits per inner block are one bit per block: 2^levels bits. A block that is being freed is known to be in use, so
///   the XOR bit shows whether its buddy is free.
/// - A range need not be a power of two: the tree is rounded up and its missing head counts as in use, so the usable
///   range coincides with the one that is given. Nothing outside of it is ever read or written.
/// - free(block) finds the level by walking the split bits; free(block, bytes) knows it.
///
/// Additions to the article: a mask of the levels that have a free block makes the search a bit scan; the two bits of
/// an inner block are adjacent, so that a split, a merge or a step of the walk touches one word; a block begins at a
/// multiple of its size, so the walk begins, after a look at the leaf, at the largest that its address allows and goes
/// down, where the article's goes up from the leaf: half of all blocks of a size are found at once.
///
/// Cost: allocate O(1) plus one step per split; free(block, bytes) O(1) plus one step per merge; free(block) one more
/// step per level from the largest block that could begin there down to the block's; at most `levels` of each.
/// Metadata: 2^levels / 8 bytes, which is 1 / (4 * leaf_bytes) of the tree (the article's 1 / (8 * leaf_bytes) counts
/// the leaves twice), and the links.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "variants/designs/offsets/buddy_layout.h"

namespace lab::designs {

/// Levels that may have free blocks: by log2 of their size, up to the whole tree.
inline constexpr unsigned kBuddyLists = BuddyLayout::kMaxTreeLog2 + 1;

/// Where a tree keeps its bits and its lists. A handle names a link: that of a free block, or a list's head.
template <typename S>
concept BuddyStore = requires(S& store, const S& kept, const BuddyLayout& layout, typename S::Handle handle,
                              BuddyLayout::Position block, unsigned log2) {
  S(layout);
  { S::kNone } -> std::convertible_to<BuddyLayout::Position>;        // a position at which no block begins
  { store.clear(layout) } -> std::same_as<std::uint64_t*>;           // the bits, all of them zero
  { kept.head(log2) } -> std::same_as<typename S::Handle>;           // of the list of blocks of 2^log2 bytes
  { store.create(block) } -> std::same_as<typename S::Handle>;       // a new link for a block that becomes free
  { kept.find(block) } -> std::same_as<typename S::Handle>;          // the link of a free block
  { kept.position(handle) } -> std::same_as<BuddyLayout::Position>;  // of the block with this link
  {store.link(handle).next = handle};
  {store.link(handle).previous = handle};
};

/// A store that is told of each split and merge, with the block that is split or that is made. Another store costs
/// nothing: no code asks it.
template <typename S>
concept ObservesBuddy = requires(S& store, BuddyLayout::Position block, std::size_t bytes) {
  store.on_split(block, bytes);
  store.on_merge(block, bytes);
};

/// Not thread-safe. Its functions are compiled where the header of a store says so, not where they are called.
template <BuddyStore Store>
class BuddyTree {
 public:
  using Position = BuddyLayout::Position;
  static constexpr Position kNone = Store::kNone;

  explicit BuddyTree(const BuddyLayout& layout);
  BuddyTree(const BuddyTree&) = delete;
  BuddyTree& operator=(const BuddyTree&) = delete;

  /// The position of a block of at least `bytes` (0 counts as 1), or kNone if none is free.
  Position allocate(std::size_t bytes);

  /// Frees a block of allocate(); ignores kNone. Freeing anything else is undefined.
  void free(Position block);
  /// The same without the walk. `bytes` is the requested size, or any other with the same block_bytes().
  void free(Position block, std::size_t bytes);

  /// Frees everything: the state is that after construction.
  void reset();

  /// A block by its position and log2 of its size.
  struct Block {
    Position begin;
    unsigned log2;
  };
  /// The block in use that contains `position`, found by a walk up from its leaf.
  Block find_used(Position position) const;

  const BuddyLayout& layout() const { return layout_; }

  const Store& store() const { return store_; }

  /// The largest request that would succeed now; 0 if none.
  std::size_t largest_free() const { return std::bit_floor(nonempty_); }

  /// Calls visit(position, bytes) for every free block, small ones first.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (unsigned log2 = 0; log2 < kBuddyLists; ++log2)
      for (Handle at = store_.link(store_.head(log2)).next; at != store_.head(log2); at = store_.link(at).next)
        visit(store_.position(at), std::size_t{1} << log2);
  }

  /// Two bits per inner block at bit 2 * index: first "exactly one half is free", then "split". The root has index 1;
  /// the halves of i are 2 i and 2 i + 1.
  std::span<const std::byte> metadata() const {
    return std::as_bytes(std::span(words_, words())).first(layout_.metadata_bytes());
  }

 private:
  using Handle = typename Store::Handle;
  using Node = std::size_t;  // index of a block in the tree, the root's is 1
  using Word = std::uint64_t;

  static constexpr Word kOneHalfFree = 1;
  static constexpr unsigned kSplitBit = 1;
  static constexpr Word kSplit = Word{1} << kSplitBit;
  static constexpr unsigned kNodesPerWord = 32;
  static unsigned shift(Node node) { return 2 * static_cast<unsigned>(node % kNodesPerWord); }

  std::size_t words() const { return (layout_.metadata_bytes() + sizeof(Word) - 1) / sizeof(Word); }
  unsigned log2_of_block(std::size_t bytes) const;
  Node node_at(Position block, unsigned log2) const { return (block - origin_) >> log2; }
  Position position_of(Node node, unsigned log2) const { return origin_ + (node << log2); }
  Word& word(Node node) { return words_[node / kNodesPerWord]; }
  bool is_split(Node node) const { return (words_[node / kNodesPerWord] >> (shift(node) + kSplitBit)) & 1; }
  void mark_split(Node first, Node last);
  void push(Position block, unsigned log2);
  void unlink(Handle block, unsigned log2);
  void release(Node node, unsigned log2);

  // The block of node n with 2^s bytes begins at origin_ + n * 2^s, at any level. origin_ is tree_bytes() before the
  // tree, so it is no position of the range; over offsets it is below zero, and the sum wraps around.
  Position origin_ = 0;
  Word* words_ = nullptr;
  std::uint64_t nonempty_ = 0;  // bit s: a block of 2^s bytes is free
  std::size_t limit_ = 0;
  unsigned leaf_log2_ = 0;
  // Circular lists by log2 of the block size, each with its head as sentinel, so that linking needs no branch.
  Store store_;
  BuddyLayout layout_;
};

template <BuddyStore Store>
BuddyTree<Store>::BuddyTree(const BuddyLayout& layout) : store_(layout), layout_(layout) {
  leaf_log2_ = static_cast<unsigned>(std::countr_zero(layout.leaf_bytes));
  origin_ = layout.end() - 2 * layout.tree_bytes();
  limit_ = layout.largest_request();
  reset();
}

template <BuddyStore Store>
void BuddyTree<Store>::reset() {
  words_ = store_.clear(layout_);
  nonempty_ = 0;
  for (unsigned log2 = 0; log2 < kBuddyLists; ++log2) {
    const Handle head = store_.head(log2);
    store_.link(head) = {head, head};
  }
  // The root has a parent too, node 0, whose other half is in use for ever. So no walk and no merge passes the root.
  word(0) |= kSplit;

  const Position first_free = layout_.begin + layout_.reserved_leaves * layout_.leaf_bytes;
  if (first_free == layout_.end() - layout_.tree_bytes()) {  // nothing is missing, nothing is reserved
    word(0) |= kOneHalfFree;
    push(first_free, leaf_log2_ + layout_.levels - 1);
    return;
  }
  // Everything up to the last reserved leaf is in use. Left of the path from that leaf to the root, all blocks are
  // split down to the leaves. Right of it everything is free: one block for each left child on the path.
  unsigned log2 = leaf_log2_;
  for (Node node = node_at(first_free, leaf_log2_) - 1; node > 1; node /= 2, ++log2) {
    const Node parent = node / 2;
    mark_split(std::bit_floor(parent), parent);
    if (node % 2 == 0) {
      word(parent) |= kOneHalfFree << shift(parent);
      push(position_of(node + 1, log2), log2);
    }
  }
}

template <BuddyStore Store>
void BuddyTree<Store>::mark_split(Node first, Node last) {
  constexpr Word kAllSplit = 0xaaaa'aaaa'aaaa'aaaau;
  for (Node node = first; node <= last;) {
    if (node % kNodesPerWord == 0 && last - node >= kNodesPerWord - 1) {
      word(node) = kAllSplit;
      node += kNodesPerWord;
    } else {
      word(node) |= kSplit << shift(node);
      ++node;
    }
  }
}

template <BuddyStore Store>
unsigned BuddyTree<Store>::log2_of_block(std::size_t bytes) const {
  const std::size_t last_byte = bytes - (bytes != 0);
  return static_cast<unsigned>(std::bit_width(last_byte | (layout_.leaf_bytes - 1)));
}

template <BuddyStore Store>
void BuddyTree<Store>::push(Position block, unsigned log2) {
  const Handle head = store_.head(log2);
  const Handle created = store_.create(block);
  store_.link(created) = {store_.link(head).next, head};
  store_.link(store_.link(head).next).previous = created;
  store_.link(head).next = created;
  nonempty_ |= std::uint64_t{1} << log2;
}

template <BuddyStore Store>
void BuddyTree<Store>::unlink(Handle block, unsigned log2) {
  const Handle next = store_.link(block).next;
  const Handle previous = store_.link(block).previous;
  store_.link(previous).next = next;
  store_.link(next).previous = previous;
  // Only the last block of a list has the head on both sides. This is a branch, not arithmetic: the links may miss
  // every cache, and with branch prediction the next search need not wait for them.
  if (next == previous) [[unlikely]]
    nonempty_ &= ~(std::uint64_t{1} << log2);
}

template <BuddyStore Store>
auto BuddyTree<Store>::allocate(std::size_t bytes) -> Position {
  if (bytes > limit_) return kNone;
  const unsigned wanted = log2_of_block(bytes);
  const std::uint64_t fitting = nonempty_ >> wanted;
  if (fitting == 0) return kNone;
  unsigned log2 = wanted + static_cast<unsigned>(std::countr_zero(fitting));
  const Handle found = store_.link(store_.head(log2)).next;
  unlink(found, log2);
  const Position block = store_.position(found);
  Node node = node_at(block, log2);
  word(node / 2) ^= kOneHalfFree << shift(node / 2);
  while (log2 > wanted) {
    if constexpr (ObservesBuddy<Store>) store_.on_split(position_of(node, log2), std::size_t{1} << log2);
    word(node) |= (kSplit | kOneHalfFree) << shift(node);
    node *= 2;
    --log2;
    push(position_of(node + 1, log2), log2);
  }
  return block;
}

template <BuddyStore Store>
auto BuddyTree<Store>::find_used(Position position) const -> Block {
  unsigned log2 = leaf_log2_;
  Node node = node_at(position, log2);
  for (; !is_split(node / 2); node /= 2) ++log2;
  return {position_of(node, log2), log2};
}

template <BuddyStore Store>
void BuddyTree<Store>::free(Position block) {
  if (block == kNone) return;
  assert(find_used(block).begin == block);
  // Programs have many small blocks, to which the walk down would be long.
  const Node leaf = node_at(block, leaf_log2_);
  if (is_split(leaf / 2)) return release(leaf, leaf_log2_);
  const auto above = static_cast<unsigned>(std::countr_zero(leaf));
  Node node = leaf >> above;
  unsigned log2 = leaf_log2_ + above;
  for (; is_split(node); node *= 2) --log2;
  release(node, log2);
}

template <BuddyStore Store>
void BuddyTree<Store>::free(Position block, std::size_t bytes) {
  if (block == kNone) return;
  const unsigned log2 = log2_of_block(bytes);
  const Node node = node_at(block, log2);
  assert(position_of(node, log2) == block && is_split(node / 2));
  release(node, log2);
}

template <BuddyStore Store>
void BuddyTree<Store>::release(Node node, unsigned log2) {
  // The block was in use, so if exactly one half is free, it is the buddy.
  while ((word(node / 2) >> shift(node / 2)) & kOneHalfFree) {
    word(node / 2) &= ~((kSplit | kOneHalfFree) << shift(node / 2));
    unlink(store_.find(position_of(node ^ 1, log2)), log2);
    node /= 2;
    ++log2;
    if constexpr (ObservesBuddy<Store>) store_.on_merge(position_of(node, log2), std::size_t{1} << log2);
  }
  word(node / 2) |= kOneHalfFree << shift(node / 2);
  push(position_of(node, log2), log2);
}

}  // namespace lab::designs
