#include "variants/designs/objects/free_list_pool.h"
#include "variants/object_pool/family/chapter_story.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::FreeListPool<T>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::with_second_form(object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "Free slots form a list whose links lie in the dead objects' own bytes.",
       .cost = "O(1) to create and to destroy. No memory. Construction links all slots.",
       .source = "Game Programming Patterns, Object Pool (Robert Nystrom, 2014), the second form",
       .weakness = "A walk looks at every slot. A write to a dead object breaks the list."},
      {.in_use = "inside the object"}));
}
