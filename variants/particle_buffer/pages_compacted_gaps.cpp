#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "As pages_compacted, but the last particles move into the gaps: as few moves as possible.",
       .cost = "As pages_compacted, with fewer copies. Killing the oldest has to search for them.",
       .source = "A variation of L. Tönne, Paged Buffers for Particles (Blender developers' blog, 2011)",
       .weakness = "Particles of different ages get into one page, which then dies later."},
      {.layout = "structs", .frees = "dead pages, and compacts"}, kCompactingAbilities,
      paged({.clean_up = CleanUp::kCompactAtShare, .order = designs::CompactionOrder::kFromEnd}));
}
