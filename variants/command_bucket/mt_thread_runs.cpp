#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/run_buckets.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<RunBuckets<CompactPacket, SortFromRuns, 256, false>, Threading::kPool, ShiftedKeys>(
      LAB_VARIANT,
      {.idea = "each thread fills runs of its own in pages of 256 entries, which it takes from a common store; a radix "
               "sort by the highest bits that differ reads the runs of all threads",
       .cost = "one atomic addition per 256 entries and per 16 KiB of packets; packets of 12 and 28 bytes; submitting "
               "prefetches",
       .source = "ours, after version 7 of the article",
       .weakness = "each thread leaves a page of each bucket partly used"});
}
