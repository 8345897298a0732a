#include "variants/designs/addresses/buddy_areas.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <string>

namespace lab::designs {

namespace {

/// Where the table begins, after the buddy's bits.
std::size_t bits_bytes(const BuddyLayout& layout) {
  constexpr std::size_t kWord = 8;
  return (layout.metadata_bytes() + kWord - 1) / kWord * kWord;
}

}  // namespace

PlannedBuddy BuddyAreas::plan(void* buffer, std::size_t bytes, std::size_t least_block) {
  if (!std::has_single_bit(least_block) || least_block < Buddy::kMinLeafBytes || least_block >= kAreaBytes)
    return {{},
            "buddy areas: the smallest block must be a power of two from " + std::to_string(Buddy::kMinLeafBytes) +
                " to " + std::to_string(kAreaBytes / 2) + ", found " + std::to_string(least_block)};
  PlannedBuddy planned = Buddy::plan(buffer, bytes, kAreaBytes);
  if (!planned.refusal.empty()) return planned;
  BuddyLayout& layout = planned.layout;
  layout.reserved_leaves = (bits_bytes(layout) + layout.leaves * sizeof(Area) + kAreaBytes - 1) / kAreaBytes;
  if (layout.leaves > UINT32_MAX - kAreaLog2)
    return {{}, "buddy areas: at most 2^32 areas, found " + std::to_string(layout.leaves)};
  return planned;
}

BuddyAreas::BuddyAreas(const BuddyLayout& areas, std::size_t least_block)
    : least_log2_(static_cast<unsigned>(std::countr_zero(least_block))),
      buddy_(areas),
      table_(reinterpret_cast<Area*>(buddy_.begin() + bits_bytes(areas))) {
  std::uninitialized_default_construct_n(table_, areas.leaves);
  for (unsigned log2 = 0; log2 < kAreaLog2; ++log2) area(head(log2)).next = area(head(log2)).previous = head(log2);
}

std::size_t BuddyAreas::block_bytes(std::size_t bytes) const {
  return std::max(std::size_t{1} << least_log2_, std::bit_ceil(bytes));
}

std::size_t BuddyAreas::alignment(std::size_t bytes) const {
  return block_bytes(bytes) < kAreaBytes ? block_bytes(bytes) : layout().alignment(bytes);
}

std::size_t BuddyAreas::capacity(std::size_t bytes) const {
  if (bytes > largest_request()) return 0;
  return layout().capacity(std::max(bytes, kAreaBytes)) * std::max<std::size_t>(kAreaBytes / block_bytes(bytes), 1);
}

BuddyAreas::Index BuddyAreas::index_of(const void* block) const {
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(block) - buddy_.begin());
  return static_cast<Index>(kAreaLog2 + offset / kAreaBytes);
}

std::uint16_t BuddyAreas::next_of(Index index, std::size_t block) const {
  std::uint16_t next;
  std::memcpy(&next, begin_of(index) + (block << area(index).log2), sizeof next);
  return next;
}

void BuddyAreas::link(Index index) {
  const Index first = head(area(index).log2);
  area(index).next = area(first).next;
  area(index).previous = first;
  area(area(first).next).previous = index;
  area(first).next = index;
}

void BuddyAreas::unlink(Index index) {
  area(area(index).previous).next = area(index).next;
  area(area(index).next).previous = area(index).previous;
}

void* BuddyAreas::allocate(std::size_t bytes) {
  if (bytes > largest_request()) return nullptr;
  const std::size_t size = block_bytes(bytes);
  const auto log2 = static_cast<std::uint8_t>(std::countr_zero(size));
  if (size >= kAreaBytes) {
    void* const block = buddy_.allocate(size);
    if (block != nullptr) area(index_of(block)).log2 = log2;
    return block;
  }
  Index found = area(head(log2)).next;
  if (found == head(log2)) {
    void* const fresh = buddy_.allocate(kAreaBytes);
    if (fresh == nullptr) return nullptr;
    found = index_of(fresh);
    area(found) = {.log2 = log2};
    link(found);
  }
  Area& from = area(found);
  std::size_t block = from.first_free;
  if (block != kNone)
    from.first_free = next_of(found, block);
  else
    block = from.carved++;
  if (++from.live == kAreaBytes >> log2) unlink(found);
  return begin_of(found) + (block << log2);
}

void BuddyAreas::free(void* block) {
  if (block == nullptr) return;
  const Index index = index_of(block);
  Area& home = area(index);
  if (home.log2 >= kAreaLog2) return buddy_.free(block, std::size_t{1} << home.log2);
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - begin_of(index));
  assert(offset % (std::size_t{1} << home.log2) == 0 && home.live > 0);
  const bool was_full = home.live == kAreaBytes >> home.log2;
  if (--home.live == 0) {
    if (!was_full) unlink(index);
    return buddy_.free(begin_of(index), kAreaBytes);
  }
  std::memcpy(block, &home.first_free, sizeof home.first_free);
  home.first_free = static_cast<std::uint16_t>(offset >> home.log2);
  if (was_full) link(index);
}

std::size_t BuddyAreas::largest_free() const {
  if (const std::size_t areas = buddy_.largest_free(); areas != 0) return areas;
  for (unsigned log2 = kAreaLog2; log2-- > 0;)
    if (area(head(log2)).next != head(log2)) return std::size_t{1} << log2;
  return 0;
}

}  // namespace lab::designs
