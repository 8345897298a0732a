#include "variants/designs/buddy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <new>

namespace lab::designs {

namespace {

std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

Expected<BuddyLayout> BuddyLayout::plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes) {
  if (!std::has_single_bit(leaf_bytes) || leaf_bytes < kMinLeafBytes)
    return Error(fmt::format("buddy allocator: leaf_bytes must be a power of two and at least {}, found {}",
                             kMinLeafBytes, leaf_bytes),
                 "");
  const std::uintptr_t address = address_of(buffer);
  if (bytes > std::size_t{1} << kMaxTreeLog2 || address + bytes < address)
    return Error(fmt::format("buddy allocator: a buffer has at most 2^{} bytes, found {}", kMaxTreeLog2, bytes), "");
  // Only buffers of at least one leaf are rounded, so rounding up cannot overflow.
  const std::uintptr_t mask = leaf_bytes - 1;
  const std::uintptr_t first = bytes < leaf_bytes ? address : (address + mask) & ~mask;
  const std::uintptr_t last = (address + bytes) & ~mask;
  const std::size_t leaves = last > first ? (last - first) / leaf_bytes : 0;
  if (buffer == nullptr || leaves < 2)
    return Error(
        fmt::format("buddy allocator: a buffer must hold two aligned leaves of {} bytes, found {} in {} bytes at {}",
                    leaf_bytes, buffer == nullptr ? 0 : leaves, bytes, fmt::ptr(buffer)),
        "");
  return BuddyLayout{.begin = static_cast<std::byte*>(buffer) + (first - address),
                     .leaves = leaves,
                     .leaf_bytes = leaf_bytes,
                     .levels = 1 + static_cast<unsigned>(std::bit_width(leaves - 1))};
}

std::size_t BuddyLayout::alignment(std::size_t bytes) const {
  const std::uintptr_t last = address_of(end());
  return std::min<std::size_t>(block_bytes(bytes), last & (~last + 1));
}

std::size_t BuddyLayout::block_bytes(std::size_t bytes) const {
  return std::max(leaf_bytes, std::bit_ceil(bytes));
}

Buddy::Buddy(const BuddyLayout& layout) : layout_(layout) {
  leaf_log2_ = static_cast<unsigned>(std::countr_zero(layout.leaf_bytes));
  origin_ = address_of(layout.end()) - 2 * layout.tree_bytes();
  limit_ = layout.largest_request();
  reset();
}

void Buddy::reset() {
  // The metadata is at least a word: a leaf has room for one even if a few bits would do.
  const std::size_t words = (layout_.metadata_bytes() + sizeof(Word) - 1) / sizeof(Word);
  words_ = new (layout_.begin) Word[words]();
  nonempty_ = 0;
  for (Link& head : lists_) head = {&head, &head};

  // Everything up to the last leaf of the metadata is in use. Left of the path from that leaf to the root, all blocks
  // are split down to the leaves. Right of it everything is free: one block for each left child on the path.
  const std::byte* first_free = layout_.begin + layout_.metadata_leaves() * layout_.leaf_bytes;
  unsigned log2 = leaf_log2_;
  for (Node node = node_at(first_free, leaf_log2_) - 1; node > 1; node /= 2, ++log2) {
    const Node parent = node / 2;
    mark_split(std::bit_floor(parent), parent);
    if (node % 2 == 0) {
      word(parent) |= kOneHalfFree << shift(parent);
      push(block_at(node + 1, log2), log2);
    }
  }
}

void Buddy::mark_split(Node first, Node last) {
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

unsigned Buddy::log2_of_block(std::size_t bytes) const {
  const std::size_t last_byte = bytes - (bytes != 0);
  return static_cast<unsigned>(std::bit_width(last_byte | (layout_.leaf_bytes - 1)));
}

Buddy::Node Buddy::node_at(const void* block, unsigned log2) const {
  return (address_of(block) - origin_) >> log2;
}

Buddy::Link* Buddy::block_at(Node node, unsigned log2) const {
  return reinterpret_cast<Link*>(origin_ + (node << log2));
}

void Buddy::push(Link* block, unsigned log2) {
  Link& head = lists_[log2];
  new (block) Link{head.next, &head};
  head.next->previous = block;
  head.next = block;
  nonempty_ |= std::uint64_t{1} << log2;
}

void Buddy::unlink(Link* block, unsigned log2) {
  Link* const next = block->next;
  Link* const previous = block->previous;
  previous->next = next;
  next->previous = previous;
  // Only the last block of a list has the head on both sides. This is a branch, not arithmetic: the links may miss
  // every cache, and with branch prediction the next search need not wait for them.
  if (next == previous) [[unlikely]]
    nonempty_ &= ~(std::uint64_t{1} << log2);
}

void* Buddy::allocate(std::size_t bytes) {
  if (bytes > limit_) return nullptr;
  const unsigned wanted = log2_of_block(bytes);
  const std::uint64_t fitting = nonempty_ >> wanted;
  if (fitting == 0) return nullptr;
  unsigned log2 = wanted + static_cast<unsigned>(std::countr_zero(fitting));
  Link* const block = lists_[log2].next;
  unlink(block, log2);
  Node node = node_at(block, log2);
  word(node / 2) ^= kOneHalfFree << shift(node / 2);
  while (log2 > wanted) {
    word(node) |= (kSplit | kOneHalfFree) << shift(node);
    node *= 2;
    --log2;
    push(block_at(node + 1, log2), log2);
  }
  return block;
}

void Buddy::free(void* block) {
  if (block == nullptr) return;
  // The walk ends below the root: the metadata is in the tree too, so the root is always split.
  unsigned log2 = leaf_log2_;
  Node node = node_at(block, log2);
  for (; !is_split(node / 2); node /= 2) ++log2;
  assert(block_at(node, log2) == block);
  release(node, log2);
}

void Buddy::free(void* block, std::size_t bytes) {
  if (block == nullptr) return;
  const unsigned log2 = log2_of_block(bytes);
  const Node node = node_at(block, log2);
  assert(block_at(node, log2) == block && is_split(node / 2));
  release(node, log2);
}

void Buddy::release(Node node, unsigned log2) {
  // The block was in use, so if exactly one half is free, it is the buddy.
  while ((word(node / 2) >> shift(node / 2)) & kOneHalfFree) {
    word(node / 2) &= ~((kSplit | kOneHalfFree) << shift(node / 2));
    unlink(block_at(node ^ 1, log2), log2);
    node /= 2;
    ++log2;
  }
  word(node / 2) |= kOneHalfFree << shift(node / 2);
  push(block_at(node, log2), log2);
}

}  // namespace lab::designs
