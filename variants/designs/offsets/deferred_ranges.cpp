#include "variants/designs/offsets/deferred_ranges.h"

#include <algorithm>
#include <utility>

namespace lab::designs {

static_assert(RangeAllocator<DeferredRanges>);

Suballocation DeferredRanges::allocate_below(std::uint64_t bytes, std::uint64_t alignment, unsigned size_class) {
  if (bytes > capacity() - used_bytes()) return {};
  const std::uint64_t rounded = bytes_of(size_class);
  if (used_bytes() <= roomy_bytes_ && rounded <= roomy_bytes_ - used_bytes()) {
    if (const Suballocation taken = fit_.allocate(rounded, alignment); taken.served()) {
      fit_.nodes().set_requested(static_cast<Token>(taken.token), bytes);
      return taken;
    }
  }
  const Suballocation taken = fit_.allocate(bytes, alignment);
  if (taken.served() || waiting_ == 0) return taken;
  merge();
  return fit_.allocate(bytes, alignment);
}

void DeferredRanges::merge() {
  for (std::uint64_t groups = std::exchange(groups_, 0); groups != 0; groups &= groups - 1) {
    const auto first = static_cast<unsigned>(std::countr_zero(groups)) * kGroup;
    for (unsigned each = first; each < first + kGroup; ++each) merge_below(stacks_[each], 0);
  }
}

void DeferredRanges::make_room(unsigned size_class) {
  if (stacks_[size_class].count == kDepth)
    merge_below(stacks_[size_class], kDepth / 2);
  else
    for (Stack& stack : stacks_) merge_below(stack, stack.count / 2);
}

void DeferredRanges::merge_below(Stack& stack, std::uint32_t kept) {
  RangeNodes& nodes = fit_.nodes();
  Token above = kNoToken, part = stack.top;
  for (std::uint32_t i = 0; i < kept; ++i) above = std::exchange(part, nodes.kept_with(part));
  if (above == kNoToken)
    stack.top = kNoToken;
  else
    nodes.set_kept_with(above, kNoToken);
  waiting_ -= stack.count - kept;
  stack.count = kept;
  while (part != kNoToken) {
    const Token merged = std::exchange(part, nodes.kept_with(part));
    fit_.free(nodes.reuse(merged, 0));
  }
}

std::uint64_t DeferredRanges::largest_free() const {
  std::uint64_t largest = 0;
  for_each([&](const OffsetRange& range) {
    if (!range.used) largest = std::max(largest, range.bytes);
  });
  return largest;
}

}  // namespace lab::designs
