/// What a fuzzer does with a particle buffer. Any bytes are valid, and the same bytes mean the same steps to every
/// variant, so that all share one corpus.
///
/// Byte 0: the particles of a page, 64 << (0 to 3). Then one step after the other, by its first byte:
/// - 0 to 99, emit; two bytes follow: how many, at most until 1,000 live, and the frames they live for (255: for ever).
/// - 100 to 129, move; 130 to 139, move some; 140 to 169, the frame ends.
/// - 170 to 189, kill the oldest; a byte: how many. 190 to 209, kill every n-th; a byte: n.
/// - 210 to 224, clean up; 225 to 234, compact.
/// - 235 to 242, add a layer; a byte: its size. 243 to 247, remove one. 248 to 255, change all layers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

/// "" or what is wrong, in one sentence.
std::string fuzz(const MakeBuffer& make, const Abilities& abilities, std::span<const std::uint8_t> input);

}  // namespace lab::particle_buffer
