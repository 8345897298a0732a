#include "variants/command_bucket/family/command_bucket.h"
#include "variants/common/mallocs/jemalloc.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<NewPackets<FreeOrder::kSubmission, Jemalloc>, designs::SlotCounter>, Threading::kOne>(
      LAB_VARIANT,
      {.idea = "version 1 on jemalloc: each packet is a block of its size classes; freed in the order of submission",
       .cost = "one call of jemalloc per packet; one thread",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 1; "
           "jemalloc: Jason Evans, A Scalable Concurrent malloc(3) Implementation for FreeBSD (2006)",
       .weakness = "packets are freed one by one after the frame, and the order scatters those of the next frame"});
}
