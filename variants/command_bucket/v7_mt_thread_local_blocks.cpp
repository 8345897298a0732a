#include "variants/command_bucket/command_bucket.h"
#include "variants/designs/slot_blocks.h"
#include "variants/designs/thread_local_linear.h"

namespace lab {

using namespace command_bucket;

namespace {

constexpr std::size_t kGranule = kPacketAlignment;  // both packet sizes are multiples of it
constexpr std::size_t kBlock = 32;                  // entries: 256 bytes of keys, and of addresses

}  // namespace

bench::Variant bench::this_variant() {
  return make_variant<LinearPackets<designs::ThreadLocalLinear<kGranule>, kGranule>, designs::SlotBlocks<kBlock>,
                      Threading::kPool>({
      .name = LAB_VARIANT,
      .idea = "version 6, and a thread claims 32 entries of a bucket at a time: 31 of 32 packets touch nothing that is "
              "shared",
      .cost = "one atomic addition per 32 packets and bucket; per bucket up to 31 entries more for each thread",
      .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 7",
      .weakness = "entries of a block that stay unused are holes, which must be closed before the sort",
  });
}

}  // namespace lab
