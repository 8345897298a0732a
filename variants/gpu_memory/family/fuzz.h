/// What a fuzzer does with an allocator of GPU memory: it reads requests from arbitrary bytes and checks every answer.
/// Any bytes are valid, and the same bytes mean the same requests to every variant, so all variants share one corpus.
///
/// Bytes 0 and 1: the heap, 1 to 64 MiB; the most allocations, 1 to 16; bufferImageGranularity, 1, 64 or 1024. Then one
/// operation after the other, by its first byte:
/// - 0 to 159, allocate; 160 to 175, a dedicated allocation. Two bytes follow: the first has log2 of the alignment (low
///   five bits, 0 to 16 and round), the kind and the memory type; the second log2 of the size (low five bits) and what
///   to add: nothing, one, or the operation's byte times an eighth of it.
/// - 176 to 239, free the live resource of this number, counted round.
/// - 240 to 247, a pass of defragmentation, where the variant has it. A byte follows: log2 of the bound in bytes (low
///   five bits; 31: none) and the most moves (0: any number). The low three bits of the operation say what the program
///   does before the end: it drops moves, frees resources that move, allocates.
/// - 248 to 251, free every second resource.
/// - 252 to 255, free all.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "variants/gpu_memory/family/subject.h"

namespace lab::gpu_memory {

/// "" or what is wrong, in one sentence.
std::string fuzz(const Subject& subject, std::span<const std::uint8_t> input);

}  // namespace lab::gpu_memory
