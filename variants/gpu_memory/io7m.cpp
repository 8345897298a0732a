#include "variants/designs/offsets/alignment_buckets.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::BestFit, gpu_memory::kByAlignment>>(
      LAB_VARIANT,
      {.idea =
           "The article's policy: an allocation serves resources of one kind, alignment S and memory type T, by best "
           "fit in blocks of S. Its size is max(M, H / K): the largest resource, or a part of the heap.",
       .cost =
           "O(1), and a step for each smaller free space of nearly the same size. 32 bytes a resource or free space.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023)",
       .weakness = "Each combination of kind, S and T has a partly used allocation."});
}
