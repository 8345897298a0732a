#include "variants/ambient_obscurance/family/pattern.h"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <span>

#include "harness/base/random.h"

namespace lab::ambient_obscurance {

namespace {

constexpr std::size_t kLongCycle = 16;
constexpr std::array<std::uint8_t, 16> kBayer{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};

double fraction(double x) {
  return x - std::floor(x);
}

Direction at_turn(double turn) {
  const double angle = turn * 2 * std::numbers::pi;
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

PixelKind kind(double turn, double shift) {
  const Direction direction = at_turn(turn);
  return {direction.x, direction.y, static_cast<float>(shift)};
}

/// All pixels turn alike; a pixel's radii are shifted by its place in the Bayer matrix.
void dither(Pattern& pattern, double turn, std::uint32_t width, std::uint32_t height) {
  for (std::size_t i = 0; i < kBayer.size(); ++i) pattern.kinds[i] = kind(turn, (kBayer[i] + 0.5) / 16);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      pattern.kind_of[std::size_t{y} * width + x] = static_cast<std::uint8_t>(y % 4 * 4 + x % 4);
}

/// Interleaved gradient noise, 0 to 1, of a frame whose pixels are shifted.
double gradient_noise(std::uint32_t x, std::uint32_t y, std::size_t frame) {
  const double shift = 5.588238 * static_cast<double>(frame);
  return fraction(52.9829189 * fraction(0.06711056 * (x + shift) + 0.00583715 * (y + shift)));
}

/// 16 turns by 4 shifts: a pixel's noise rounded to one of 16 turns, which differ from frame to frame by less.
void turn_each(Pattern& pattern, std::size_t frame, std::uint32_t width, std::uint32_t height) {
  constexpr std::size_t kTurns = 16, kShifts = 4;
  static_assert(kTurns * kShifts <= kMostKinds);
  const double within = fraction(static_cast<double>(frame) * 0.6180339887) / kTurns;
  for (std::size_t turn = 0; turn < kTurns; ++turn)
    for (std::size_t shift = 0; shift < kShifts; ++shift)
      pattern.kinds[turn * kShifts + shift] =
          kind(static_cast<double>(turn) / kTurns + within, (static_cast<double>(shift) + 0.5) / kShifts);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const auto turn = static_cast<std::size_t>(gradient_noise(x, y, frame) * kTurns);
      pattern.kind_of[std::size_t{y} * width + x] =
          static_cast<std::uint8_t>(turn * kShifts + kBayer[y % 4 * 4 + x % 4] / 4);
    }
}

}  // namespace

double spiral_turn(std::uint32_t sample, std::uint32_t samples) {
  // Turns of the whole spiral: coprime with the samples, so that no two have one direction.
  constexpr double kGolden = 0.6180339887;
  std::uint32_t best = 1;
  for (std::uint32_t turns = 1; turns < samples; ++turns)
    if (std::gcd(turns, samples) == 1 && std::abs(turns - kGolden * samples) < std::abs(best - kGolden * samples))
      best = turns;
  return fraction(static_cast<double>(sample) * best / samples);
}

std::array<double, 8> halton_turns() {
  std::array<double, 8> turns{};
  for (unsigned i = 0; i < turns.size(); ++i) turns[i] = ((i + 1) % 3) / 3.0 + ((i + 1) / 3) / 9.0;
  return turns;
}

std::vector<Pattern> make_patterns(const Settings& settings, std::uint32_t width, std::uint32_t height,
                                   std::uint64_t seed) {
  const auto cycle = [&]() -> std::size_t {
    switch (settings.placement) {
      case Placement::kFixed:
        return 1;
      case Placement::kHalton:
      case Placement::kHaltonBayer:
        return 8;
      case Placement::kNineEven:
        return 9;
      default:
        return kLongCycle;
    }
  }();
  Random random(seed);
  std::vector<Pattern> patterns(cycle);
  for (std::size_t frame = 0; frame < cycle; ++frame) {
    Pattern& pattern = patterns[frame];
    for (std::uint32_t i = 0; i < settings.samples; ++i)
      pattern.spiral.push_back(at_turn(spiral_turn(i, settings.samples)));
    pattern.kind_of.assign(std::size_t{width} * height, 0);
    const auto number = static_cast<double>(frame);
    switch (settings.placement) {
      case Placement::kFixed:
        break;
      case Placement::kRandom:
        pattern.kinds[0] = kind(static_cast<double>(random.below(1u << 24)) / (1u << 24), 0.5);
        break;
      case Placement::kHalton:
        pattern.kinds[0] = kind(halton_turns()[frame], 0.5);
        break;
      case Placement::kHaltonBayer:
        dither(pattern, halton_turns()[frame], width, height);
        break;
      case Placement::kNineEven:
        dither(pattern, number / 9, width, height);
        break;
      case Placement::kGoldenRatio:
        dither(pattern, fraction(number * 0.6180339887), width, height);
        break;
      case Placement::kR2:
        pattern.kinds[0] = kind(fraction(0.5 + number * 0.7548776662), fraction(0.5 + number * 0.5698402910));
        break;
      case Placement::kGradientNoise:
        turn_each(pattern, frame, width, height);
        break;
    }
  }
  return patterns;
}

}  // namespace lab::ambient_obscurance
