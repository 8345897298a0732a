#include "variants/allocator/family/pmr_pool.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::PmrPool<std::pmr::unsynchronized_pool_resource>>(
      LAB_VARIANT,
      {.idea = "The C++ standard library's pools: each serves one size from chunks that grow, with a bit for each free "
               "block; larger requests and chunks come from new.",
       .cost =
           "Allocate: a search of a chunk's bits. Free: a search for the chunk by address, O(log chunks). Two virtual "
           "calls a pair. Memory: pools up to half apart, one bit per block.",
       .source = "std::pmr::unsynchronized_pool_resource of C++17, in libstdc++",
       .weakness = "A chunk returns to its upstream only with the whole resource. Frees need the size."});
}
