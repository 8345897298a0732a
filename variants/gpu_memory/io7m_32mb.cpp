#include "variants/designs/offsets/alignment_buckets.h"
#include "variants/gpu_memory/family/fixed_size.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using Policy = gpu_memory::Pools<designs::BestFit, gpu_memory::kByAlignment>;
  return gpu_memory::make_variant<gpu_memory::FixedSize<Policy, 32'000'000>>(
      LAB_VARIANT, {.idea = "The article's policy with allocations of 32 MB, whatever the heap.",
                    .cost = "As io7m.",
                    .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023)",
                    .weakness = "A resource above 32 MB needs an allocation of its own, and there are four times as "
                                "many allocations as with 128 MB."});
}
