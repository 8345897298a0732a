#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<NewPackets<FreeOrder::kSubmission>, designs::SlotCounter>, Threading::kOne>(
      LAB_VARIANT,
      {.idea =
           "each packet is allocated with global operator new; its key and address go to the next entry of the bucket",
       .cost = "one call of the general allocator per packet, with its header and rounding; one thread",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 1",
       .weakness = "packets are scattered over the heap and are freed one by one after the frame, here in the "
                   "order of submission, which scatters those of the next frame"});
}
