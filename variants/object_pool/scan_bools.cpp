#include "variants/designs/objects/scan_pool.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::ScanPool<T, lab::designs::BoolMarks>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "A bool for each slot, outside of the objects. Creation looks at all of them from the first on.",
       .cost = "Creation: O(n), 64 slots a cache line. A byte a slot.",
       .source = "Game Programming Patterns, Object Pool (Robert Nystrom, 2014), its generic pool",
       .weakness = "The fuller the pool, the slower is creation."},
      {.in_use = "outside, a bool each"});
}
