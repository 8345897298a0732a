#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

namespace lab {

using namespace command_bucket;

bench::Variant bench::this_variant() {
  return make_variant<
      Buckets<LinearPackets<designs::ThreadLocalLinear<kPacketAlignment>, kPacketAlignment>, designs::SlotBlocks<>>,
      Threading::kPool, MaskedKeys>({
      .name = LAB_VARIANT,
      .idea =
          "version 7 with keys that are shifted and masked by hand: each field keeps to its bits, whatever it holds",
      .cost = "an and for each field whose width the compiler does not know, as with bit fields",
      .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                "what the author recommends in place of bit fields",
      .weakness = "where fields have no bits above their width, as here, the masks do nothing",
  });
}

}  // namespace lab
