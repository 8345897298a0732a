// Compiled with -mavx2 where the compiler builds for x86-64 (variants.cmake).
#ifdef __AVX2__

#include <immintrin.h>

#include "variants/ambient_obscurance/family/steps_text.h"

namespace lab::ambient_obscurance {

namespace {

using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));

__m256i raw(Ints x) {
  return reinterpret_cast<__m256i>(x);
}
Ints ints(__m256i x) {
  return reinterpret_cast<Ints>(x);
}

struct Eight {
  using F = Floats;
  using I = Ints;
  static constexpr std::int32_t kWide = 8;

  static F all(float x) { return F{x, x, x, x, x, x, x, x}; }
  static I all(std::int32_t x) { return I{x, x, x, x, x, x, x, x}; }
  static I counting(std::int32_t x) { return all(x) + I{0, 1, 2, 3, 4, 5, 6, 7}; }
  static F load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, F x) { _mm256_storeu_ps(to, x); }
  static I bytes(const std::uint8_t* from) {
    return ints(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
  }
  static F gather(const float* from, I at) { return _mm256_i32gather_ps(from, raw(at), 4); }
  static I lookup(const std::array<std::int32_t, 8>& table, I at) {
    return ints(_mm256_permutevar8x32_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(&table)), raw(at)));
  }
  static I shifted(I x, I by) { return ints(_mm256_srav_epi32(raw(x), raw(by))); }
  static F number(I x) { return _mm256_cvtepi32_ps(raw(x)); }
  static I truncated(F x) { return ints(_mm256_cvttps_epi32(x)); }
  static F root(F x) { return _mm256_sqrt_ps(x); }
  static F least(F a, F b) { return _mm256_min_ps(a, b); }
  static F most(F a, F b) { return _mm256_max_ps(a, b); }
  static I least(I a, I b) { return ints(_mm256_min_epi32(raw(a), raw(b))); }
  static I most(I a, I b) { return ints(_mm256_max_epi32(raw(a), raw(b))); }
  static I not_greater(F a, F b) { return a <= b; }
  static I one_where(I is) { return -is; }
  static F where(I is, F a, F b) { return is ? a : b; }
};

}  // namespace

const Steps* avx2_steps() {
  return __builtin_cpu_supports("avx2") ? &StepsText<Eight>::kSteps : nullptr;
}

}  // namespace lab::ambient_obscurance

#else

#include "variants/ambient_obscurance/family/steps.h"

const lab::ambient_obscurance::Steps* lab::ambient_obscurance::avx2_steps() {
  return nullptr;
}

#endif
