#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<
      gpu_memory::Pools<designs::BestFit, designs::Grouping{.by_kind = false, .by_alignment = true}>>(
      LAB_VARIANT,
      {.idea =
           "The article's policy, but images and buffers of one alignment and memory type share allocations, in blocks "
           "of at least the device's bufferImageGranularity.",
       .cost = "As io7m.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023), which keeps textures apart from buffers",
       .weakness = "Where the granularity is large, every small buffer is rounded up to it."});
}
