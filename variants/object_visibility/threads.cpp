#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace object_visibility;
  return make_variant(
      LAB_VARIANT,
      {.idea = "Each thread counts a band of rows as histogram_split does, in tables of its own.",
       .cost = "That of histogram_split, divided by the cores; waking them, and adding their tables up.",
       .source = "the usual way",
       .weakness = "Waking the cores costs the same for an image of any size."},
      [](const Setup& setup) { return make_banded_counter(count_split, setup.pool); }, {.parallel = true});
}
