#include "variants/allocator/family/buddy_heap.h"

namespace lab::allocator {

double BuddyHeap::external_fragmentation() const {
  double free_bytes = 0;
  buddy_.for_each_free([&](const void*, std::size_t bytes) { free_bytes += static_cast<double>(bytes); });
  return 1 - static_cast<double>(buddy_.largest_free()) / free_bytes;
}

std::map<std::string, double> BuddyHeap::counters() const {
  return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
          {"metadata_bytes", static_cast<double>(buddy_.layout().metadata_bytes())},
          {"leaf_bytes", static_cast<double>(kLeafBytes)},
          {"external_fragmentation", external_fragmentation()}};
}

}  // namespace lab::allocator
