#include "variants/designs/objects/scan_pool.h"
#include "variants/object_pool/family/chapter_story.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::ScanPool<T>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::with_first_form(object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "Each object says whether it is in use. Creation looks at all of them from the first on.",
       .cost = "Creation: O(n), a cache line for each object before the first free one. No memory.",
       .source = "Game Programming Patterns, Object Pool (Robert Nystrom, 2014), the first form",
       .weakness = "The fuller the pool, the slower is creation; it is slowest when it fails."},
      {.in_use = "inside the object"}));
}
