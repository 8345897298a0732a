#include "variants/designs/objects/next_fit_pool.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::NextFitPool<T>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "A scan that goes on where the last one ended.",
       .cost = "Creation: 1 / (1 - share in use) slots, if the free ones are spread evenly.",
       .source = "Next fit: Donald Knuth, The Art of Computer Programming, volume 1, 2.5",
       .weakness =
           "Visits all slots in turn, so that each creation finds a line that is out of the cache. O(n) if full."},
      {.in_use = "inside the object"});
}
