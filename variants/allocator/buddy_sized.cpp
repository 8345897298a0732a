#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddySized>(
      LAB_VARIANT,
      {.idea = "The buddy allocator with sized free: free(pointer, size) computes the level.",
       .cost = "Allocate: a bit scan and one step per split. Free: one step per merge. Memory: one bit per block.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), with a mask of "
                 "non-empty levels",
       .weakness = "The same as buddy; also, a wrong size corrupts the heap silently."});
}
