#include "variants/designs/objects/separate_list_pool.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::SeparateListPool<T>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "A separate list of the free slots: an array of pointers beside the objects, used as a stack.",
       .cost = "O(1) to create and to destroy. A pointer a slot. Construction writes all of them.",
       .source = "Game Programming Patterns, Object Pool (Robert Nystrom, 2014): what its free list saves",
       .weakness = "A walk looks at every slot."},
      {.in_use = "inside the object"});
}
