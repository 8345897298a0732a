#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>, Threading::kPool,
                      ShiftedKeys>(
      LAB_VARIANT,
      {.idea = "version 6 with a thread claiming 32 entries of a bucket at a time: 31 of 32 packets touch no shared "
               "data",
       .cost = "one atomic addition per 32 packets and bucket; up to 31 more entries per bucket and thread",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 7",
       .weakness = "unused entries of a block are holes, which must be closed before the sort"},
      {.pictures = true});
}
