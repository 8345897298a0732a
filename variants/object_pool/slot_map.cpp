#include "variants/designs/objects/slot_map.h"

#include "variants/object_pool/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return object_pool::make_variant<designs::SlotMap>(
      LAB_VARIANT,
      {.idea = "Objects without holes behind handles: the last object moves into the place of a dead one.",
       .cost = "O(1), and a move for each destruction. 12 bytes a slot. A walk reads live objects only.",
       .source = "Slot maps (Allan Deutsch, C++Now 2017); ours",
       .weakness = "An access reads the map first. Objects move, so pointers to them do not last."},
      {.in_use = "no holes"});
}
