#include "variants/common/mallocs/jemalloc.h"

#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/third_party_heap.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::ThirdPartyHeap<Jemalloc>>(
      LAB_VARIANT,
      {.idea = "Size classes in slabs, a cache per thread in front of arenas; metadata apart from the blocks.",
       .cost = "A few instructions from the cache; many calls share the cost of a fill or a flush. Memory: size "
               "classes at most 25 % apart.",
       .source = "Jason Evans, A Scalable Concurrent malloc(3) Implementation for FreeBSD (2006)",
       .weakness = "Its caches retain freed memory, for each thread."});
}
