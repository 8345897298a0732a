#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace object_visibility;
  return make_variant(
      LAB_VARIANT,
      {.idea = "Four tables, which neighbours use in turns and which are added up at the end.",
       .cost = "A load, an addition and a store for each pixel, none of which waits for its neighbours.",
       .source = "the usual histogram for repeated values",
       .weakness = "Four tables to clear and to add up; every pixel still touches memory."},
      [](const Setup&) { return make_counter(count_split); });
}
