#include "variants/allocator/family/deferred_fit_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::DeferredFit>(
      LAB_VARIANT,
      {.idea =
           "bitmap_fit, but up to 8 freed blocks of each length wait for the next request of that length before they "
           "merge. All merge before a request is refused, and when no block is live.",
       .cost = "Allocate: mostly a pop. Free(pointer): a look at a bitmap and mostly a push. Memory: 1 % for the "
               "bookkeeping, and sizes rounded up to 64 bytes.",
       .source = "Our own; deferred coalescing after Wilson et al., Dynamic Storage Allocation (1995)",
       .weakness =
           "A request takes what waits, not the best place, so memory is somewhat more fragmented than bitmap_fit's. "
           "A request that nothing fits first merges up to 512 blocks."});
}
