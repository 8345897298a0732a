#include "variants/designs/offsets/first_fit.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::FirstFit, gpu_memory::kByAlignment>>(
      LAB_VARIANT, {.idea = "The article's policy with first fit instead of best fit: what the search is worth.",
                    .cost = "O(n): it walks the free spaces of an allocation from the lowest one on.",
                    .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023), which takes best fit",
                    .weakness = "Slow with many free spaces; small ones gather at the low end."});
}
