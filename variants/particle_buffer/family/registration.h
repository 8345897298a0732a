/// Makes a Variant from a buffer.
#pragma once

#include "harness/bench/task.h"
#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

/// What a variant says of itself beside its card.
struct Traits {
  const char* layout;             ///< of its particles in memory
  const char* frees;              ///< which memory, before the buffer ends
  const char* version = nullptr;  ///< of a third-party container; else null
};

bench::Variant& make_variant(const char* name, const bench::Card& card, const Traits& traits,
                             const Abilities& abilities, MakeBuffer make);

}  // namespace lab::particle_buffer
