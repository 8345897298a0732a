#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddyListWalk>>(
      LAB_VARIANT,
      {.idea =
           "Buddy, first rung: a search of the level's free list tells whether the buddy is free; free(pointer, size).",
       .cost = "Allocate: one step per level searched or split. Free: a walk over the free blocks of each level that "
               "merges. No metadata.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
       .weakness = "A free is linear in the number of free blocks of a size, each a cache miss."});
}
