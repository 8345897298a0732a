/// Makes a Variant from a buffer.
#pragma once

#include "harness/bench/variant.h"
#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

/// Adds what the family knows to the variant's four lines.
bench::Variant make_variant(const char* name, bench::VariantCard card, const Abilities& abilities, MakeBuffer make);

}  // namespace lab::particle_buffer
