#include "variants/designs/objects/free_list_pool.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::FreeListPool<T, lab::designs::InsideMarks, lab::designs::ListStart::kLazy>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "A free list that starts empty: slots that were never used are handed out by a counter.",
       .cost = "O(1), also to construct. Memory is touched when it is first used.",
       .source = "EASTL, fixed_pool (Electronic Arts)",
       .weakness = "One more test when the list is empty. The first use of each slot takes the page fault."},
      {.in_use = "inside the object"});
}
