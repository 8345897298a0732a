/// The used parts and free spaces of a range of offsets, as nodes in an array, for allocators that split and merge them
/// (best_fit.h, first_fit.h, tlsf.h, float_bins.h).
///
/// Every part and every space is a node of 32 bytes that knows the nodes before and behind it. So cutting a part out of
/// a space and merging a freed part with the spaces around it are O(1), and two free spaces never touch. How spaces are
/// found is decided by their lists (SpaceLists), which are told of each change.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "variants/designs/offsets/range_allocator.h"

namespace lab::designs {

class RangeNodes;

/// The lists of all free spaces. They change `links` of free spaces, and nothing else of a node.
template <typename L>
concept SpaceLists = requires(L& lists, RangeNodes& nodes, std::uint32_t space, std::uint64_t bytes) {
  lists.add(nodes, space);            // a new space
  lists.remove(nodes, space);         // a space that is about to be used or merged into another one
  lists.resize(nodes, space, bytes);  // the space gets another size, which resize() stores in `state`
};

/// Not thread-safe.
class RangeNodes {
 public:
  using Index = std::uint32_t;
  /// The node before the first and behind the last one of the range. It is no part of it and never free, so merging
  /// needs no other limit.
  static constexpr Index kEnds = 0;
  static constexpr std::uint64_t kMostBytes = ~std::uint64_t{0} >> 1;

  struct Links {
    Index next, previous;
  };
  struct Node {
    std::uint64_t offset = 0;
    std::uint64_t state = 0;  // the bytes, and kUsed
    union {
      std::uint64_t requested = 0;  // of a used part; kWaits and a number, of one that waits
      Links links;                  // of a free space: its list's
    };
    Index before = kEnds, behind = kEnds;

    bool is_free() const { return state < kUsed; }
    /// A part that was freed and is not merged.
    bool waits() const { return !is_free() && requested >= kWaits; }
    std::uint64_t bytes() const { return state & ~kUsed; }
    std::uint64_t end() const { return offset + bytes(); }
  };
  static_assert(sizeof(Node) == 32);

  /// Over 0 to `capacity` (at most kMostBytes), without a node: start() adds the first space. `block_bytes` is a power
  /// of two. If `capacity` is no multiple of it, the last block is shorter.
  RangeNodes(std::uint64_t capacity, std::uint64_t block_bytes) : capacity_(capacity), block_mask_(block_bytes - 1) {
    assert(std::has_single_bit(block_bytes) && capacity <= kMostBytes);
    nodes_.resize(1);
    nodes_[kEnds].state = kUsed;
  }

  template <SpaceLists Lists>
  void start(Lists& lists) {
    if (capacity_ == 0) return;
    const Index all = insert_behind(kEnds);
    nodes_[all].offset = 0;
    nodes_[all].state = capacity_;
    lists.add(*this, all);
  }

  /// The distance from where a space begins to the next multiple of `alignment`.
  std::uint64_t gap(Index space, std::uint64_t alignment) const { return -nodes_[space].offset & (alignment - 1); }

  /// Makes a part of `bytes` (at least 1), rounded up to whole blocks or to the space's end, `gap` behind the begin of
  /// a free space that holds both. The gap stays a free space, and so does the rest. The result lies where the part
  /// begins.
  template <SpaceLists Lists>
  Suballocation take(Index space, std::uint64_t gap, std::uint64_t bytes, std::uint64_t requested, Lists& lists);

  /// Frees a part, and merges it: into the space that results.
  template <SpaceLists Lists>
  Index free(Suballocation taken, Lists& lists);

  /// Frees a part, which becomes a space of its own, whatever is beside it (unmerged_fit.h).
  template <SpaceLists Lists>
  void free_apart(Suballocation taken, Lists& lists);

  /// Frees a part that does not merge: it waits for reuse(). `number` is for whoever keeps it.
  void keep(Index part, std::uint32_t number);
  std::uint32_t kept_with(Index part) const { return static_cast<std::uint32_t>(nodes_[part].requested); }
  void set_kept_with(Index part, std::uint32_t number) { nodes_[part].requested = kWaits | number; }
  /// Makes a part that waits a used one.
  Suballocation reuse(Index part, std::uint64_t requested);
  /// Of a used part.
  void set_requested(Index part, std::uint64_t requested) {
    requested_bytes_ += requested - std::exchange(nodes_[part].requested, requested);
  }

  Node& operator[](Index index) { return nodes_[index]; }
  const Node& operator[](Index index) const { return nodes_[index]; }

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t block_bytes() const { return block_mask_ + 1; }
  std::size_t used_count() const { return used_count_; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t requested_bytes() const { return requested_bytes_; }
  /// Of the nodes, without this object.
  std::size_t heap_bytes() const { return nodes_.capacity() * sizeof(Node); }

  OffsetRange range_of(Index index) const {
    const Node& node = nodes_[index];
    const bool used = !node.is_free() && !node.waits();
    return {node.offset, node.bytes(), used ? node.requested : 0, used};
  }
  Index first() const { return nodes_[kEnds].behind; }
  Index last() const { return nodes_[kEnds].before; }

  /// As RangeAllocator says.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (Index at = first(); at != kEnds; at = nodes_[at].behind) visit(range_of(at));
  }

 private:
  static constexpr std::uint64_t kUsed = kMostBytes + 1;
  static constexpr std::uint64_t kWaits = kUsed;  // no request is so large

  void join(Index before, Index behind) {
    nodes_[before].behind = behind;
    nodes_[behind].before = before;
  }
  Index insert_behind(Index before) {
    if (unused_ == kEnds) [[unlikely]]
      grow();
    const Index made = unused_;
    unused_ = nodes_[made].links.next;
    join(made, nodes_[before].behind);
    join(before, made);
    return made;
  }
  void discard(Index index) {
    nodes_[index].state = 0;
    nodes_[index].links.next = unused_;
    unused_ = index;
  }

  /// Adds a node to the unused ones. Not inline, so that insert_behind() is small.
  void grow();

  std::vector<Node> nodes_;
  Index unused_ = kEnds;  // a list of nodes by `links.next`
  std::uint64_t capacity_, block_mask_;
  std::size_t used_count_ = 0;
  std::uint64_t used_bytes_ = 0, requested_bytes_ = 0;
};

/// What a RangeAllocator over nodes can say without its lists.
class RangeOfNodes {
 public:
  std::uint64_t capacity() const { return nodes_.capacity(); }
  std::size_t used_count() const { return nodes_.used_count(); }
  std::uint64_t used_bytes() const { return nodes_.used_bytes(); }
  std::uint64_t requested_bytes() const { return nodes_.requested_bytes(); }
  template <typename Visit>
  void for_each(Visit visit) const {
    nodes_.for_each(visit);
  }

 protected:
  RangeOfNodes(std::uint64_t capacity, std::uint64_t block_bytes) : nodes_(capacity, block_bytes) {}

  RangeNodes nodes_;
};

inline void RangeNodes::keep(Index part, std::uint32_t number) {
  Node& node = nodes_[part];
  assert(part != kEnds && part < nodes_.size() && !node.is_free() && !node.waits());
  --used_count_;
  used_bytes_ -= node.bytes();
  requested_bytes_ -= node.requested;
  node.requested = kWaits | number;
}

inline Suballocation RangeNodes::reuse(Index part, std::uint64_t requested) {
  Node& node = nodes_[part];
  assert(node.waits());
  ++used_count_;
  used_bytes_ += node.bytes();
  requested_bytes_ += requested;
  node.requested = requested;
  return {node.offset, part};
}

template <SpaceLists Lists>
Suballocation RangeNodes::take(Index space, std::uint64_t gap, std::uint64_t bytes, std::uint64_t requested,
                               Lists& lists) {
  const std::uint64_t begin = nodes_[space].offset + gap, room = nodes_[space].state - gap;
  const std::uint64_t taken = std::min((bytes + block_mask_) & ~block_mask_, room);
  const auto use = [&](Index part) {
    nodes_[part].offset = begin;
    nodes_[part].state = taken | kUsed;
    nodes_[part].requested = requested;
    return part;
  };
  Index part;
  if (gap != 0) [[unlikely]] {
    part = use(insert_behind(space));
    lists.resize(*this, space, gap);
    if (taken < room) {
      const Index rest = insert_behind(part);
      nodes_[rest].offset = begin + taken;
      nodes_[rest].state = room - taken;
      lists.add(*this, rest);
    }
  } else if (taken < room) {
    // The space keeps its node, and its place in a list if the rest belongs there too.
    part = use(insert_behind(nodes_[space].before));
    nodes_[space].offset = begin + taken;
    lists.resize(*this, space, room - taken);
  } else {
    lists.remove(*this, space);
    part = use(space);
  }
  ++used_count_;
  used_bytes_ += taken;
  requested_bytes_ += requested;
  return {begin, part};
}

template <SpaceLists Lists>
RangeNodes::Index RangeNodes::free(Suballocation taken, Lists& lists) {
  const auto part = static_cast<Index>(taken.token);
  assert(part != kEnds && part < nodes_.size() && !nodes_[part].is_free() && !nodes_[part].waits());
  assert(taken.offset >= nodes_[part].offset && taken.offset < nodes_[part].end());
  const auto [offset, bytes] = std::pair(nodes_[part].offset, nodes_[part].bytes());
  const auto [before, behind] = std::pair(nodes_[part].before, nodes_[part].behind);
  --used_count_;
  used_bytes_ -= bytes;
  requested_bytes_ -= nodes_[part].requested;
  if (nodes_[behind].is_free()) {
    if (nodes_[before].is_free()) {
      const std::uint64_t joined = nodes_[before].state + bytes + nodes_[behind].state;
      lists.remove(*this, behind);
      join(before, nodes_[behind].behind);
      discard(behind);
      lists.resize(*this, before, joined);
      discard(part);
      return before;
    }
    nodes_[behind].offset = offset;
    join(before, behind);
    lists.resize(*this, behind, bytes + nodes_[behind].state);
    discard(part);
    return behind;
  }
  if (nodes_[before].is_free()) {
    join(before, behind);
    lists.resize(*this, before, nodes_[before].state + bytes);
    discard(part);
    return before;
  }
  nodes_[part].state = bytes;
  lists.add(*this, part);
  return part;
}

template <SpaceLists Lists>
void RangeNodes::free_apart(Suballocation taken, Lists& lists) {
  const auto part = static_cast<Index>(taken.token);
  assert(part != kEnds && part < nodes_.size() && !nodes_[part].is_free() && !nodes_[part].waits());
  --used_count_;
  used_bytes_ -= nodes_[part].bytes();
  requested_bytes_ -= nodes_[part].requested;
  nodes_[part].state = nodes_[part].bytes();
  lists.add(*this, part);
}

}  // namespace lab::designs
