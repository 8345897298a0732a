#include "variants/command_bucket/family/command_bucket.h"
#include "variants/designs/addresses/atomic_linear.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  constexpr std::size_t kCacheLine = 64;
  return make_variant<Buckets<LinearPackets<designs::AtomicLinear, kCacheLine>, designs::AtomicSlotCounter>,
                      Threading::kPool>(
      LAB_VARIANT,
      {.idea = "version 4 with every packet rounded up to a cache line, so that no two threads write to the same line",
       .cost = "as version 4; twice the memory",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), version 5",
       .weakness = "submit reads twice the memory; both counters are still shared"});
}
