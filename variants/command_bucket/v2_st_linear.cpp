#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/linear.h"
#include "variants/designs/offsets/slot_counter.h"

namespace lab {

using namespace command_bucket;

namespace {

constexpr std::size_t kGranule = kPacketAlignment;  // all packet sizes are multiples of it

}  // namespace

bench::Variant bench::this_variant() {
  return make_variant<Buckets<LinearPackets<designs::Linear<kGranule>, kGranule>, designs::SlotCounter>,
                      Threading::kOne>({
      .name = LAB_VARIANT,
      .idea = "all packets of a frame come from one buffer by advancing a pointer; the end of the frame frees "
              "everything at once",
      .cost = "one addition and one comparison per packet, no metadata; one thread",
      .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 2",
      .weakness = "the buffer must hold the largest frame; nothing can be freed within a frame",
  });
}

}  // namespace lab
