/// One contiguous buffer for all particles, as Blender had before the article, with dead ones marked in their struct.
/// Further layers are buffers of the same length.
#pragma once

#include <memory>

#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

enum class Growth {
  kFixedAmount,  ///< room for Setup::amount particles from the start; slots are never used again
  kExact,        ///< a full copy of the live particles into a buffer with room for those and the new ones
  kByHalf        ///< the same into a buffer with room for half as many again
};

std::unique_ptr<Buffer> make_monolithic(const Setup& setup, Growth growth);

Abilities monolithic_abilities(Growth growth);

}  // namespace lab::particle_buffer
