#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "Pages of 1,024 particles, an array of structs in each. A page whose particles are all dead "
               "is freed.",
       .cost = "Emission fills the last page, then new ones. Walks take the live particles of each page, by "
               "bits.",
       .source = "L. Tönne, Paged Buffers for Particles (Blender developers' blog, 2011): free dead pages",
       .weakness = "A page is kept as long as one of its particles lives: lifetimes that vary much waste memory."},
      {.layout = "structs", .frees = "dead pages"}, kPagedAbilities, paged({.clean_up = CleanUp::kFreeDeadPages}));
}
