#include "variants/allocator/buddy_heap.h"
#include "variants/allocator/registration.h"

namespace lab::allocator {

class Buddy : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void free(void* block) { buddy_.free(block); }
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::Buddy>(
      LAB_VARIANT,
      {.idea =
           "Halves a buffer until a block fits; a freed block merges with its free half again. One XOR bit per pair, "
           "one split bit per inner block, in the buffer's first leaves; free(pointer) walks the split bits.",
       .cost =
           "Allocate: a bit scan and a step a split. Free: a step for each level under the block's, then one a merge. "
           "Memory: one bit per block, links in free blocks.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), with a mask of non-empty levels",
       .weakness = "Rounds up to powers of two, a third more memory for uniform sizes; of a buffer of 2^n bytes the "
                   "largest request gets half."});
}
