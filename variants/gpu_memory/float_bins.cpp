#include "variants/designs/offsets/float_bins.h"

#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::FloatBins, gpu_memory::kByKind>>(
      LAB_VARIANT,
      {.idea = "OffsetAllocator's idea: the size as a small floating-point number names the list of a free space, and "
               "two bit scans find it.",
       .cost = "O(1).",
       .source = "The idea of OffsetAllocator (Aaltonen, 2023), written anew",
       .weakness = "Rounds a request up to a bin, by up to an eighth, and has no alignment: it asks for the alignment "
                   "on top."});
}
