#include "variants/gpu_memory/family/movable.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::WholeCompaction>(
      LAB_VARIANT,
      {.idea =
           "The article's policy and its compaction, all at once: resources are sorted by size and move down, so that "
           "the ends of allocations are free.",
       .cost = "As io7m, and a load for each use of a resource. Compaction: O(n f) for n resources and f free spaces.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023)",
       .weakness = "One pass copies whatever it takes, and many resources twice."});
}
