#include "variants/designs/addresses/trimmed_buddy.h"

#include <algorithm>
#include <bit>
#include <new>

namespace lab::designs {

namespace {

/// The lowest bit that is set; the size of the largest aligned block that can begin or end there.
std::uint32_t low_bit(std::uint32_t leaf) {
  return leaf & (~leaf + 1);
}

}  // namespace

TrimmedBuddy::Leaf TrimmedBuddy::leaves_within(std::size_t bytes, std::size_t leaf_bytes) {
  std::size_t leaves = std::min<std::size_t>(bytes / leaf_bytes, kMostLeaves);
  while (leaves > 0 && leaves * leaf_bytes + metadata_bytes(leaves) > bytes) {
    const std::size_t excess = leaves * leaf_bytes + metadata_bytes(leaves) - bytes;
    leaves -= std::min(leaves, std::max<std::size_t>(1, excess / (leaf_bytes + 1)));
  }
  return static_cast<Leaf>(leaves);
}

TrimmedBuddy::TrimmedBuddy(void* buffer, std::size_t bytes, std::size_t leaf_bytes)
    : begin_(static_cast<std::byte*>(buffer)),
      leaves_(leaves_within(bytes, leaf_bytes)),
      leaf_log2_(static_cast<unsigned>(std::countr_zero(leaf_bytes))) {
  bits_ = new (begin_ + leaves_ * leaf_bytes) Bits[(leaves_ + 63) / 64];
  reset();
}

void TrimmedBuddy::reset() {
  std::fill_n(bits_, (leaves_ + 63) / 64, Bits{});
  for (auto& heads : heads_) heads.fill(kNone);
  nonempty_ = {};
  mark(0, leaves_, true);
  insert_all(0, leaves_);
}

std::size_t TrimmedBuddy::alignment(std::size_t bytes) const {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(begin_);
  return std::min<std::size_t>(std::size_t{std::bit_ceil(leaves_of(bytes))} << leaf_log2_, begin & (~begin + 1));
}

std::size_t TrimmedBuddy::capacity(std::size_t bytes) const {
  // One for each aligned place that holds it; the last place may be short.
  if (bytes > largest_request()) return 0;
  const Leaf leaves = leaves_of(bytes);
  return (leaves_ - leaves) / std::bit_ceil(leaves) + 1;
}

std::size_t TrimmedBuddy::largest_free() const {
  Leaf largest = 0;
  for (const auto& heads : heads_)
    for (const Leaf head : heads)
      for (Leaf each = head; each != kNone; each = node(each).next) largest = std::max(largest, node(each).prefix);
  return std::size_t{largest} << leaf_log2_;
}

// A prefix is at least the block and shorter than twice the block: else the block and its buddy would be one.
TrimmedBuddy::Leaf TrimmedBuddy::block_of(Leaf leaf) const {
  return std::bit_floor(node(leaf).prefix);
}

/// Whether `leaves` from an aligned place on are a free block, where its buddy is known not to be free.
bool TrimmedBuddy::is_block(Leaf leaf, Leaf leaves) const {
  if (!is_free(leaf)) return false;
  // Within a word the bits say it, and the block, which may miss every cache, need not be read.
  if (leaves > 32) return block_of(leaf) == leaves;
  const std::uint64_t mask = (std::uint64_t{1} << leaves) - 1;
  return (~bits_[leaf / 64].free >> (leaf % 64) & mask) == 0;
}

void TrimmedBuddy::mark(Leaf first, Leaf leaves, bool free) {
  for (const Leaf end = first + leaves; first < end;) {
    const Leaf here = std::min<Leaf>(end - first, 64 - first % 64);
    const std::uint64_t mask = (~std::uint64_t{0} >> (64 - here)) << (first % 64);
    std::uint64_t& word = bits_[first / 64].free;
    word = free ? word | mask : word & ~mask;
    first += here;
  }
}

/// Whether one block covers the first half of an aligned place and the leaf behind it, and `leaf` lies further right.
/// Only a place of at most a word's leaves is looked at.
bool TrimmedBuddy::is_tail(Leaf leaf) const {
  const Bits& bits = bits_[leaf / 64];
  const unsigned at = leaf % 64;
  // Each bit of the position above the lowest is half of a place in whose second half it lies, and not at its begin.
  for (unsigned halves = at & (at - 1); halves != 0; halves &= halves - 1) {
    const unsigned half = low_bit(halves);
    const unsigned first = at & ~(2 * half - 1);
    const std::uint64_t inner = ((std::uint64_t{1} << half) - 1) << first;
    const std::uint64_t covered = inner | std::uint64_t{1} << (first + half);
    if (((bits.free & covered) | (bits.ends & inner)) == 0) return true;
  }
  return false;
}

void TrimmedBuddy::link(Leaf leaf, Leaf prefix, Leaf is_tail) {
  const unsigned size_class = SizeClasses::of(prefix);
  Leaf& head = heads_[is_tail][size_class];
  new (&node(leaf)) Node{head, kNone, prefix, is_tail};
  if (head != kNone) node(head).previous = leaf;
  head = leaf;
  nonempty_[is_tail].set(size_class);
}

void TrimmedBuddy::unlink(Leaf leaf) {
  const Node own = node(leaf);
  if (own.next != kNone) node(own.next).previous = own.previous;
  if (own.previous != kNone) {
    node(own.previous).next = own.next;
  } else {
    const unsigned size_class = SizeClasses::of(own.prefix);
    heads_[own.is_tail][size_class] = own.next;
    if (own.next == kNone) nonempty_[own.is_tail].clear(size_class);
  }
}

/// Lists a free block of a power of two. What follows it in its aligned place is listed already.
void TrimmedBuddy::insert(Leaf leaf, Leaf leaves) {
  const Leaf buddy = leaf + leaves;
  const bool is_left_half = (leaf & leaves) == 0;
  link(leaf, is_left_half && is_free(buddy) ? leaves + node(buddy).prefix : leaves, is_tail(leaf));
}

/// Lists the largest aligned blocks of [first, end), none of which merges with another one.
void TrimmedBuddy::insert_all(Leaf first, Leaf end) {
  while (end > first) {
    const Leaf leaves = std::min(low_bit(end), std::bit_floor(end - first));
    end -= leaves;
    insert(end, leaves);
  }
}

/// Lists anew each free block whose prefix goes on into `leaf`, after the prefix there changed or ended.
void TrimmedBuddy::refresh_before(Leaf leaf) {
  Leaf behind = is_free(leaf) ? node(leaf).prefix : 0;
  while (leaf != 0) {
    // Only the left half that ends here can go on into `leaf`, and only if all of it is free.
    const Leaf leaves = low_bit(leaf);
    const Leaf before = leaf - leaves;
    if (!is_block(before, leaves) || node(before).prefix == leaves + behind) return;
    unlink(before);
    link(before, leaves + behind, node(before).is_tail);
    behind += leaves;
    leaf = before;
  }
}

/// The free block that begins the shortest prefix that holds a request; if possible in a tail.
TrimmedBuddy::Leaf TrimmedBuddy::find(Leaf leaves) const {
  for (const unsigned tail : {1u, 0u})
    if (const unsigned found = nonempty_[tail].first_from(SizeClasses::holding(leaves)); found != SizeClasses::kCount)
      return heads_[tail][found];
  for (const auto& heads : heads_)
    for (Leaf at = heads[SizeClasses::of(leaves)]; at != kNone; at = node(at).next)
      if (node(at).prefix >= leaves) return at;
  return kNone;
}

void* TrimmedBuddy::allocate(std::size_t bytes) {
  if (bytes > largest_request()) return nullptr;
  const Leaf leaves = leaves_of(bytes);
  const Leaf begin = find(leaves);
  if (begin == kNone) return nullptr;
  const Leaf place = std::bit_ceil(leaves);
  const Leaf first = begin + ((node(begin).prefix - leaves) & ~(place - 1));
  const Leaf end = begin + node(begin).prefix;
  // All of the prefix is listed anew: what follows the request may now be a tail.
  for (Leaf at = begin, next; at < end; at = next) {
    next = at + block_of(at);
    unlink(at);
  }
  mark(first, leaves, false);
  const Leaf last = first + leaves - 1;
  bits_[last / 64].ends |= std::uint64_t{1} << (last % 64);
  insert_all(first + leaves, end);
  insert_all(begin, first);
  refresh_before(begin);
  return begin_ + (std::size_t{first} << leaf_log2_);
}

void TrimmedBuddy::free(void* block) {
  if (block == nullptr) return;
  const Leaf first = leaf_at(block);
  std::size_t word = first / 64;
  std::uint64_t ends = bits_[word].ends & (~std::uint64_t{0} << (first % 64));
  while (ends == 0) ends = bits_[++word].ends;
  release(first, static_cast<Leaf>(word * 64) + static_cast<Leaf>(std::countr_zero(ends)) + 1 - first);
}

void TrimmedBuddy::free(void* block, std::size_t bytes) {
  if (block != nullptr) release(leaf_at(block), leaves_of(bytes));
}

void TrimmedBuddy::release(Leaf first, Leaf leaves) {
  const Leaf last = first + leaves - 1;
  bits_[last / 64].ends &= ~(std::uint64_t{1} << (last % 64));
  mark(first, leaves, true);
  // From right to left, so that what follows a block is always listed before it. A block waits until it is certain that
  // it does not merge with the next one.
  Leaf waiting = last + 1, waiting_leaves = 0;
  for (Leaf end = waiting; end > first;) {
    Leaf size = std::min(low_bit(end), std::bit_floor(end - first));
    end -= size;
    Leaf merged = end;
    for (;; size *= 2) {
      const Leaf buddy = merged ^ size;
      if (buddy == waiting && size == waiting_leaves) {
        waiting_leaves = 0;
      } else if (buddy < merged ? buddy < first && is_block(buddy, size) : buddy > last && is_block(buddy, size)) {
        unlink(buddy);
      } else {
        break;
      }
      merged &= ~size;
    }
    if (waiting_leaves != 0) insert(waiting, waiting_leaves);
    waiting = merged;
    waiting_leaves = size;
  }
  insert(waiting, waiting_leaves);
  refresh_before(waiting);
}

}  // namespace lab::designs
