#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddyFreeBit>>(
      LAB_VARIANT,
      {.idea = "Buddy: a bit per block tells whether it is free; free(pointer, size).",
       .cost = "Allocate: one step per level searched or split. Free: one step per merge. Memory: one bit per block.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
       .weakness = "Twice the bits of buddy_xor; a wrong size corrupts the heap silently."});
}
