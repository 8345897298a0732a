#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/size_class_heap.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddySizeClassesSized>(
      LAB_VARIANT, {.idea = "The front of size classes over the buddy allocator with sized free: free(pointer, size) "
                            "computes the class.",
                    .cost = "The same as buddy_size_classes, without the load of a byte in a free.",
                    .source = "Ours: slabs over buddies, magazines and span words, each common practice",
                    .weakness = "The same as buddy_size_classes; also, a wrong size corrupts the heap silently."});
}
