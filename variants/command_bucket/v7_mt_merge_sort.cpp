#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>, MergeSort>,
                      Threading::kPool, ShiftedKeys>(
      LAB_VARIANT,
      {.idea = "version 7 with sorted runs that are merged: 16 runs by std::sort, merged in pairs in four levels",
       .cost = "O(n log n) comparisons; two copies of the entries",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 7; "
           "D. Knuth, The Art of Computer Programming, volume 3, 5.2.4 (sorting by merging)",
       .weakness = "slower than a radix sort; its runs could be sorted by several threads, and are not"});
}
