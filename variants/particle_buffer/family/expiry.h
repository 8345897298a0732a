/// Which of 64 particles have reached the end of their time.
#pragma once

#include <emmintrin.h>

#include <cstdint>

namespace lab::particle_buffer {

/// Bits of the 64 entries that are at or below `frame`. Frames are below 2^31.
inline std::uint64_t at_most(const std::uint32_t* entries, std::uint32_t frame) {
  const __m128i limit = _mm_set1_epi32(static_cast<int>(frame));
  std::uint64_t above = 0;
  for (unsigned i = 0; i < 64; i += 16) {
    const auto four = [&](unsigned from) {
      return _mm_cmpgt_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(entries + i + from)), limit);
    };
    const __m128i sixteen = _mm_packs_epi16(_mm_packs_epi32(four(0), four(4)), _mm_packs_epi32(four(8), four(12)));
    above |= std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(sixteen))} << i;
  }
  return ~above;
}

}  // namespace lab::particle_buffer
