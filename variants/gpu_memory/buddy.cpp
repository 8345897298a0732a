#include "variants/designs/offsets/range_buddy.h"
#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::RangeBuddy, gpu_memory::kByKind>>(
      LAB_VARIANT, {.idea = "The buddy allocator over offsets: blocks of a power of two, aligned to their size, so "
                            "that no alignment costs a gap.",
                    .cost = "O(log n): a step for each split or merge. Bits and links for each leaf.",
                    .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
                    .weakness = "Rounds every request up to a power of two."});
}
