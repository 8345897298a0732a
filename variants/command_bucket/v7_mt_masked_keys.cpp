#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>, Threading::kPool,
                      MaskedKeys>(
      LAB_VARIANT,
      {.idea =
           "version 7 with keys that are shifted and masked by hand: each field keeps to its bits, whatever it holds",
       .cost = "an and for each field whose width the compiler does not know, as with bit fields",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                 "what the author recommends in place of bit fields",
       .weakness = "where fields have no bits above their width, as here, the masks do nothing"});
}
