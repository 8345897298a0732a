#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<sizeof(std::size_t)>>,
                      Threading::kPool>(
      LAB_VARIANT,
      {.idea = "version 7 with the threads' counters side by side in one array, as the article prints it: they share "
               "cache lines",
       .cost = "as version 7, and with several threads a cache line that moves between cores for each entry",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 7 "
                 "as printed; that its arrays are padded stands in an answer to a reader",
       .weakness = "false sharing: it is here to show what the padding gains"});
}
