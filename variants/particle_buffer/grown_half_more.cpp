#include "variants/particle_buffer/family/monolithic_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(
      LAB_VARIANT,
      {.idea = "As grown_copy, with room for half as many again.",
       .cost = "A copy of all live particles each time that as many as two thirds of them have been emitted.",
       .source = "The usual growth of a vector, with the dead left out",
       .weakness = "A frame that copies is much longer than the others."},
      {.layout = "structs", .frees = "with a full copy"}, monolithic_abilities(Growth::kByHalf),
      [](const Setup& setup) { return make_monolithic(setup, Growth::kByHalf); });
}
