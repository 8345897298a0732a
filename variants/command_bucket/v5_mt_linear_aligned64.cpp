#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/atomic_linear.h"
#include "variants/designs/offsets/slot_counter.h"

namespace lab {

using namespace command_bucket;

namespace {

constexpr std::size_t kGranule = 64;  // a cache line

}  // namespace

bench::Variant bench::this_variant() {
  return make_variant<Buckets<LinearPackets<designs::AtomicLinear<kGranule>, kGranule>, designs::AtomicSlotCounter>,
                      Threading::kPool>({
      .name = LAB_VARIANT,
      .idea = "version 4 with every packet rounded up to a cache line, so that no two threads write to the same line",
      .cost = "as version 4; twice the memory",
      .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 5",
      .weakness = "submit reads twice the memory; both counters are still shared",
  });
}

}  // namespace lab
