#include "variants/designs/addresses/size_class_buddy.h"

#include <algorithm>
#include <new>

namespace lab::designs {

namespace {

constexpr unsigned kMostBlocks = 64;  // of a span

}  // namespace

SizeClassBuddy::Plan SizeClassBuddy::plan(void* buffer, std::size_t bytes) {
  Plan plan;
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
  const std::uintptr_t tables = (begin + alignof(Span) - 1) & ~(alignof(Span) - 1);
  // A table for every leaf of the whole buffer is at most two leaves in a hundred too many.
  plan.table_bytes = bytes / kLeafBytes * (sizeof(Span) + sizeof(std::uint8_t));
  plan.tables = static_cast<std::byte*>(buffer) + (tables - begin);
  const std::size_t before = tables - begin + plan.table_bytes;
  PlannedBuddy planned = before > bytes ? Buddy::plan(nullptr, 0, kLeafBytes)
                                        : Buddy::plan(plan.tables + plan.table_bytes, bytes - before, kLeafBytes);
  plan.layout = planned.layout;
  plan.refusal = planned.refusal;
  return plan;
}

SizeClassBuddy::SizeClassBuddy(const Plan& plan)
    : begin_(reinterpret_cast<std::byte*>(plan.layout.begin)),
      table_bytes_(plan.table_bytes),
      classes_(reinterpret_cast<std::uint8_t*>(plan.tables + plan.layout.leaves * sizeof(Span))),
      spans_(new (plan.tables) Span[plan.layout.leaves]),
      buddy_(plan.layout) {
  partial_.fill(kNone);
}

void SizeClassBuddy::reset() {
  for (Magazine& magazine : magazines_) magazine.clear();
  partial_.fill(kNone);
  live_ = 0;
  buddy_.reset();
}

void SizeClassBuddy::flush() {
  for (unsigned size_class = 0; size_class < kClasses; ++size_class)
    if (!magazines_[size_class].empty()) return_oldest(size_class, magazines_[size_class].count());
}

// The sizes of a doubling are 4, 5, 6 and 7 times a unit. Of 256 units, they leave at most 4 unused.
std::size_t SizeClassBuddy::span_bytes(unsigned size_class) {
  const std::size_t unit = std::bit_floor(BlockSizes::bytes(size_class)) / 4;
  return 4 * kMostBlocks * unit;
}

std::uint64_t SizeClassBuddy::all_blocks(std::size_t span_bytes, std::size_t block_bytes) {
  return ~std::uint64_t{0} >> (kMostBlocks - span_bytes / block_bytes);
}

std::size_t SizeClassBuddy::block_bytes(std::size_t bytes) const {
  return bytes > kMostSmallBytes ? buddy_.layout().block_bytes(bytes) : BlockSizes::bytes(BlockSizes::of(bytes));
}

std::size_t SizeClassBuddy::alignment(std::size_t bytes) const {
  if (bytes > kMostSmallBytes) return buddy_.layout().alignment(bytes);
  const unsigned size_class = BlockSizes::of(bytes);
  // A span of less than a block's alignment has one block at most.
  return std::min(BlockSizes::alignment(size_class), buddy_.layout().alignment(span_bytes(size_class)));
}

std::size_t SizeClassBuddy::capacity(std::size_t bytes) const {
  if (bytes > kMostSmallBytes) return buddy_.layout().capacity(bytes);
  if (bytes > largest_request()) return 0;
  const std::size_t block = block_bytes(bytes), whole = span_bytes(BlockSizes::of(bytes));
  const std::size_t usable = buddy_.layout().usable_bytes();
  std::size_t blocks = usable / whole * (whole / block);
  for (std::size_t part = whole / 2; part >= kLeafBytes; part /= 2)
    if ((usable & part) != 0) blocks += part / block;
  return blocks;
}

void* SizeClassBuddy::allocate_large(std::size_t bytes) {
  void* block = buddy_.allocate(bytes);
  if (block == nullptr) {
    if (bytes > largest_request()) return nullptr;
    flush();
    block = buddy_.allocate(bytes);
    if (block == nullptr) return nullptr;
  }
  classes_[leaf_of(block)] = kLarge;
  ++live_;
  return block;
}

void SizeClassBuddy::free_large(void* block) {
  buddy_.free(block);
  forget_live();
}

bool SizeClassBuddy::refill(unsigned size_class) {
  if (partial_[size_class] == kNone && !add_span(size_class)) {
    flush();
    if (!add_span(size_class)) return false;
  }
  const Index index = partial_[size_class];
  Span& span = spans_[index];
  const std::size_t bytes = BlockSizes::bytes(size_class);
  for (std::uint32_t taken = 0; taken < kRefill && span.free != 0; ++taken, span.free &= span.free - 1)
    magazines_[size_class].push(begin_of(index) + static_cast<std::size_t>(std::countr_zero(span.free)) * bytes);
  if (span.free == 0) unlink(index, size_class);
  return true;
}

bool SizeClassBuddy::add_span(unsigned size_class) {
  const std::size_t block_bytes = BlockSizes::bytes(size_class);
  for (std::size_t bytes = span_bytes(size_class); bytes >= std::max(block_bytes, kLeafBytes); bytes /= 2) {
    void* const begin = buddy_.allocate(bytes);
    if (begin == nullptr) continue;
    const std::size_t leaf = leaf_of(begin);
    std::fill_n(classes_ + leaf, bytes / kLeafBytes, static_cast<std::uint8_t>(size_class));
    spans_[leaf].free = all_blocks(bytes, block_bytes);
    link(static_cast<Index>(leaf), size_class);
    return true;
  }
  return false;
}

void SizeClassBuddy::return_oldest(unsigned size_class, std::uint32_t count) {
  magazines_[size_class].return_oldest(
      count, [&](const void* block) { return_block(static_cast<const std::byte*>(block), size_class); });
}

void SizeClassBuddy::return_block(const std::byte* block, unsigned size_class) {
  const std::span<std::byte> live = buddy_.find_live(block);
  const auto index = static_cast<Index>(leaf_of(live.data()));
  Span& span = spans_[index];
  const std::size_t bytes = BlockSizes::bytes(size_class);
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(block - live.data()) / bytes);
  assert((span.free & bit) == 0);
  const bool linked = span.free != 0;
  span.free |= bit;
  if (span.free == all_blocks(live.size(), bytes)) {
    if (linked) unlink(index, size_class);
    buddy_.free(live.data(), live.size());
  } else if (!linked) {
    link(index, size_class);
  }
}

void SizeClassBuddy::link(Index span, unsigned size_class) {
  const Index first = partial_[size_class];
  spans_[span].previous = kNone;
  spans_[span].next = first;
  if (first != kNone) spans_[first].previous = span;
  partial_[size_class] = span;
}

void SizeClassBuddy::unlink(Index span, unsigned size_class) {
  const auto [free, next, previous] = spans_[span];
  (previous == kNone ? partial_[size_class] : spans_[previous].next) = next;
  if (next != kNone) spans_[next].previous = previous;
}

}  // namespace lab::designs
