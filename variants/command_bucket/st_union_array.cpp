#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/item_buckets.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<ItemBuckets<UnionItem, designs::SlotCounter>, Threading::kOne>(
      LAB_VARIANT,
      {.idea = "one array of unions of all commands for each bucket, told apart by a number: no packets, no pointers",
       .cost = "one addition and one comparison per command; every command takes as much as the largest; one thread",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                 "a reader's array of union packets, here with a key in each and sorted",
       .weakness = "a larger command makes all of them larger, and a new one changes the union"});
}
