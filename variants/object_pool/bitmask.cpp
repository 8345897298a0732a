#include "variants/designs/objects/bitmask_pool.h"
#include "variants/object_pool/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<designs::BitmaskPool>(
      LAB_VARIANT,
      {.idea = "Two levels of 64-bit words say which slots are free. The lowest free slot is used first, so that what "
               "lives "
               "moves to the front.",
       .cost = "Creation: two words. A walk: a word for 64 slots, and the live objects in the order of addresses.",
       .source = "ours; bitmaps of slots are an old idea",
       .weakness = "Creation finds a slot that was not used lately, so its line may be out of the cache."},
      {.in_use = "outside, a bit each"});
}
