#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddySplit>>(
      LAB_VARIANT, {.idea = "The buddy allocator as the article ends: an XOR bit per pair, and a split bit per inner "
                            "block, which free(pointer) walks.",
                    .cost = "Allocate: one step per level searched or split. Free: one step per level below the "
                            "block's, then one per merge. Memory: one bit per block.",
                    .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
                    .weakness = "Looks at the free lists one after the other, and at two tables; buddy has a mask of "
                                "the lists, and both bits in one word."});
}
