#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/run_buckets.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<RunBuckets<CompactPacket, SortFromRuns, 256, true>, Threading::kPool>(
      LAB_VARIANT,
      {.idea = "mt_thread_runs with its buckets sorted at the same time, each by one worker",
       .cost = "as mt_thread_runs; scratch memory for each bucket",
       .source = "ours, after version 7 of the article",
       .weakness = "three buckets keep at most three workers busy, and two workers no better than two thirds"});
}
