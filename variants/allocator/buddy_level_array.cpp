#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddyLevelArray>>(
      LAB_VARIANT,
      {.idea = "Buddy with an XOR bit per pair: an array with 5 bits per leaf holds the level of the block that begins "
               "there; free(pointer).",
       .cost =
           "As buddy_xor, and a store or a load in the array. Memory: 3 bits per block, of which the array takes 2.5.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
       .weakness = "Three times the metadata of buddy_split, which can be taken from single leaves: rounded up to a "
                   "block it would be four."});
}
