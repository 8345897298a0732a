#include "variants/designs/offsets/unmerged_fit.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::UnmergedFit, gpu_memory::kByAlignment>>(
      LAB_VARIANT,
      {.idea = "The article's policy, but free spaces beside each other never merge until their allocation is empty: "
               "what merging is worth.",
       .cost = "As io7m, with as many free spaces as parts that were cut.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023), which merges them",
       .weakness = "Large resources find no place among many small free spaces, and need further allocations."});
}
