#include "variants/designs/offsets/best_fit.h"

#include <cassert>
#include <utility>

namespace lab::designs {

static_assert(RangeAllocator<BestFit>);

// Every space but the one at the range's end has whole blocks. So a space that holds the bytes of a request also holds
// its blocks, or it ends with the short last block. The search need not round.
SpacesInOrder::Index SpacesInOrder::find(const RangeNodes& nodes, std::uint64_t bytes) const {
  const unsigned wanted = bin_of(bytes);
  unsigned bin = nonempty_.first_from(wanted);
  if (bin == wanted) {
    Index space = smallest_[bin];
    while (space != kNone && nodes[space].state < bytes) space = nodes[space].links.next;
    if (space != kNone || bin + 1 == Bins::kCount) return space;
    bin = nonempty_.first_from(bin + 1);
  }
  return bin == nonempty_.kNone ? kNone : smallest_[bin];
}

SpacesInOrder::Index SpacesInOrder::next(const RangeNodes& nodes, Index space) const {
  if (const Index same_bin = nodes[space].links.next; same_bin != kNone) return same_bin;
  const unsigned bin = bin_of(nodes[space].state) + 1;
  const unsigned higher = bin == Bins::kCount ? nonempty_.kNone : nonempty_.first_from(bin);
  return higher == nonempty_.kNone ? kNone : smallest_[higher];
}

std::uint64_t SpacesInOrder::largest(const RangeNodes& nodes) const {
  const unsigned bin = nonempty_.last();
  if (bin == nonempty_.kNone) return 0;
  Index space = smallest_[bin];
  while (nodes[space].links.next != kNone) space = nodes[space].links.next;
  return nodes[space].state;
}

void SpacesInOrder::add(RangeNodes& nodes, Index space) {
  const std::uint64_t bytes = nodes[space].state;
  const unsigned bin = bin_of(bytes);
  Index before = kNone, behind = smallest_[bin];
  while (behind != kNone && nodes[behind].state < bytes) before = std::exchange(behind, nodes[behind].links.next);
  nodes[space].links = {behind, before};
  if (behind != kNone) nodes[behind].links.previous = space;
  if (before != kNone) {
    nodes[before].links.next = space;
  } else {
    smallest_[bin] = space;
    nonempty_.add(bin);
  }
  ++count_;
}

void SpacesInOrder::remove(RangeNodes& nodes, Index space) {
  const auto [next, previous] = nodes[space].links;
  if (next != kNone) nodes[next].links.previous = previous;
  if (previous != kNone) {
    nodes[previous].links.next = next;
  } else {
    const unsigned bin = bin_of(nodes[space].state);
    smallest_[bin] = next;
    if (next == kNone) nonempty_.remove(bin);
  }
  --count_;
}

// In most cases a space leaves its bin, or is the only one in it.
void SpacesInOrder::resize(RangeNodes& nodes, Index space, std::uint64_t bytes) {
  const auto [next, previous] = nodes[space].links;
  if (next == kNone && previous == kNone && bin_of(nodes[space].state) == bin_of(bytes)) {
    nodes[space].state = bytes;
    return;
  }
  remove(nodes, space);
  nodes[space].state = bytes;
  add(nodes, space);
}

BestFit::Token BestFit::release(Suballocation taken) {
  return nodes_.free(taken, spaces_);
}

BestFit::Token BestFit::lowest_fit(std::uint64_t bytes) const {
  if (bytes > largest_free()) return kNoToken;
  for (Token at = nodes_.first(); at != kNoToken; at = nodes_[at].behind)
    if (nodes_[at].is_free() && nodes_[at].state >= bytes) return at;
  return kNoToken;
}

Suballocation BestFit::used_at(std::uint64_t offset) const {
  for (Token at = nodes_.first(); at != kNoToken; at = nodes_[at].behind)
    if (nodes_[at].offset == offset && !nodes_[at].is_free()) return {offset, at};
  return {};
}

Suballocation BestFit::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  Token space = smallest_fit(bytes);
  if (alignment <= block_bytes()) return space == kNoToken ? Suballocation{} : take(space, 0, bytes);
  const std::uint64_t least = bytes + (bytes == 0);
  for (; space != kNoToken; space = spaces_.next(nodes_, space))
    if (const std::uint64_t gap = nodes_.gap(space, alignment);
        gap < nodes_[space].state && least <= nodes_[space].state - gap)
      return take(space, gap, bytes);
  return {};
}

Suballocation BestFit::allocate_in(Token space, std::uint64_t bytes) {
  assert(nodes_[space].is_free() && nodes_[space].state >= bytes);
  return take(space, 0, bytes);
}

Suballocation BestFit::allocate_at(std::uint64_t offset, std::uint64_t bytes) {
  if (offset % block_bytes() != 0) return {};
  for (Token at = nodes_.first(); at != kNoToken && nodes_[at].offset <= offset; at = nodes_[at].behind) {
    const std::uint64_t end = nodes_[at].end();
    if (offset >= end) continue;
    return nodes_[at].is_free() && bytes <= end - offset ? take(at, offset - nodes_[at].offset, bytes)
                                                         : Suballocation{};
  }
  return {};
}

std::uint64_t BestFit::free_tail_bytes() const {
  const Token last = nodes_.last();
  return last != kNoToken && nodes_[last].is_free() ? capacity() % block_bytes() : 0;
}

}  // namespace lab::designs
