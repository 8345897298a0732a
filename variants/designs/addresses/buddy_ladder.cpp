#include "variants/designs/addresses/buddy_ladder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace lab::designs {

BuddyNodes::BuddyNodes(const BuddyLayout& layout)
    : origin(layout.end() - 2 * layout.tree_bytes()),
      leaf_log2(static_cast<unsigned>(std::countr_zero(layout.leaf_bytes))),
      levels(layout.levels) {}

// --- Sizes ----------------------------------------------------------------------------------------------------------

void SizeInPreamble::remember(Position block, unsigned log2) {
  std::memcpy(reinterpret_cast<void*>(block), &log2, sizeof log2);
  ++live;
}

unsigned SizeInPreamble::size_log2(Position block) {
  unsigned log2;
  std::memcpy(&log2, reinterpret_cast<const void*>(block), sizeof log2);
  --live;
  return log2;
}

SizeInHashTable::SizeInHashTable(const BuddyNodes& tree) : SizeFromCaller(tree) {
  grow();
}

// The upper bits of a product with an odd constant (2^64 / golden ratio): neighbouring leaves are spread.
std::size_t SizeInHashTable::home(std::size_t leaf) const {
  return static_cast<std::size_t>((leaf * 0x9e3779b97f4a7c15u) >> shift);
}

void SizeInHashTable::grow() {
  const std::size_t count = std::max<std::size_t>(64, 2 * slots.size());
  const std::vector<Slot> old = std::exchange(slots, std::vector<Slot>(count));
  most_slots = old.size() + count;
  shift = 64 - static_cast<unsigned>(std::countr_zero(count));
  for (const Slot slot : old) {
    if (slot == 0) continue;
    std::size_t at = home(static_cast<std::size_t>(slot >> kLog2Bits));
    while (slots[at] != 0) at = (at + 1) & (count - 1);
    slots[at] = slot;
  }
}

void SizeInHashTable::remember(Position block, unsigned log2) {
  if (2 * ++live > slots.size()) grow();
  const std::size_t leaf = nodes.leaf_at(block);
  std::size_t at = home(leaf);
  while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
  slots[at] = Slot{leaf} << kLog2Bits | log2;
}

unsigned SizeInHashTable::size_log2(Position block) {
  const std::size_t leaf = nodes.leaf_at(block);
  std::size_t at = home(leaf);
  // The block is in the table, so the search does not end at a free slot, and a removal need not close its gap.
  while (slots[at] >> kLog2Bits != leaf || slots[at] == 0) at = (at + 1) & (slots.size() - 1);
  const auto log2 = static_cast<unsigned>(slots[at] & ((1u << kLog2Bits) - 1));
  slots[at] = 0;
  --live;
  return log2;
}

namespace {

/// The two bytes that hold an entry of 5 bits. Those of the last entry may include a byte after the array: that of the
/// next table, which is written as it was read.
struct LevelEntry {
  explicit LevelEntry(std::size_t leaf)
      : byte(SizeInLevelArray::kBits * leaf / 8), shift(static_cast<unsigned>(SizeInLevelArray::kBits * leaf % 8)) {}
  std::size_t byte;
  unsigned shift;
  static constexpr unsigned kMask = (1 << SizeInLevelArray::kBits) - 1;
};

}  // namespace

void SizeInLevelArray::remember(Position block, unsigned log2) {
  const LevelEntry entry(nodes.leaf_at(block));
  std::uint16_t pair;
  std::memcpy(&pair, bytes + entry.byte, sizeof pair);
  pair = static_cast<std::uint16_t>((pair & ~(LevelEntry::kMask << entry.shift)) |
                                    ((log2 - nodes.leaf_log2) << entry.shift));
  std::memcpy(bytes + entry.byte, &pair, sizeof pair);
}

unsigned SizeInLevelArray::size_log2(Position block) const {
  const LevelEntry entry(nodes.leaf_at(block));
  std::uint16_t pair;
  std::memcpy(&pair, bytes + entry.byte, sizeof pair);
  return nodes.leaf_log2 + ((pair >> entry.shift) & LevelEntry::kMask);
}

unsigned SizeFromSplitBits::size_log2(Position block) const {
  unsigned log2 = nodes.leaf_log2;
  for (BuddyNodes::Node node = nodes.node_at(block, log2); node > 1 && !is_split.test(node / 2); node /= 2) ++log2;
  return log2;
}

// --- The tree -------------------------------------------------------------------------------------------------------

template <typename Merge, typename Size>
PlannedBuddy BuddyRung<Merge, Size>::plan(void* buffer, std::size_t bytes, std::size_t leaf_bytes) {
  constexpr std::size_t kLeast =
      std::max(sizeof(Link), 2 * Size::kPreambleBytes);  // a preamble leaves room for a block
  PlannedBuddy planned = BuddyLayout::plan(reinterpret_cast<std::uintptr_t>(buffer), buffer == nullptr ? 0 : bytes,
                                           leaf_bytes, {.leaf_bytes = kLeast, .leaves = 2});
  if (!planned.refusal.empty()) return planned;
  BuddyLayout& layout = planned.layout;
  if (layout.levels > Size::kMostLevels)
    return {{},
            "buddy allocator: at most " + std::to_string(Size::kMostLevels) + " levels, found " +
                std::to_string(layout.levels)};
  layout.reserved_leaves = (tables_bytes(layout) + leaf_bytes - 1) / leaf_bytes;
  return planned;
}

template <typename Merge, typename Size>
BuddyRung<Merge, Size>::BuddyRung(const BuddyLayout& layout)
    : layout_(layout), nodes_(layout), size_(nodes_), lists_(layout) {
  static_assert(!std::is_same_v<Size, SizeInLevelArray> || !Merge::kSearches, "a table follows the level array");
  auto* const tables = reinterpret_cast<std::byte*>(layout.begin);
  std::fill_n(tables, tables_bytes(layout), std::byte{0});
  size_.bind(tables);
  merge_.bind(tables + table_bytes(Size::table_bits(layout)));
  for (unsigned log2 = 0; log2 < kBuddyLists; ++log2) *lists_.head(log2) = {lists_.head(log2), lists_.head(log2)};

  const Position first_free = layout.begin + layout.reserved_leaves * layout.leaf_bytes;
  if (first_free == layout.end() - layout.tree_bytes()) {  // nothing is missing, nothing is reserved
    push(1, nodes_.leaf_log2 + layout.levels - 1);
    return;
  }
  // What is missing or reserved is in use. Right of the path from its last leaf to the root, all is free.
  unsigned log2 = nodes_.leaf_log2;
  for (Node node = nodes_.node_at(first_free, log2) - 1; node > 1; node /= 2, ++log2) {
    size_.split(node / 2);
    if (node % 2 == 0) push(node + 1, log2);
  }
}

template <typename Merge, typename Size>
std::size_t BuddyRung<Merge, Size>::largest_request() const {
  return std::max(layout_.largest_request(), Size::kPreambleBytes) - Size::kPreambleBytes;
}

template <typename Merge, typename Size>
std::size_t BuddyRung<Merge, Size>::capacity(std::size_t bytes) const {
  return bytes > largest_request() ? 0 : layout_.capacity(bytes + Size::kPreambleBytes);
}

template <typename Merge, typename Size>
std::size_t BuddyRung<Merge, Size>::alignment(std::size_t bytes) const {
  return Size::kPreambleBytes > 0 ? Size::kPreambleBytes : layout_.alignment(bytes);
}

template <typename Merge, typename Size>
unsigned BuddyRung<Merge, Size>::log2_of_block(std::size_t bytes) const {
  const std::size_t last_byte = bytes - (bytes != 0);
  return static_cast<unsigned>(std::bit_width(last_byte | (layout_.leaf_bytes - 1)));
}

template <typename Merge, typename Size>
bool BuddyRung<Merge, Size>::buddy_is_free(Node node, unsigned log2) const {
  if constexpr (Merge::kSearches) {
    const Link* const buddy = lists_.find(nodes_.position_of(node ^ 1, log2));
    const Link* at = lists_.head(log2)->next;
    while (at != lists_.head(log2) && at != buddy) at = at->next;
    return at == buddy;
  } else {
    return merge_.buddy_is_free(node);
  }
}

template <typename Merge, typename Size>
void BuddyRung<Merge, Size>::push(Node node, unsigned log2) {
  Link* const head = lists_.head(log2);
  Link* const created = lists_.create(nodes_.position_of(node, log2));
  *created = {head->next, head};
  head->next->previous = created;
  head->next = created;
  merge_.became_free(node);
}

template <typename Merge, typename Size>
void BuddyRung<Merge, Size>::unlink(Link* block, Node node) {
  block->previous->next = block->next;
  block->next->previous = block->previous;
  merge_.became_used(node);
}

template <typename Merge, typename Size>
void* BuddyRung<Merge, Size>::allocate(std::size_t bytes) {
  if (bytes > largest_request()) return nullptr;
  const unsigned wanted = log2_of_block(bytes + Size::kPreambleBytes);
  const unsigned root = nodes_.leaf_log2 + nodes_.levels - 1;
  unsigned log2 = wanted;
  while (empty(log2))
    if (++log2 > root) return nullptr;
  Link* const found = lists_.head(log2)->next;
  const Position block = lists_.position(found);
  Node node = nodes_.node_at(block, log2);
  unlink(found, node);
  while (log2 > wanted) {
    size_.split(node);
    node *= 2;
    --log2;
    push(node + 1, log2);
  }
  size_.remember(block, wanted);
  return reinterpret_cast<void*>(block + Size::kPreambleBytes);
}

template <typename Merge, typename Size>
void BuddyRung<Merge, Size>::free(void* block) requires Size::kKnown {
  if (block == nullptr) return;
  const Position begin = reinterpret_cast<Position>(block) - Size::kPreambleBytes;
  // clang 14 instantiates this also where it is not declared.
  if constexpr (Size::kKnown) release(begin, size_.size_log2(begin));
}

template <typename Merge, typename Size>
void BuddyRung<Merge, Size>::free(void* block, std::size_t bytes) requires(!Size::kKnown) {
  if (block != nullptr) release(reinterpret_cast<Position>(block), log2_of_block(bytes));
}

template <typename Merge, typename Size>
void BuddyRung<Merge, Size>::release(Position block, unsigned log2) {
  Node node = nodes_.node_at(block, log2);
  assert(nodes_.position_of(node, log2) == block);
  while (node > 1 && buddy_is_free(node, log2)) {
    unlink(lists_.find(nodes_.position_of(node ^ 1, log2)), node ^ 1);
    node /= 2;
    ++log2;
    size_.merged(node);
  }
  push(node, log2);
}

template <typename Merge, typename Size>
std::size_t BuddyRung<Merge, Size>::largest_free() const {
  std::size_t largest = 0;
  for (unsigned log2 = 0; log2 < kBuddyLists; ++log2)
    if (!empty(log2)) largest = std::size_t{1} << log2;
  return largest;
}

template class BuddyRung<SearchedLists, SizeFromCaller>;
template class BuddyRung<FreeBits, SizeFromCaller>;
template class BuddyRung<XorBits, SizeFromCaller>;
template class BuddyRung<XorBits, SizeInPreamble>;
template class BuddyRung<XorBits, SizeInHashTable>;
template class BuddyRung<XorBits, SizeInLevelArray>;
template class BuddyRung<XorBits, SizeFromSplitBits>;

}  // namespace lab::designs
