#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/locked_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LockedHeap<allocator::BuddySized>>(
      LAB_VARIANT,
      {.idea =
           "The article's buddy allocator with sized free (buddy_sized) behind one lock, for any number of threads.",
       .cost = "As buddy_sized, and an atomic exchange for each call, also on one thread.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), behind a spin lock",
       .weakness = "The same as buddy_sized; also, threads wait for each other at every call."});
}
