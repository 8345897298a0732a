#include "variants/particle_buffer/family/registration.h"
#include "variants/particle_buffer/family/swap_pop_particles.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  using Vector = UnindexedBuffer<SwapPopColumns>;
  return make_variant(
      LAB_VARIANT,
      {.idea = "A vector for each field, without gaps: the last particle takes the place of one that dies.",
       .cost = "A death copies 16 numbers. Walks meet live particles alone, and read only the fields that they need.",
       .source = "Common practice",
       .weakness =
           "Every death moves another particle, so nothing can name a particle by its place; growth copies all."},
      {.layout = "arrays of fields", .frees = "nothing"}, Vector::kAbilities,
      [](const Setup& setup) { return std::make_unique<Vector>(setup); });
}
