#include "variants/designs/offsets/first_fit.h"

#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::FirstFit, gpu_memory::kByKind>>(
      LAB_VARIANT, {.idea = "First fit with merging: the lowest free space that holds a request aligned.",
                    .cost = "O(n): it walks the free spaces from the lowest one on.",
                    .source = "Knuth, The Art of Computer Programming, volume 1 (1968)",
                    .weakness = "Slow with many free spaces; small ones gather at the low end."});
}
