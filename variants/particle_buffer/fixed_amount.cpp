#include "variants/particle_buffer/family/monolithic_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "One buffer with room for every particle that will ever be emitted; a walk looks at all "
               "emitted so far.",
       .cost = "Emission and death are a write. A walk costs a look at each particle ever emitted; memory is "
               "that of all of them.",
       .source = "What Blender had before L. Tönne, Paged Buffers for Particles (Blender developers' blog, "
                 "2011)",
       .weakness = "The amount must be known beforehand. Walks become slower with every particle that ever "
                   "lived."},
      {.layout = "structs", .frees = "nothing"}, monolithic_abilities(Growth::kFixedAmount),
      [](const Setup& setup) { return make_monolithic(setup, Growth::kFixedAmount); });
}
