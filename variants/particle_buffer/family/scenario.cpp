#include "variants/particle_buffer/family/scenario.h"

#include <algorithm>
#include <array>
#include <bit>

#include "harness/base/random.h"

namespace lab::particle_buffer {

namespace {

constexpr std::uint32_t kFrames = 120;
constexpr std::uint32_t kLifetime = 24;

/// Two slow waves, a burst, and a pause.
std::vector<std::uint32_t> animated_rates() {
  std::vector<std::uint32_t> rates;
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    std::uint32_t rate = frame % 60 < 30 ? 40 + 12 * (frame % 30) : 400 - 12 * (frame % 30);
    if (frame % 40 == 20) rate = 2'000;
    if (frame >= 90 && frame < 100) rate = 0;
    rates.push_back(rate);
  }
  return rates;
}

std::uint32_t equal_lifetime(std::uint64_t) {
  return kLifetime;
}

/// Frames: from `low` to `high`.
struct Lifetimes {
  std::uint32_t low, high;
  std::uint32_t of(std::uint64_t random) const {
    return low + static_cast<std::uint32_t>(random >> 32) % (high - low + 1);
  }
};

/// One in ten lives long.
std::function<std::uint32_t(std::uint64_t)> varied(const Lifetimes& brief, const Lifetimes& long_lived) {
  return [=](std::uint64_t random) { return random % 10 == 0 ? long_lived.of(random) : brief.of(random); };
}

}  // namespace

std::uint64_t Scenario::emitted() const {
  std::uint64_t sum = 0;
  for (std::uint32_t frame = 0; frame < frames; ++frame) sum += rate(frame);
  return sum;
}

Scenario animated_emission() {
  return {.name = "emission",
          .title = "an animated emission rate, particles that live for 24 frames",
          .frames = kFrames,
          .rates = animated_rates(),
          .lifetime = equal_lifetime,
          .page_slots = 256};
}

Scenario varying_lifetimes() {
  Scenario scenario = animated_emission();
  scenario.name = "varying_lifetimes";
  scenario.title = "the animated emission rate, lifetimes from 2 to 150 frames";
  scenario.lifetime = varied({2, 12}, {50, 150});
  return scenario;
}

Scenario bursts() {
  Scenario scenario{.name = "bursts",
                    .title = "bursts of ten frames with pauses of thirty, lifetimes from 20 to 28 frames",
                    .frames = 160,
                    .rates = std::vector<std::uint32_t>(40, 0),
                    .lifetime =
                        [](std::uint64_t random) {
                          return Lifetimes{20, 28}.of(random);
                        },
                    .page_slots = 256};
  std::fill_n(scenario.rates.begin(), 10, 300u);
  return scenario;
}

Scenario rain() {
  return {.name = "rain",
          .title = "10 million particles of rain, 5,000 a frame, 100,000 of them in the air",
          .frames = 2'000,
          .rates = {5'000},
          .lifetime = [](std::uint64_t) -> std::uint32_t { return 20; }};
}

Scenario varying_rain() {
  Scenario scenario = rain();
  scenario.name = "rain_varying";
  scenario.title = "10 million particles of rain with varying lifetimes, 5,000 a frame, 100,000 of them in the air";
  scenario.lifetime = varied({4, 16}, {60, 160});
  return scenario;
}

Scenario filling_sink() {
  return {.name = "sink",
          .title = "a sink that fills: 1,000 particles a frame, and none dies",
          .frames = 60,
          .rates = {1'000},
          .lifetime = [](std::uint64_t) { return kForever; }};
}

Scenario under_rule(LoadRule rule) {
  Scenario scenario = animated_emission();
  const bool stops = rule == LoadRule::kStopEmitting;
  scenario.name = stops ? "load_stop" : "load_replace";
  scenario.title = stops ? "the animated emission with room for 2,500 particles: a full buffer emits none"
                         : "the animated emission with room for 2,500 particles: a new one replaces the oldest";
  scenario.rule = rule;
  scenario.most_live = 2'500;
  return scenario;
}

std::span<const Particle> Emitter::next(std::uint32_t frame, std::size_t count) {
  born_.resize(count);
  for (Particle& particle : born_) {
    const std::uint64_t random = scatter(seed_ * 0x100000001u + next_id_);
    const auto part = [random](unsigned shift, unsigned bits) {
      return static_cast<float>(random >> shift & ((1u << bits) - 1));
    };
    particle = {.position = {part(0, 10), part(10, 10), 1000 + part(20, 10)},
                .velocity = {part(30, 3) - 4, part(33, 3) - 4, 1 + part(36, 3)},
                .rotation = {1, 0, 0, 0},
                .spin = {part(39, 2), part(41, 2), part(43, 2)},
                .id = next_id_++,
                .born = frame,
                .dies = frame + scenario_.lifetime(scatter(random))};
  }
  return born_;
}

std::uint64_t scatter(std::uint64_t x) {
  return Random(x).next();
}

std::uint64_t digest_of(const Particle& particle) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word :
       std::bit_cast<std::array<std::uint64_t, sizeof particle / sizeof(std::uint64_t)>>(particle))
    sum = scatter(sum ^ word);
  return sum;
}

std::uint64_t digest_of(const Buffer& buffer) {
  std::uint64_t sum = buffer.live();
  buffer.visit([&sum](Ref, const Particle& particle) { sum += digest_of(particle); });
  return sum;
}

}  // namespace lab::particle_buffer
