#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>, Threading::kPool,
                      BitFieldKeys>(
      LAB_VARIANT,
      {.idea = "version 7 with keys that the compiler puts together from bit fields",
       .cost = "as many instructions as shifting and masking, if the compiler merges the fields well",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                 "the author expects shifting to be faster",
       .weakness = "the order of bit fields is the compiler's choice; a layout is fixed when the program is compiled"});
}
