#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/item_buckets.h"
#include "variants/designs/offsets/slot_counter.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<ItemBuckets<DrawItem, designs::SaturatingSlotCounter>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "bgfx's scheme: a counter of draws that saturates; a draw's item and its key lie at its number, with "
               "what must be set before it",
       .cost = "one loop of compare-and-exchange per draw, and an item of a fixed size, aligned to a cache line; draws "
               "beyond the capacity are dropped and counted",
       .source =
           "B. Karadzic, bgfx: Frame::m_numRenderItems, advanced by an atomic addition that saturates, for each submit",
       .weakness =
           "all threads write to one counter for each bucket (bgfx: to one for all views), and to neighbouring "
           "keys; items have room for the most that a draw may need (here only for the arguments of this frame)"});
}
