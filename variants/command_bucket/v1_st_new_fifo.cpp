#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<NewPackets<FreeOrder::kAllocation>, designs::SlotCounter>, Threading::kOne>(
      LAB_VARIANT,
      {.idea =
           "version 1 with packets freed in the order of allocation: those of the next frame are neighbours in memory",
       .cost = "one call of the general allocator per packet, with its header and rounding; one thread",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 1",
       .weakness = "packets are freed one by one after the frame; a renderer seldom knows the order of "
                   "allocation by then"});
}
