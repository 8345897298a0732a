/// The Stingray buddy allocator in its own buffer, alone or behind something. Builds with assertions check every free.
/// Each variant adds its form of free().
#pragma once

#include <cstdlib>

#include "variants/allocator/family/allocator.h"
#include "variants/designs/addresses/checked_buddy.h"

namespace lab::allocator {

template <typename Design>
class BuddyHeapOf {
 public:
  explicit BuddyHeapOf(const Demand& demand) : buffer_(demand, buffer_bytes(demand)), buddy_(layout(buffer_)) {}

  void* allocate(std::size_t bytes) { return buddy_.allocate(bytes); }
  std::size_t alignment(std::size_t bytes) const { return buddy_.layout().alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return buddy_.layout().block_bytes(bytes); }
  std::size_t largest_request() const { return buddy_.layout().largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return buddy_.layout().capacity(bytes); }

  double external_fragmentation() const {
    double free_bytes = 0;
    buddy_.for_each_free([&](const void*, std::size_t bytes) { free_bytes += static_cast<double>(bytes); });
    return 1 - static_cast<double>(buddy_.largest_free()) / free_bytes;
  }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", static_cast<double>(buddy_.layout().metadata_bytes())},
            {"leaf_bytes", static_cast<double>(kLeafBytes)},
            {"external_fragmentation", external_fragmentation()}};
  }

 protected:
  static constexpr std::size_t kLeafBytes = 64;

  // Rounding to a power of two at most doubles a request. The rest is for the metadata (1 / (4 * leaf) of a tree that
  // is at most twice the buffer) and for fragmented free memory.
  static std::size_t buffer_bytes(const Demand& demand) { return 2 * demand.bytes + (demand.blocks + 64) * kLeafBytes; }

  static designs::BuddyLayout layout(const Buffer& buffer) {
    const designs::PlannedBuddy planned = designs::Buddy::plan(buffer.begin(), buffer.bytes(), kLeafBytes);
    if (!planned.refusal.empty()) out_of_memory(buffer.bytes());
    return planned.layout;
  }

  Buffer buffer_;
  Design buddy_;
};

extern template class BuddyHeapOf<designs::BuddyOfBuild>;
using BuddyHeap = BuddyHeapOf<designs::BuddyOfBuild>;

}  // namespace lab::allocator
