#include "variants/designs/offsets/deferred_ranges.h"

#include "variants/gpu_memory/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return gpu_memory::make_variant<gpu_memory::Pools<designs::DeferredRanges, gpu_memory::kByKind>>(
      LAB_VARIANT,
      {.idea = "best_fit, but freed parts wait in stacks by size class for the next request of their size, while an "
               "allocation is at most two thirds used. Only a miss asks best fit.",
       .cost = "A push or a pop if the part is aligned as requested; otherwise as best_fit.",
       .source = "Quick lists: Wilson et al., Dynamic Storage Allocation (1995)",
       .weakness = "Where alignments differ, the part on top of a stack is often not aligned. Full allocations have "
                   "best_fit's times, or slightly worse."});
}
