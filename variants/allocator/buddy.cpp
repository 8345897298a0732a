#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/buddy_story.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::with_story(allocator::make_variant<allocator::BuddyHeap>(
      LAB_VARIANT,
      {.idea = "Splits a buffer in halves until a block fits; a freed block merges with its buddy if that is free. One "
               "XOR bit per pair and one split bit per inner block, in the first leaves; free(pointer) looks "
               "whether it is a leaf, else walks the split bits down from the largest block that its address allows.",
       .cost = "Allocate: a bit scan and one step per split. Free: one step per level from there to the block's, then "
               "one per merge. Memory: one bit per block, links in free blocks.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), with a mask of non-empty levels",
       .weakness =
           "Rounds up to powers of two, which takes a third more memory for uniform sizes. The largest request is "
           "half of a buffer of 2^n bytes."}));
}
