#include "variants/command_bucket/command_bucket.h"
#include "variants/designs/linear.h"
#include "variants/designs/slot_counter.h"

namespace lab {

using namespace command_bucket;

namespace {

constexpr std::size_t kGranule = kPacketAlignment;  // both packet sizes are multiples of it

}  // namespace

bench::Variant bench::this_variant() {
  return make_variant<LinearPackets<designs::Linear<kGranule>, kGranule>, designs::SlotCounter, Threading::kOne>({
      .name = LAB_VARIANT,
      .idea = "all packets of a frame come from one buffer by moving a pointer; the frame's end takes everything back "
              "at once",
      .cost = "an addition and a comparison per packet, no byte beside the packets; one thread",
      .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 2",
      .weakness = "the buffer holds a frame at its largest; nothing can be freed within a frame",
  });
}

}  // namespace lab
