#include "variants/designs/objects/scan_pool.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::ScanPool<T, lab::designs::BitMarks>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "A bit for each slot, outside of the objects. Creation looks at 64 of them at a time.",
       .cost = "Creation: O(n / 64). A bit a slot.",
       .source = "Game Programming Patterns, Object Pool (Robert Nystrom, 2014), which says bit field and "
                 "prints an array of bool",
       .weakness = "Still O(n). Marking a slot is a read, a change and a write."},
      {.in_use = "outside, a bit each"});
}
