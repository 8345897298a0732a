#include "variants/command_bucket/command_bucket.h"
#include "variants/designs/slot_counter.h"

namespace lab {

using namespace command_bucket;

bench::Variant bench::this_variant() {
  return make_variant<NewPackets<FreeOrder::kAllocation>, designs::SlotCounter, Threading::kOne>({
      .name = LAB_VARIANT,
      .idea = "version 1, whose packets are freed in the order of allocation: those of the next frame are neighbours",
      .cost = "a call of the general allocator per packet, with its header and rounding; one thread",
      .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 1",
      .weakness = "packets lie wherever the heap had room, and are freed one by one after the frame; an "
                  "order of allocation is what a renderer seldom knows by then",
  });
}

}  // namespace lab
