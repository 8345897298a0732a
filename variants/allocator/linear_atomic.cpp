#include "variants/allocator/family/linear_heap.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/atomic_linear.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LinearHeap<designs::AtomicLinear<16>, 16>>(
      LAB_VARIANT,
      {.idea = "The linear allocator for several threads: one atomic addition advances the pointer that all share.",
       .cost = "Allocate: an atomic addition, with or without another thread. Reset: one store. No metadata.",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog, 2015), version 4",
       .weakness =
           "Blocks of several threads share cache lines. A refused request takes the rest of the buffer with it."});
}
