/// The buddy allocator behind magazines. Each variant adds its form of free().
#pragma once

#include "variants/allocator/family/buddy_heap.h"
#include "variants/designs/addresses/buddy_magazines.h"

namespace lab::allocator {

template <designs::FreedBy kFreedBy>
class BuddyMagazinesHeap : public BuddyHeapOf<designs::BuddyMagazines<designs::BuddyOfBuild, kFreedBy>> {
  using Base = BuddyHeapOf<designs::BuddyMagazines<designs::BuddyOfBuild, kFreedBy>>;

 public:
  using Base::Base;

  std::size_t outside_bytes() const { return this->buddy_.outside_bytes(); }
  std::map<std::string, double> counters() const {
    std::map<std::string, double> all = Base::counters();
    all["metadata_bytes"] += static_cast<double>(outside_bytes());
    return all;
  }
};

class BuddyMagazinesSized : public BuddyMagazinesHeap<designs::FreedBy::kSize> {
 public:
  using BuddyMagazinesHeap::BuddyMagazinesHeap;
  void free(void* block, std::size_t bytes) { buddy_.free(block, bytes); }
};

}  // namespace lab::allocator
