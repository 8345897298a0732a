#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/atomic_linear.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::AtomicLinear>, designs::AtomicSlotCounter>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "version 2 on every core: one atomic addition advances the linear allocator, another claims the "
               "bucket's entry",
       .cost = "two atomic additions per packet, on cache lines that all cores share",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 4",
       .weakness = "packets of 20 and 36 bytes share cache lines: false sharing between cores that write neighbours"});
}
