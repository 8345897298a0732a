/// A front of size classes over the buddy allocator, in its own buffer. Each variant adds its form of free().
#pragma once

#include <map>
#include <string>

#include "variants/allocator/family/allocator.h"
#include "variants/allocator/family/free_memory.h"
#include "variants/designs/addresses/size_class_buddy.h"

namespace lab::allocator {

class SizeClassHeap {
 public:
  explicit SizeClassHeap(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)),
        design_(accepted(designs::SizeClassBuddy::plan(buffer_.begin(), buffer_.bytes()), buffer_)) {}

  void* allocate(std::size_t bytes) { return design_.allocate(bytes); }
  std::size_t alignment(std::size_t bytes) const { return design_.alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return design_.block_bytes(bytes); }
  std::size_t largest_request() const { return design_.largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return design_.capacity(bytes); }
  std::size_t leaf_bytes() const { return designs::SizeClassBuddy::kLeafBytes; }

  double external_fragmentation() const {
    FreeMemory free;
    design_.for_each_free([&](const void*, std::size_t bytes) { free.add(bytes); });
    return free.fragmentation();
  }
  std::map<std::string, double> counters() const {
    // As of any buddy: per block of the tree down to the smallest one. Magazines are per size.
    const auto blocks = static_cast<double>(2 * design_.tree_bytes() / designs::BlockSizes::kGranule);
    const auto metadata_bytes = static_cast<double>(design_.metadata_bytes());
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", metadata_bytes},
            {"metadata_bits_per_block", 8 * metadata_bytes / blocks},
            {"external_fragmentation", external_fragmentation()}};
  }

 protected:
  // Rounding a large request to a power of two at most doubles it. The rest is for spans with few blocks in use: one of
  // each class takes two megabytes.
  static std::size_t buffer_bytes(const Demand& demand) {
    constexpr std::size_t kPartlyUsedSpans = std::size_t{4} << 20, kPerBlock = 64;
    return 2 * demand.bytes + demand.blocks * kPerBlock + kPartlyUsedSpans;
  }

  Buffer buffer_;
  designs::SizeClassBuddy design_;
};

class BuddySizeClassesSized : public SizeClassHeap {
 public:
  using SizeClassHeap::SizeClassHeap;
  void free(void* block, std::size_t bytes) { design_.free(block, bytes); }
};

}  // namespace lab::allocator
