#include "variants/designs/objects/generational_pool.h"
#include "variants/object_pool/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<designs::GenerationalPool>(
      LAB_VARIANT,
      {.idea = "A free list behind handles of a slot number and a generation, so that a handle of a dead "
               "object is found to be "
               "stale.",
       .cost = "O(1). An access compares the generation. 4 bytes a slot.",
       .source = "Handles instead of pointers: an old practice of engines; ours",
       .weakness = "Each access reads a second line. A handle of 2^31 uses ago would match again."},
      {.in_use = "outside, a generation each"});
}
