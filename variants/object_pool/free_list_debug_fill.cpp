#include "variants/designs/objects/free_list_pool.h"
#include "variants/object_pool/family/registration.h"

namespace {
template <typename T>
using Pool = lab::designs::FreeListPool<T, lab::designs::InsideMarks, lab::designs::ListStart::kThreaded,
                                        lab::designs::DeadObjects::kFilled>;
}

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<Pool>(
      LAB_VARIANT,
      {.idea = "A free list that fills dead objects with 0x1deadb0b and looks whether the fill is intact when the slot "
               "is used "
               "again.",
       .cost = "A write and a read of the whole object for each life.",
       .source = "Game Programming Patterns, Object Pool (Robert Nystrom, 2014): \"I'd be honored if you clear it to "
                 "0x1deadb0b\"",
       .weakness = "Does not see a write to the first 8 bytes, the link, or to the mark. A write is found late."},
      {.in_use = "inside the object", .finds = "writes to dead objects"});
}
