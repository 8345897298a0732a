#include "variants/allocator/family/buddy_heap.h"

#include <bit>

namespace lab::allocator {

std::map<std::string, double> buddy_counters(const designs::BuddyLayout& layout, const BuddyBits& bits,
                                             const Buffer& buffer, double external_fragmentation) {
  const auto per_block = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(std::size_t{1} << layout.levels);
  };
  const std::size_t all = bits.merge + bits.size + bits.other;
  const auto reserved = [&](std::size_t leaves) { return static_cast<double>(leaves * layout.leaf_bytes); };
  return {{"buffer_bytes", static_cast<double>(buffer.bytes())},
          {"metadata_bytes", static_cast<double>((all - bits.outside + 7) / 8)},
          {"metadata_bits_per_block", per_block(all)},
          {"merge_bits_per_block", per_block(bits.merge)},
          {"size_bits_per_block", per_block(bits.size)},
          {"reserved_bytes", reserved(layout.reserved_leaves)},
          {"reserved_bytes_rounded", layout.reserved_leaves == 0 ? 0 : reserved(std::bit_ceil(layout.reserved_leaves))},
          {"leaf_bytes", static_cast<double>(layout.leaf_bytes)},
          {"external_fragmentation", external_fragmentation}};
}

template class BuddyHeapOf<designs::BuddyOfBuild>;

}  // namespace lab::allocator
