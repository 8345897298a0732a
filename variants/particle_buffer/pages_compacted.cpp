#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "As pages, and compacts when more than half of the slots are dead: all particles behind the "
               "first gap move up.",
       .cost = "As pages; a compaction costs two walks and the copy of what moves, and an index of 8 bytes a "
               "slot while it runs.",
       .source = "L. Tönne, Paged Buffers for Particles (Blender developers' blog, 2011): compression in three "
                 "steps, at 50 % dead",
       .weakness = "A frame with a compaction is longer."},
      {.layout = "structs", .frees = "dead pages, and compacts"}, kCompactingAbilities,
      paged({.clean_up = CleanUp::kCompactAtShare}));
}
