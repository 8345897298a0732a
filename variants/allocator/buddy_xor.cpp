#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddyXor>>(
      LAB_VARIANT,
      {.idea = "Buddy: one bit per pair of buddies, set if exactly one of them is free; free(pointer, size).",
       .cost =
           "Allocate: one step per level searched or split. Free: one step per merge. Memory: half a bit per block.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
       .weakness = "A wrong size corrupts the heap silently."});
}
