#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddyHash>>(
      LAB_VARIANT,
      {.idea = "Buddy with an XOR bit per pair: a hash table by address, outside of the buffer, holds the sizes; "
               "free(pointer).",
       .cost =
           "As buddy_xor, and an insertion and a removal in open addressing with linear probing. Memory: half a "
           "bit per block, and 16 to 32 bytes per live block at the most live blocks so far, half as much again while "
           "the table grows.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
       .weakness =
           "A cache miss per call in the table, which never shrinks; a call that makes the table grow is linear."});
}
