#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<
      gpu_memory::Pools<designs::BestFit, designs::Grouping{.by_kind = true, .by_alignment = true, .by_size = true}>>(
      LAB_VARIANT, {.idea = "The article's policy, and an allocation also serves resources of one size P alone, "
                            "rounded up to a power of two.",
                    .cost = "As io7m, and a hash of the size.",
                    .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023), which expects it to be worse",
                    .weakness = "Each size holds an allocation, so a heap can be used up while most of it is free."});
}
