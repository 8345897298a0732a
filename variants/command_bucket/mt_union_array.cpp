#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/item_buckets.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<ItemBuckets<UnionItem, designs::AtomicSlotCounter>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "the array of union packets, filled by several threads",
       .cost = "one atomic addition per command; every command takes as much as the largest",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                 "a reader's array of union packets, here with a key in each, sorted, and on several threads",
       .weakness = "all threads write to one counter and to neighbouring items"});
}
