#include "variants/allocator/family/deferred_fit_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::DeferredFitSized>(
      LAB_VARIANT,
      {.idea =
           "deferred_fit with sized free: free(pointer, size) knows the length and reads no bookkeeping to let a block "
           "wait.",
       .cost = "Allocate and free: mostly a pop and a push on a stack of 8. Memory: as deferred_fit.",
       .source = "Our own; deferred coalescing after Wilson et al., Dynamic Storage Allocation (1995)",
       .weakness = "The same as deferred_fit; also, a wrong size corrupts the heap silently."});
}
