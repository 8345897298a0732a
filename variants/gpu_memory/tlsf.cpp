#include "variants/designs/offsets/tlsf.h"

#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::OffsetTlsf, gpu_memory::kByKind>>(
      LAB_VARIANT,
      {.idea = "Two-level segregated fit over offsets: lists of free spaces in bins, 32 for each doubling of the size.",
       .cost = "O(1).",
       .source = "Masmano et al., TLSF: A New Dynamic Memory Allocator for Real-Time Systems (2004)",
       .weakness = "Takes the first space of a larger bin, not the best; alignments are found by asking for more."});
}
