#include "variants/command_bucket/family/command_bucket.h"
#include "variants/command_bucket/family/run_buckets.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace command_bucket;
  return make_variant<RunBuckets<ArticlePacket, MergeSortedRuns, kWholeBucket, false>, Threading::kPool, ShiftedKeys>(
      LAB_VARIANT,
      {.idea = "one bucket per thread and layer, sorted by itself, and merged afterwards; with the sort and the "
               "prefetching of mt_thread_runs",
       .cost = "no shared data while commands are added; a merge of as many runs as threads, or one sort of more than "
               "16; each thread has entries for a whole frame",
       .source = "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog), comments: "
                 "a reader's question, which stayed unanswered",
       .weakness = "memory for the entries of a whole frame per thread; all buckets are sorted by one thread"});
}
