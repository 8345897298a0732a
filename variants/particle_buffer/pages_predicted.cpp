#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "As pages_compacted, but it waits where pages that die within eight frames bring the dead share down by "
               "themselves: each page knows the last frame in which one of its particles dies.",
       .cost = "As pages_compacted, and a sum over all pages in each frame.",
       .source = "A comment on L. Tönne, Paged Buffers for Particles (Blender developers' blog, 2011)",
       .weakness = "Lifetimes must be known at birth."},
      {.layout = "structs", .frees = "dead pages, and compacts"}, kCompactingAbilities,
      paged({.clean_up = CleanUp::kCompactByForecast, .knows_deaths = true}));
}
