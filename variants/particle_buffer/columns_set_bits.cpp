#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  using namespace particle_buffer;
  return make_variant(LAB_VARIANT,
                      {.idea = "As columns, with walks by set bits alone.",
                       .cost = "As columns; each live particle by itself.",
                       .source = "Ours, to compare its loops",
                       .weakness = "Slow where most particles live."},
                      {.layout = "arrays of fields", .frees = "dead pages, and compacts"}, kCompactingAbilities,
                      columns(designs::PageLoop::kSetBits));
}
