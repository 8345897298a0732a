#include "variants/allocator/family/locked_heap.h"
#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/size_class_heap.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LockedHeap<allocator::BuddySizeClassesSized>>(
      LAB_VARIANT,
      {.idea = "The front of size classes over the buddy allocator with sized free (buddy_size_classes_sized), all "
               "behind one lock, for any number of threads.",
       .cost = "As buddy_size_classes_sized, and an atomic exchange for each call, also on one thread.",
       .source = "Ours: slabs over buddies, magazines and span words, each common practice, behind a spin lock",
       .weakness = "The same as buddy_size_classes_sized; also, threads wait for each other at every call."});
}
