/// What a fuzzer does with an allocator: it reads requests from arbitrary bytes and checks every answer. Any bytes are
/// valid, and the same bytes mean the same requests to every variant, so all variants share one corpus.
///
/// Byte 0: the arena of an allocator with a fixed capacity, 16 pages and this, modulo 64. Then one operation after the
/// other, by its first byte:
/// - 0 to 127, allocate: bits 0 to 4 are log2 of a size (25 and more: of SIZE_MAX), bits 5 and 6 what to add to it: -1,
///   0, 1, or the next byte times a 256th of it.
/// - 128 to 239, free the live block of this number, counted round.
/// - 240 to 247, free all blocks, those of odd numbers first, or reset.
/// - 248 to 251, free nullptr.
/// - 252 to 255, if all is free: the largest request, one byte more, and as many of one size as there is room for.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// "" or what is wrong, in one sentence: overlapping or changed blocks, misalignment, a block outside of the arena, a
/// refusal of what must succeed, or an empty arena that serves another number of requests than it says.
std::string fuzz(const Subject& subject, std::span<const std::uint8_t> input);

}  // namespace lab::allocator
