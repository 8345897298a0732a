#include "variants/particle_buffer/family/monolithic_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "One buffer that is replaced by a full copy of the live particles and the new ones whenever "
               "it is full.",
       .cost = "A copy of all live particles in every frame that emits; for a moment, both buffers.",
       .source = "How Blender changed the amount of particles, in L. Tönne, Paged Buffers for Particles "
                 "(Blender developers' blog, 2011)",
       .weakness = "Each frame copies everything."},
      {.layout = "structs", .frees = "with a full copy"}, monolithic_abilities(Growth::kExact),
      [](const Setup& setup) { return make_monolithic(setup, Growth::kExact); });
}
