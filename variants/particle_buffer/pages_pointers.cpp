#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "As pages_compacted, but further data of a particle is allocated by itself, and the struct "
               "has three pointers to it.",
       .cost = "An allocation and a free for each particle and layer; 24 bytes more a particle, also without "
               "layers.",
       .source = "The central struct that L. Tönne, Paged Buffers for Particles (Blender developers' blog, "
                 "2011) replaces",
       .weakness = "Each further kind of data makes all particles larger, and is scattered over the heap."},
      {.layout = "structs with pointers", .frees = "dead pages, and compacts"}, kCompactingAbilities,
      paged({.layout = Layout::kPointerRows, .clean_up = CleanUp::kCompactAtShare}));
}
