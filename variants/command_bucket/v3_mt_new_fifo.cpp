#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<NewPackets<FreeOrder::kAllocation>, designs::AtomicSlotCounter>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "version 3 with packets freed in the order of their addresses, so that each thread's next packets are "
               "neighbours in memory",
       .cost = "one call of the general allocator and one atomic addition per packet",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 3",
       .weakness =
           "threads share the heap, the counter's cache line, and the lines of neighbouring entries; one thread "
           "frees all packets"});
}
