#include "variants/allocator/family/deferred_fit_heap.h"
#include "variants/allocator/family/locked_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LockedHeap<allocator::DeferredFitSized>>(
      LAB_VARIANT,
      {.idea = "deferred_fit with sized free (deferred_fit_sized) behind one lock, for any number of threads.",
       .cost = "As deferred_fit_sized, and an atomic exchange for each call, also on one thread.",
       .source =
           "Our own; deferred coalescing after Wilson et al., Dynamic Storage Allocation (1995), behind a spin lock",
       .weakness = "The same as deferred_fit_sized; also, threads wait for each other at every call."});
}
