#include "variants/allocator/family/buddy_magazines_heap.h"
#include "variants/allocator/family/locked_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LockedHeap<allocator::BuddyMagazinesSized>>(
      LAB_VARIANT, {.idea = "The buddy allocator behind magazines with sized free (buddy_magazines_sized), all behind "
                            "one lock, for any number of threads.",
                    .cost = "As buddy_magazines_sized, and an atomic exchange for each call, also on one thread.",
                    .source = "Jeff Bonwick, Jonathan Adams: Magazines and Vmem (USENIX 2001), but with one set of "
                              "magazines for all threads, behind a spin lock",
                    .weakness = "The same as buddy_magazines_sized; also, threads wait for each other at every call."});
}
