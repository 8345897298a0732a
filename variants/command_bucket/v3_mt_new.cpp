#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<NewPackets<FreeOrder::kSubmission>, designs::AtomicSlotCounter>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "version 1 on every core: operator new is already thread-safe; an atomic addition claims the entry",
       .cost = "one call of the general allocator and one atomic addition per packet",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 3",
       .weakness =
           "threads share the heap, the counter's cache line, and the lines of neighbouring entries; one thread "
           "frees all packets, here in the order of submission"});
}
