#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>, WindowSort>,
                      Threading::kPool, ShiftedKeys>(
      LAB_VARIANT,
      {.idea = "version 7 with the sort of mt_thread_runs: a radix sort by the highest bits that differ between keys",
       .cost = "three or two passes, a look at all neighbours; two copies of the entries",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 7; "
           "the sort is ours",
       .weakness = "the copies, which entries in pairs would not need: it is here to show what the sort alone gains"});
}
