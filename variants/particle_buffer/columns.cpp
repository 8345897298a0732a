#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "An array for each field in each page. Walks take whole words of 64 slots where enough of a "
               "page lives, and set bits elsewhere. Dead pages are used again; compacts when it pays, as "
               "pages_predicted.",
       .cost = "A walk reads only the fields that it needs, several particles an instruction. Emission and "
               "compaction write 16 arrays. Pages that die together are not looked at.",
       .source = "Ours, over the pages of L. Tönne, Paged Buffers for Particles (Blender developers' blog, "
                 "2011)",
       .weakness = "Reading one whole particle by index takes 16 cache lines."},
      {.layout = "arrays of fields", .frees = "dead pages, and compacts"}, kCompactingAbilities,
      columns(designs::PageLoop::kChosen));
}
