#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace object_visibility;
  return make_variant(
      LAB_VARIANT,
      {.idea = "Vectors compare pixels with their neighbours; each end of a run adds the length of the run.",
       .cost = "A comparison for each 8 pixels, and for each run a few steps without a branch.",
       .source = "ours",
       .weakness =
           "It needs AVX2, and it reads the pixels twice: from memory, and from the cache at the ends of runs."},
      [](const Setup&) { return make_counter(count_runs_by_vectors); }, {.unsupported = no_vectors});
}
