#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>, Threading::kPool,
                      FunctionPointerKeys>(
      LAB_VARIANT,
      {.idea = "version 7 with keys that a function makes, called through a pointer: the layout can change while the "
               "program runs",
       .cost = "one indirect call per key, which is well predicted",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                 "the author's answer to how layouts may change",
       .weakness = "the function cannot be inlined"});
}
