#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>, StdSort>,
                      Threading::kPool, ShiftedKeys>(
      LAB_VARIANT,
      {.idea = "version 7 with std::sort: introsort of pairs of key and address",
       .cost =
           "O(n log n) comparisons, of which about half are mispredicted in random order; two copies of the entries",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 7; "
           "D. Musser, Introspective Sorting and Selection Algorithms (1997)",
       .weakness = "slower than a radix sort from some hundred entries on"});
}
