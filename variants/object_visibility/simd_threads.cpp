#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace object_visibility;
  return make_variant(
      LAB_VARIANT,
      {.idea = "Each thread counts a band of rows as simd does, in tables of its own.",
       .cost = "That of simd, divided by the cores; waking them, and adding their tables up.",
       .source = "ours",
       .weakness =
           "Waking the cores costs the same for an image of any size, and all cores share the memory's bandwidth."},
      [](const Setup& setup) { return make_banded_counter(count_runs_by_vectors, setup.pool); },
      {.parallel = true, .unsupported = no_vectors});
}
