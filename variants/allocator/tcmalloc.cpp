#include "variants/common/mallocs/tcmalloc.h"

#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/third_party_heap.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::ThirdPartyHeap<Tcmalloc>>(
      LAB_VARIANT,
      {.idea =
           "Size classes with linked lists of free blocks, per thread; a central list moves batches between threads; "
           "spans of pages by a page map.",
       .cost = "A few instructions from the thread's list; many calls share the cost of a batch. Memory: 8 KiB pages, "
               "size classes at most 12.5 % of a block above a request.",
       .source = "Sanjay Ghemawat, Paul Menage: TCMalloc, in gperftools (the minimal library, without profilers)",
       .weakness = "The lists of a thread retain freed memory. The links lie in the freed blocks."});
}
