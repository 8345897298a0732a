#include "variants/designs/offsets/best_fit.h"

#include <bit>
#include <cassert>
#include <utility>

namespace lab::designs {

BestFit::BestFit(std::uint64_t capacity, std::uint64_t block_bytes)
    : capacity_(capacity), block_log2_(static_cast<unsigned>(std::countr_zero(block_bytes))) {
  assert(std::has_single_bit(block_bytes) && block_bytes <= kMostBlockBytes);
  bins_.fill(kNoToken);
  nodes_.push_back({0, capacity, kNoToken, kNoToken, kNoToken, kNoToken});
  if (capacity == 0)
    first_ = kNoToken;
  else
    put_in_bin(0);
}

// Every space but the one at the range's end has whole blocks. So a space that holds the bytes of a request also holds
// its blocks, or it ends with the short last block. The searches need not round.

BestFit::Token BestFit::smallest_fit(std::uint64_t bytes) const {
  bytes += bytes == 0;
  const unsigned wanted = Bins::of(blocks(bytes));
  unsigned bin = nonempty_.first_from(wanted);
  if (bin == wanted) {
    Token space = bins_[bin];
    while (space != kNoToken && nodes_[space].bytes < bytes) space = nodes_[space].bin_next;
    if (space != kNoToken || bin + 1 == kBins) return space;
    bin = nonempty_.first_from(bin + 1);
  }
  return bin == nonempty_.kNone ? kNoToken : bins_[bin];
}

BestFit::Token BestFit::lowest_fit(std::uint64_t bytes) const {
  if (bytes > largest_free()) return kNoToken;
  for (Token at = first_; at != kNoToken; at = nodes_[at].next)
    if (is_free(at) && nodes_[at].bytes >= bytes) return at;
  return kNoToken;
}

Suballocation BestFit::used_at(std::uint64_t offset) const {
  for (Token at = first_; at != kNoToken; at = nodes_[at].next)
    if (nodes_[at].offset == offset && !is_free(at)) return {offset, at};
  return {};
}

Suballocation BestFit::allocate(std::uint64_t bytes, [[maybe_unused]] std::uint64_t alignment) {
  assert(alignment <= block_bytes());
  const Token space = smallest_fit(bytes);
  return space == kNoToken ? Suballocation{} : take(space, nodes_[space].offset, bytes);
}

Suballocation BestFit::allocate_in(Token space, std::uint64_t bytes) {
  assert(is_free(space) && nodes_[space].bytes >= bytes);
  return take(space, nodes_[space].offset, bytes);
}

Suballocation BestFit::allocate_at(std::uint64_t offset, std::uint64_t bytes) {
  if (offset % block_bytes() != 0) return {};
  for (Token at = first_; at != kNoToken && nodes_[at].offset <= offset; at = nodes_[at].next) {
    const std::uint64_t end = nodes_[at].offset + nodes_[at].bytes;
    if (offset >= end) continue;
    return is_free(at) && bytes <= end - offset ? take(at, offset, bytes) : Suballocation{};
  }
  return {};
}

// The part of `space` from `offset` on. What is before and behind it stays free.
Suballocation BestFit::take(Token space, std::uint64_t offset, std::uint64_t bytes) {
  bytes += bytes == 0;
  take_from_bin(space);
  if (const std::uint64_t before = offset - nodes_[space].offset; before > 0) {
    const Token rest = create();
    Node& node = nodes_[space];
    nodes_[rest] = {node.offset, before, node.previous, space, kNoToken, kNoToken};
    (node.previous == kNoToken ? first_ : nodes_[node.previous].next) = rest;
    node.previous = rest;
    node.offset = offset;
    node.bytes -= before;
    put_in_bin(rest);
  }
  // Rounds up without an overflow: whole blocks, or up to the end of the space.
  const std::uint64_t padding = (0 - bytes) & (block_bytes() - 1), found = nodes_[space].bytes;
  const std::uint64_t taken = found - bytes < padding ? found : bytes + padding;
  if (const std::uint64_t behind = found - taken; behind > 0) {
    const Token rest = create();
    Node& node = nodes_[space];
    nodes_[rest] = {offset + taken, behind, space, node.next, kNoToken, kNoToken};
    if (node.next != kNoToken) nodes_[node.next].previous = rest;
    node.next = rest;
    node.bytes = taken;
    put_in_bin(rest);
  }
  nodes_[space].bin_previous = static_cast<Token>(taken - bytes);
  nodes_[space].bin_next = kUsed;
  used_bytes_ += taken;
  requested_bytes_ += bytes;
  ++used_count_;
  return {offset, space};
}

void BestFit::free(Token used) {
  assert(used < nodes_.size() && nodes_[used].bin_next == kUsed);
  Node& node = nodes_[used];
  used_bytes_ -= node.bytes;
  requested_bytes_ -= node.bytes - node.bin_previous;
  --used_count_;
  if (const Token before = node.previous; is_free(before)) {
    take_from_bin(before);
    node.offset = nodes_[before].offset;
    node.bytes += nodes_[before].bytes;
    node.previous = nodes_[before].previous;
    (node.previous == kNoToken ? first_ : nodes_[node.previous].next) = used;
    nodes_[before].bin_next = unused_;
    unused_ = before;
  }
  if (const Token behind = node.next; is_free(behind)) {
    take_from_bin(behind);
    node.bytes += nodes_[behind].bytes;
    node.next = nodes_[behind].next;
    if (node.next != kNoToken) nodes_[node.next].previous = used;
    nodes_[behind].bin_next = unused_;
    unused_ = behind;
  }
  put_in_bin(used);
}

std::uint64_t BestFit::largest_free() const {
  const unsigned bin = nonempty_.last();
  if (bin == nonempty_.kNone) return 0;
  Token space = bins_[bin];
  while (nodes_[space].bin_next != kNoToken) space = nodes_[space].bin_next;
  return nodes_[space].bytes;
}

std::uint64_t BestFit::free_tail_bytes() const {
  const std::uint64_t tail = capacity_ % block_bytes();
  if (tail == 0) return 0;
  Token last = first_;
  while (nodes_[last].next != kNoToken) last = nodes_[last].next;
  return is_free(last) ? tail : 0;
}

BestFit::Token BestFit::create() {
  if (unused_ == kNoToken) {
    nodes_.emplace_back();
    return static_cast<Token>(nodes_.size() - 1);
  }
  const Token node = unused_;
  unused_ = nodes_[node].bin_next;
  return node;
}

void BestFit::put_in_bin(Token space) {
  Node& node = nodes_[space];
  const unsigned bin = Bins::of(blocks(node.bytes));
  Token before = kNoToken, behind = bins_[bin];
  while (behind != kNoToken && nodes_[behind].bytes < node.bytes) before = std::exchange(behind, nodes_[behind].bin_next);
  node.bin_previous = before;
  node.bin_next = behind;
  if (behind != kNoToken) nodes_[behind].bin_previous = space;
  (before == kNoToken ? bins_[bin] : nodes_[before].bin_next) = space;
  nonempty_.add(bin);
  ++free_count_;
}

void BestFit::take_from_bin(Token space) {
  const Node& node = nodes_[space];
  if (node.bin_next != kNoToken) nodes_[node.bin_next].bin_previous = node.bin_previous;
  if (node.bin_previous != kNoToken) {
    nodes_[node.bin_previous].bin_next = node.bin_next;
  } else {
    const unsigned bin = Bins::of(blocks(node.bytes));
    bins_[bin] = node.bin_next;
    if (node.bin_next == kNoToken) nonempty_.remove(bin);
  }
  --free_count_;
}

}  // namespace lab::designs
