#include "variants/allocator/family/linear_heap.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/atomic_linear.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LinearHeap<designs::AtomicLinear<64>, 64>>(
      LAB_VARIANT,
      {.idea = "linear_atomic with sizes rounded up to 64 bytes, so that no two blocks share a cache line.",
       .cost = "Allocate: an atomic addition. Reset: one store. Memory: rounding up to 64 bytes.",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog, 2015), version 5",
       .weakness = "Small blocks take a cache line each, which is more memory to fill and to read."});
}
