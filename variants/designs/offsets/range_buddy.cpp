#include "variants/designs/offsets/range_buddy.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace lab::designs {

namespace {

BuddyLayout layout_of(std::uint64_t capacity, std::uint64_t block_bytes) {
  assert(std::has_single_bit(block_bytes));
  capacity = std::max<std::uint64_t>(capacity, 1);
  const std::uint64_t few = std::bit_ceil(((capacity - 1) >> RangeBuddy::kMostLeavesLog2) + 1);
  // A range of less than a block is one leaf of less than a block, which begins at offset 0.
  const std::uint64_t leaf = std::min(std::max({block_bytes, RangeBuddy::kLeastLeaf, few}), std::bit_floor(capacity));
  const PlannedBuddy planned = BuddyLayout::plan(capacity, leaf);
  assert(planned.refusal.empty());
  return planned.layout;
}

}  // namespace

static_assert(RangeAllocator<RangeBuddy>);

RangeBuddy::RangeBuddy(std::uint64_t capacity, std::uint64_t block_bytes)
    : capacity_(capacity), block_bytes_(block_bytes), tree_(layout_of(capacity, block_bytes)) {}

Suballocation RangeBuddy::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  bytes += bytes == 0;
  if (bytes > capacity_) return {};
  // The larger one, without a branch: which one it is, is often chance.
  const std::uint64_t least = alignment > block_bytes_ ? alignment : 1;
  const std::uint64_t wanted = bytes + ((least - bytes) & (0 - std::uint64_t{bytes < least}));
  const OffsetBuddy::Position block = tree_.allocate(wanted);
  if (block == OffsetBuddy::kNone) return {};
  const std::uint64_t taken = tree_.layout().block_bytes(wanted), offset = end() - block - taken;
  std::uint32_t token = unused_;
  if (token != kNone) {
    unused_ = parts_[token].next;
  } else {
    token = static_cast<std::uint32_t>(parts_.size());
    parts_.emplace_back();
  }
  parts_[token] = {offset, bytes, static_cast<std::uint32_t>(std::countr_zero(taken)), kNone};
  ++used_count_;
  used_bytes_ += taken;
  requested_bytes_ += bytes;
  return {offset, token};
}

void RangeBuddy::free(Suballocation taken) {
  assert(taken.token < parts_.size());
  Part& part = parts_[taken.token];
  assert(part.requested != 0 && part.offset == taken.offset);
  const std::uint64_t bytes = std::uint64_t{1} << part.log2;
  --used_count_;
  used_bytes_ -= bytes;
  requested_bytes_ -= part.requested;
  part.requested = 0;
  part.next = unused_;
  unused_ = static_cast<std::uint32_t>(taken.token);
  tree_.free(end() - part.offset - bytes, bytes);
}

std::vector<OffsetRange> RangeBuddy::ranges() const {
  std::vector<OffsetRange> found;
  if (capacity_ == 0) return found;
  for (const Part& part : parts_)
    if (part.requested != 0) found.push_back({part.offset, std::uint64_t{1} << part.log2, part.requested, true});
  tree_.for_each_free([&](std::uint64_t block, std::uint64_t bytes) {
    found.push_back({end() - block - bytes, bytes, 0, false});
  });
  if (end() < capacity_) found.push_back({end(), capacity_ - end(), 0, false});
  std::sort(found.begin(), found.end(),
            [](const OffsetRange& one, const OffsetRange& other) { return one.offset < other.offset; });
  return found;
}

}  // namespace lab::designs
