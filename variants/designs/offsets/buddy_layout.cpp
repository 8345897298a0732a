#include "variants/designs/offsets/buddy_layout.h"

#include <algorithm>

namespace lab::designs {

namespace {

PlannedBuddy refused(const std::string& expected, std::size_t found) {
  return {{}, "buddy allocator: " + expected + ", found " + std::to_string(found)};
}

}  // namespace

PlannedBuddy BuddyLayout::plan(Position begin, std::size_t bytes, std::size_t leaf_bytes, const Needs& needs) {
  if (!std::has_single_bit(leaf_bytes) || leaf_bytes < needs.leaf_bytes)
    return refused("leaf_bytes must be a power of two and at least " + std::to_string(needs.leaf_bytes), leaf_bytes);
  if (bytes > std::size_t{1} << kMaxTreeLog2 || begin + bytes < begin)
    return refused("a range has at most 2^" + std::to_string(kMaxTreeLog2) + " bytes", bytes);
  // Only ranges of at least one leaf are rounded, so rounding up cannot overflow.
  const Position mask = leaf_bytes - 1;
  const Position first = bytes < leaf_bytes ? begin : (begin + mask) & ~mask;
  const Position last = (begin + bytes) & ~mask;
  const std::size_t leaves = last > first ? (last - first) / leaf_bytes : 0;
  if (leaves < needs.leaves)
    return refused("the number of aligned leaves of " + std::to_string(leaf_bytes) + " bytes in a range of " +
                       std::to_string(bytes) + " must be at least " + std::to_string(needs.leaves),
                   leaves);
  return {{.begin = first,
           .leaves = leaves,
           .leaf_bytes = leaf_bytes,
           .levels = 1 + static_cast<unsigned>(std::bit_width(leaves - 1))},
          ""};
}

PlannedBuddy BuddyLayout::plan(std::size_t bytes, std::size_t leaf_bytes) {
  return plan(0, bytes, leaf_bytes, {});
}

std::size_t BuddyLayout::alignment(std::size_t bytes) const {
  const Position last = end();
  return std::min<std::size_t>(block_bytes(bytes), last & (~last + 1));
}

std::size_t BuddyLayout::block_bytes(std::size_t bytes) const {
  return std::max(leaf_bytes, std::bit_ceil(bytes));
}

}  // namespace lab::designs
