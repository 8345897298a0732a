/// What happens in a run, whatever the buffer: how many particles each frame emits, and how long they live.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

/// What a full buffer does, from the comments on the article.
enum class LoadRule {
  kUnlimited,  ///< it is never full
  kStopEmitting,
  kReplaceOldest
};

struct Scenario {
  std::string name, title;
  std::uint32_t frames = 0;
  std::vector<std::uint32_t> rates;  ///< particles that each frame emits; repeated if there are fewer than frames
  /// Frames that a particle lives for, from 64 random bits.
  std::function<std::uint32_t(std::uint64_t random)> lifetime = {};
  LoadRule rule = LoadRule::kUnlimited;
  std::size_t most_live = 0;  ///< of a rule
  std::uint32_t page_slots = 1024;
  double dead_limit = kDeadLimit;

  std::uint32_t rate(std::uint32_t frame) const { return rates[frame % rates.size()]; }
  /// Particles that all frames want to emit.
  std::uint64_t emitted() const;
};

inline constexpr std::uint32_t kForever = 0x3fffffff;

/// Rates that rise, fall and burst, as an animated emission does; equal lifetimes.
Scenario animated_emission();
/// The same rates with strongly varying lifetimes: nine of ten particles live for 2 to 12 frames, the others for 50 to
/// 150.
Scenario varying_lifetimes();
/// Bursts with pauses, and lifetimes of 20 to 28 frames: whole pages die within a few frames, half dead in between.
Scenario bursts();
/// 10 million particles, 100,000 of them live at once.
Scenario rain();
/// The same with lifetimes from 4 to 16 frames for nine of ten, and from 60 to 160 for the others.
Scenario varying_rain();
/// A sink that fills: nothing dies.
Scenario filling_sink();
/// The animated emission with room for a third of its particles.
Scenario under_rule(LoadRule rule);

/// Makes the particles of a run, frame by frame; equal for equal seeds.
class Emitter {
 public:
  Emitter(const Scenario& scenario, std::uint64_t seed) : scenario_(scenario), seed_(seed) {}
  /// `count` particles that are born in `frame`, valid until the next call.
  std::span<const Particle> next(std::uint32_t frame, std::size_t count);
  std::uint64_t emitted() const { return next_id_; }

 private:
  const Scenario& scenario_;
  std::uint64_t seed_;
  std::uint32_t next_id_ = 0;
  std::vector<Particle> born_;
};

/// A bijection that spreads bits (SplitMix64's).
std::uint64_t scatter(std::uint64_t x);

/// Of all bytes of one particle. Sums of these do not depend on the order.
std::uint64_t digest_of(const Particle& particle);
/// Of all that live, in any order.
std::uint64_t digest_of(const Buffer& buffer);

}  // namespace lab::particle_buffer
