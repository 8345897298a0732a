/// Every random choice of the workloads, made outside of the timed parts, and the sizes of the workloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/random.h"

namespace lab::object_pool {

inline constexpr std::size_t kCapacity = 16'384;  ///< of churn and most others
inline constexpr std::size_t kLive = 10'000;
inline constexpr std::size_t kLargeCapacity = 1'048'576;  ///< 64 MiB of objects: beyond the caches

/// Objects that are destroyed and created again, by their numbers. Every repetition has new ones: of a list that is
/// repeated, the processor learns the branches.
class ChurnPlan {
 public:
  ChurnPlan(Random random, std::size_t capacity, std::size_t live, std::size_t pairs, bool in_bursts);

  std::size_t capacity() const { return capacity_; }
  std::size_t live() const { return live_; }
  const std::vector<std::uint32_t>& victims() const { return victims_; }
  /// How many victims are destroyed before as many objects are created; together they have all victims. Empty: one at a
  /// time. The victims of a burst are different.
  const std::vector<std::uint32_t>& bursts() const { return bursts_; }
  /// The next victims, in the same memory. There are none before the first call.
  void draw();

 private:
  void draw_bursts();

  Random random_;
  std::size_t capacity_, live_, pairs_;
  std::vector<std::uint32_t> victims_, bursts_;
  std::vector<std::uint32_t> numbers_;  // of all live objects, in random order; empty without bursts
};
/// `searches`: a creation takes O(n), so that there are fewer pairs. What lives in the end is the same.
std::size_t churn_pairs(std::size_t live, bool searches);
ChurnPlan churn_plan(std::uint64_t seed, std::size_t capacity, std::size_t live, std::size_t pairs);
ChurnPlan burst_plan(std::uint64_t seed, std::size_t capacity, std::size_t live, std::size_t pairs);
inline constexpr std::size_t kMostBurst = 256;

/// How many objects are replaced: in small bursts before the first walk; before each walk, in one burst and then in
/// small ones.
struct IteratePlan {
  std::size_t capacity = 0, replaced_before = 0, moved = 0, replaced = 0;
};
/// `searches`: fewer are replaced.
IteratePlan iterate_plan(std::size_t capacity, bool searches);

/// The chapter's particles: `spawned` are created in each frame and live for 1 to kFrames - 1 frames, so that after
/// kFrames frames the same live as before.
inline constexpr std::size_t kFrames = 64, kSpawned = 312;
/// The pool that the chapter prints, and as many particles in each frame as never fill it: at most 96 live.
inline constexpr std::size_t kPrintedCapacity = 100, kPrintedSpawned = 2;
struct FramePlan {
  std::size_t capacity = 0, spawned = 0;
  std::vector<std::int32_t> lifetimes;  ///< frames; `spawned` of each frame
  std::uint64_t updates() const;        ///< in kFrames frames
};
FramePlan frame_plan(std::uint64_t seed);
FramePlan printed_frame_plan(std::uint64_t seed);

/// Sounds that are to be played, by ticks, with a burst beyond the capacity in the middle.
struct SoundRequest {
  std::uint32_t loudness, ticks;  ///< each loudness occurs once
};
inline constexpr std::size_t kVoices = 64;
struct SoundPlan {
  std::vector<std::vector<SoundRequest>> ticks;
  std::size_t most_at_once = 0;  ///< if all of them are played
  std::size_t requests = 0;
  double loudness_ticks = 0;  ///< asked for
};
SoundPlan sound_plan(std::uint64_t seed);

/// Objects of several sizes with long and short lives. A level wants mostly few of the types; the next one wants
/// others. Made step by step: a soak has too many to keep.
inline constexpr std::size_t kSoakTypes = 8;
inline constexpr std::size_t kSoakLive = 16'384;
enum class SizeMix {
  kLevels,      ///< each level wants other types
  kRarelyLarge  ///< of each type half as many as of the next smaller one, at all times
};
class SoakSteps {
 public:
  struct Step {
    std::uint32_t slot, type;
  };
  /// A level has `level_pairs` pairs.
  SoakSteps(std::uint64_t seed, std::size_t level_pairs, SizeMix mix = SizeMix::kLevels);
  Step next() {
    if (left_ == 0) begin_level();
    --left_;
    const std::uint64_t random = draw();
    // One in 64 objects is long-lived. These slots are the first.
    const bool is_long = (random & 63) == 0;
    const auto part = static_cast<std::uint32_t>(random >> 32);
    return {is_long ? scaled(part, kLongLived) : kLongLived + scaled(part, kSoakLive - kLongLived),
            wanted_[random >> 8 & 255]};
  }

 private:
  static constexpr std::uint32_t kLongLived = kSoakLive / 8;
  static std::uint32_t scaled(std::uint32_t random, std::uint32_t bound) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(random) * bound >> 32);
  }
  // Xorshift (Marsaglia, 2003), multiplied: a step must cost little beside what it asks for.
  std::uint64_t draw() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1du;
  }
  void begin_level();

  std::uint64_t state_;
  std::size_t level_pairs_, left_ = 0;
  SizeMix mix_;
  std::array<std::uint8_t, 256> wanted_{};
};
/// The type that slot has before the first step.
std::uint32_t first_type(std::size_t slot, SizeMix mix);
/// The most objects of each type that live at once in the first `pairs` steps, and when these are repeated.
std::array<std::size_t, kSoakTypes> soak_peaks(std::uint64_t seed, std::size_t level_pairs, std::size_t pairs,
                                               bool repeated, SizeMix mix = SizeMix::kLevels);

}  // namespace lab::object_pool
