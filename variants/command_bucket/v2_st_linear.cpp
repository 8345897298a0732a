#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/linear.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::Linear>, designs::SlotCounter>, Threading::kOne>(
      LAB_VARIANT,
      {.idea = "all packets of a frame come from one buffer by advancing a pointer; the end of the frame frees "
               "everything at once",
       .cost = "one addition and one comparison per packet, no metadata; one thread",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 2",
       .weakness = "the buffer must hold the largest frame; nothing can be freed within a frame"});
}
