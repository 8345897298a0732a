#include "variants/particle_buffer/family/colony_particles.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  using Colony = UnindexedBuffer<ColonyParticles>;
  return make_variant(
      LAB_VARIANT,
      {.idea = "plf::colony: blocks that grow to 8,192 structs, erased ones skipped by jump counts and used again.",
       .cost = "Insertion and erasure in constant time. A walk reads a count of 2 bytes for each live particle.",
       .source = "Matthew Bentley, plf_colony 7.10, with its default block sizes",
       .weakness = "Never moves a particle: a block is kept as long as one of its particles lives."},
      {.layout = "structs", .frees = "empty blocks", .version = "plf_colony 7.10"}, Colony::kAbilities,
      [](const Setup& setup) { return std::make_unique<Colony>(setup); });
}
