#include "variants/gpu_memory/family/named_pools.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Hinted>(
      LAB_VARIANT,
      {.idea =
           "The article's policy, told beforehand how many bytes of each kind, alignment and memory type the program "
           "will hold at most. Allocations are as large as that needs, with an eighth to spare.",
       .cost = "As io7m.",
       .source = "Vulkan Memory Allocation (Part 1 of N) (io7m, 2023), which names hints and no rule for them",
       .weakness = "A program that holds more than it said gets many small allocations."});
}
