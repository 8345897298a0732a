#include "variants/gpu_memory/family/registration.h"
#include "variants/gpu_memory/family/vma_range.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using Range = gpu_memory::VmaRangeOf<gpu_memory::VmaStrategy::kDefault>;
  return gpu_memory::make_variant<gpu_memory::Pools<Range, gpu_memory::kByKind>>(
      LAB_VARIANT,
      {.idea = "VulkanMemoryAllocator's virtual blocks, with the default strategy: an allocation serves resources of "
               "one kind and memory "
               "type, of all alignments.",
       .cost = "O(1) where sizes are multiples of their alignment; otherwise a search of lists of free spaces.",
       .source = "VulkanMemoryAllocator (AMD), vmaVirtualAllocate",
       .weakness =
           "A free space that holds a request's bytes may not hold them aligned, so sizes that are no multiples of "
           "large alignments make it search long."});
}
