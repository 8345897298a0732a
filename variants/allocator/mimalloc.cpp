#include "variants/common/mallocs/mimalloc.h"

#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/third_party_heap.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::ThirdPartyHeap<Mimalloc>>(
      LAB_VARIANT,
      {.idea = "Each page serves one size class and has its own free list; a thread owns its pages.",
       .cost = "Allocate and free: a few instructions on a page's list. Memory: size classes at most 12.5 % apart.",
       .source = "Leijen, Zorn, de Moura: Mimalloc: Free List Sharding in Action (2019)",
       .weakness = "A page serves one size class until all its blocks are free."});
}
