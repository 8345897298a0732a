#include "variants/designs/offsets/best_fit.h"

#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::BestFit, gpu_memory::kByKind>>(
      LAB_VARIANT,
      {.idea = "Best fit with merging over all alignments together: of all free spaces that hold a request aligned, "
               "the smallest.",
       .cost = "As io7m; where a free space holds a request but not aligned, also a step for each such space.",
       .source = "The best fit of Vulkan Memory Allocation (Part 1 of N) (io7m, 2023), without its grouping",
       .weakness = "Resources of small alignments break up the places for large ones."});
}
