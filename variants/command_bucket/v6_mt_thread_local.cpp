#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::AtomicSlotCounter>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "each thread has its own linear allocator; only the bucket's entry is still claimed with an atomic "
               "addition",
       .cost = "one atomic addition per packet; each thread needs a buffer for a whole frame",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 6",
       .weakness = "different threads still write neighbouring entries of the bucket"});
}
