#include "variants/allocator/family/buddy_magazines_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddyMagazinesSized>(
      LAB_VARIANT,
      {.idea = "The buddy allocator behind magazines with sized free: free(pointer, size) computes the level.",
       .cost =
           "A load, a store and a count as long as the magazine is neither empty nor full; else as buddy_sized, half a "
           "magazine at once. Memory: one bit per block, 264 bytes per level beside the buffer.",
       .source = "Jeff Bonwick, Jonathan Adams: Magazines and Vmem (USENIX 2001), over the buddy allocator of the "
                 "Stingray blog",
       .weakness = "The same as buddy_magazines; also, a wrong size corrupts the heap silently."});
}
