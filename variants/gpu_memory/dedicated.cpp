#include "variants/gpu_memory/family/named_pools.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::OwnAllocations>(
      LAB_VARIANT,
      {.idea = "vkAllocateMemory for each resource.",
       .cost = "A call of the driver each. The simulated device answers in less than 100 ns; lavapipe takes "
               "microseconds, as probe --allocate shows.",
       .source = "What Vulkan Memory Allocation (Part 1 of N) (io7m, 2023) warns of",
       .weakness = "A device may allow no more than 4,096 allocations."});
}
