#include "variants/command_bucket/family/command_bucket.h"
#include "variants/common/mallocs/tcmalloc.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<NewPackets<FreeOrder::kAllocation, Tcmalloc>, designs::SlotCounter>, Threading::kOne>(
      LAB_VARIANT,
      {.idea = "version 1 on tcmalloc: each packet is a block of its size classes; freed in the order of allocation",
       .cost = "one call of tcmalloc per packet; one thread",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 1; "
           "tcmalloc: Sanjay Ghemawat, Paul Menage: TCMalloc, in gperftools",
       .weakness = "packets are freed one by one after the frame"});
}
