/// The Stingray buddy allocator in its own buffer, alone or behind something. Builds with assertions check every free.
/// It frees by pointer; a variant that frees by size hides that with its own.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

#include "variants/allocator/family/allocator.h"
#include "variants/designs/addresses/checked_buddy.h"

namespace lab::allocator {

/// Bits that a buddy allocator keeps for its blocks: to know that a buddy is free, to know a block's size, and others.
/// What it has once for all of them or for a level, such as heads of lists and magazines, is not among them.
struct BuddyBits {
  std::size_t merge, size, other = 0;
  std::size_t outside = 0;  ///< those of all these that do not lie in the buffer
};

/// What all buddy allocators count. Bits are per block of the tree at any level, of which the article counts 2^levels.
std::map<std::string, double> buddy_counters(const designs::BuddyLayout& layout, const BuddyBits& bits,
                                             const Buffer& buffer, double external_fragmentation);

template <typename Design>
class BuddyHeapOf {
 public:
  explicit BuddyHeapOf(const Demand& demand) : BuddyHeapOf(demand, buffer_bytes(demand), &designs::Buddy::plan) {}

  void* allocate(std::size_t bytes) { return buddy_.allocate(bytes); }
  void free(void* block) { buddy_.free(block); }
  std::size_t alignment(std::size_t bytes) const { return buddy_.layout().alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return buddy_.layout().block_bytes(bytes); }
  std::size_t largest_request() const { return buddy_.layout().largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return buddy_.layout().capacity(bytes); }
  std::size_t leaf_bytes() const { return buddy_.layout().leaf_bytes; }

  double external_fragmentation() const {
    double free_bytes = 0;
    buddy_.for_each_free([&](const void*, std::size_t bytes) { free_bytes += static_cast<double>(bytes); });
    return free_bytes == 0 ? 0 : 1 - static_cast<double>(buddy_.largest_free()) / free_bytes;
  }
  std::map<std::string, double> counters() const {
    return buddy_counters(buddy_.layout(), own_bits(), buffer_, external_fragmentation());
  }

 protected:
  /// The two bits of each inner block.
  BuddyBits own_bits() const {
    const std::size_t inner_blocks = std::size_t{1} << (buddy_.layout().levels - 1);
    return {.merge = inner_blocks, .size = inner_blocks};
  }

  static constexpr std::size_t kLeafBytes = 64;

  // Rounding to a power of two at most doubles a request. The rest is for the metadata (1 / (4 * leaf) of a tree that
  // is at most twice the buffer) and for fragmented free memory.
  static std::size_t buffer_bytes(const Demand& demand) { return 2 * demand.bytes + (demand.blocks + 64) * kLeafBytes; }

  using Plan = designs::PlannedBuddy (*)(void* buffer, std::size_t bytes, std::size_t leaf_bytes);
  BuddyHeapOf(const Demand& demand, std::size_t bytes, Plan plan)
      : buffer_(demand, bytes), buddy_(layout(buffer_, plan)) {}

  static designs::BuddyLayout layout(const Buffer& buffer, Plan plan) {
    const designs::PlannedBuddy planned = plan(buffer.begin(), buffer.bytes(), kLeafBytes);
    if (!planned.refusal.empty()) out_of_memory(buffer.bytes());
    return planned.layout;
  }

  Buffer buffer_;
  Design buddy_;
};

extern template class BuddyHeapOf<designs::BuddyOfBuild>;
using BuddyHeap = BuddyHeapOf<designs::BuddyOfBuild>;

class BuddySized : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void free(void* block, std::size_t bytes) { buddy_.free(block, bytes); }
};

}  // namespace lab::allocator
