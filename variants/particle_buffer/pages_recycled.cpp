#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(LAB_VARIANT,
                      {.idea = "As pages, but the memory of dead pages is kept for new ones.",
                       .cost = "As pages, without calls of the heap after the peak; memory stays at the peak.",
                       .source = "A comment on L. Tönne, Paged Buffers for Particles (Blender developers' blog, 2011)",
                       .weakness = "Gives no memory back."},
                      {.layout = "structs", .frees = "nothing; dead pages are used again"}, kPagedAbilities,
                      paged({.clean_up = CleanUp::kFreeDeadPages, .recycles = true}));
}
