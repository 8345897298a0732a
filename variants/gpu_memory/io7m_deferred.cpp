#include "variants/designs/offsets/deferred_ranges.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::DeferredRanges, gpu_memory::kByAlignment>>(
      LAB_VARIANT,
      {.idea = "The article's policy, but freed parts wait in stacks by size class for the next request of their size, "
               "while "
               "an allocation is at most two thirds used. Only a miss asks best fit.",
       .cost = "A push or a pop; otherwise as io7m. At most 1,024 parts of an allocation wait.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023); quick lists: Wilson et al. (1995)",
       .weakness =
           "Parts are rounded up by less than an eighth in allocations that have room. Full allocations have io7m's "
           "times, or slightly worse."});
}
