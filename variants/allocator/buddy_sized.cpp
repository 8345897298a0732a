#include "variants/allocator/buddy_heap.h"
#include "variants/allocator/registration.h"

namespace lab::allocator {

class BuddySized : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void free(void* block, std::size_t bytes) { buddy_.free(block, bytes); }
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddySized>(
      LAB_VARIANT, {.idea = "The buddy allocator whose caller remembers the size: free(pointer, size) knows the level.",
                    .cost = "Allocate: a bit scan and a step a split. Free: a step a merge. Memory: one bit per block.",
                    .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), with a mask of "
                              "non-empty levels",
                    .weakness = "Those of the buddy allocator, and a wrong size corrupts it silently."});
}
