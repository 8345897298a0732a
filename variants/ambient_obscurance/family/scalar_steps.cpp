#include <cassert>
#include <cmath>

#include "variants/ambient_obscurance/family/steps_text.h"

namespace lab::ambient_obscurance {

namespace {

/// One pixel at a time.
struct One {
  using F = float;
  using I = std::int32_t;
  static constexpr std::int32_t kWide = 1;

  static F all(float x) { return x; }
  static I all(std::int32_t x) { return x; }
  static I counting(std::int32_t x) { return x; }
  static F load(const float* from) { return *from; }
  static void store(float* to, F x) { *to = x; }
  static I bytes(const std::uint8_t* from) { return *from; }
  static F gather(const float* from, I at) { return from[at]; }
  static I lookup(const std::array<std::int32_t, 8>& table, I at) { return table[static_cast<std::size_t>(at)]; }
  static I shifted(I x, I by) { return x >> by; }
  static F number(I x) { return static_cast<float>(x); }
  static I truncated(F x) { return static_cast<std::int32_t>(x); }
  static F root(F x) { return std::sqrt(x); }
  // Of a NaN, the second.
  static F least(F a, F b) { return a < b ? a : b; }
  static F most(F a, F b) { return a > b ? a : b; }
  static I least(I a, I b) { return a < b ? a : b; }
  static I most(I a, I b) { return a > b ? a : b; }
  static bool not_greater(F a, F b) { return a <= b; }
  static I one_where(bool is) { return is ? 1 : 0; }
  static F where(bool is, F a, F b) { return is ? a : b; }
};

}  // namespace

const Steps& scalar_steps() {
  return StepsText<One>::kSteps;
}

Chain chain_of(std::uint32_t width, std::uint32_t height) {
  assert(width >= kLeastEdge && height >= kLeastEdge);
  Chain chain;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    chain.first[level] = static_cast<std::int32_t>(chain.texels);
    chain.width[level] = static_cast<std::int32_t>(width >> level);
    chain.height[level] = static_cast<std::int32_t>(height >> level);
    chain.texels += std::size_t{width >> level} * (height >> level);
  }
  return chain;
}

}  // namespace lab::ambient_obscurance
