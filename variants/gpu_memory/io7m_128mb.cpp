#include "variants/designs/offsets/alignment_buckets.h"
#include "variants/gpu_memory/family/fixed_size.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using Policy = gpu_memory::Pools<designs::BestFit, gpu_memory::kByAlignment>;
  return gpu_memory::make_variant<gpu_memory::FixedSize<Policy, 128'000'000>>(
      LAB_VARIANT,
      {.idea = "The article's policy with allocations of 128 MB, whatever the heap.",
       .cost = "As io7m.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023)",
       .weakness = "The heap can be used up before each kind, alignment and memory type has an allocation."});
}
