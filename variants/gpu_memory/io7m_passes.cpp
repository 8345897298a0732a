#include "variants/gpu_memory/family/movable.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::BoundedPasses>(
      LAB_VARIANT,
      {.idea = "The article's policy behind handles, and defragmentation in passes of a bounded size: the least used "
               "allocations are emptied, then holes are closed towards the beginning.",
       .cost = "As io7m, and a load for each use of a resource. A pass takes O(n log n) for n resources.",
       .source =
           "The policy: Vulkan Memory Allocation (Part 1 of N) (io7m, 2023). Bounded passes: VulkanMemoryAllocator. "
           "Which resources move: ours",
       .weakness = "A resource above the bound of a pass never moves. A space too small for what is behind it stays."});
}
