#include "variants/allocator/family/buddy_magazines_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddyMagazinesHeap<designs::FreedBy::kPointer>>(
      LAB_VARIANT,
      {.idea =
           "The buddy allocator behind magazines: each level has a stack of the 32 blocks that were freed last, which "
           "serves the next requests without split, merge or a look at the block's memory.",
       .cost = "Allocate: a load and a count as long as the magazine is not empty. Free: one step per six levels of "
               "the tree finds the size, then a store; half a magazine at once goes to the buddy allocator. Memory: "
               "one bit "
               "per block; beside the buffer one bit per leaf and 264 bytes per level.",
       .source = "Jeff Bonwick, Jonathan Adams: Magazines and Vmem (USENIX 2001), over the buddy allocator of the "
                 "Stingray blog",
       .weakness = "Rounds up to powers of two. A block in a magazine does not merge until the magazine is full or a "
                   "request would be refused, and then many do at once."});
}
