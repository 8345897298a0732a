/// The buddy allocator behind magazines, freed by pointer and by size.
#pragma once

#include "variants/allocator/family/buddy_heap.h"
#include "variants/designs/addresses/buddy_magazines.h"

namespace lab::allocator {

template <designs::FreedBy kFreedBy>
class BuddyMagazinesHeap : public BuddyHeapOf<designs::BuddyMagazines<designs::BuddyOfBuild, kFreedBy>> {
  using Base = BuddyHeapOf<designs::BuddyMagazines<designs::BuddyOfBuild, kFreedBy>>;

 public:
  using Base::Base;

  std::size_t allocated_bytes() const { return this->buddy_.allocated_bytes(); }
  std::map<std::string, double> counters() const {
    BuddyBits bits = Base::own_bits();
    bits.outside = 8 * this->buddy_.index_bytes();
    bits.size += bits.outside;
    return buddy_counters(this->buddy_.layout(), bits, this->buffer_, this->external_fragmentation());
  }
};

class BuddyMagazinesSized : public BuddyMagazinesHeap<designs::FreedBy::kSize> {
 public:
  using BuddyMagazinesHeap::BuddyMagazinesHeap;
  void free(void* block, std::size_t bytes) { buddy_.free(block, bytes); }
};

}  // namespace lab::allocator
