#include "variants/object_pool/family/plans.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace lab::object_pool {

std::size_t churn_pairs(std::size_t live, bool searches) {
  constexpr std::size_t kPairs = 20'000, kLookedAt = 2'500'000;
  return searches ? std::clamp<std::size_t>(kLookedAt / live, 4, 2'000) : kPairs;
}

ChurnPlan::ChurnPlan(Random random, std::size_t capacity, std::size_t live, std::size_t pairs, bool in_bursts)
    : random_(random), capacity_(capacity), live_(live), pairs_(pairs), numbers_(in_bursts ? live : 0) {
  victims_.reserve(pairs);
  if (in_bursts) bursts_.reserve(pairs);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
}

void ChurnPlan::draw() {
  victims_.clear();
  if (!numbers_.empty()) return draw_bursts();
  while (victims_.size() < pairs_) victims_.push_back(static_cast<std::uint32_t>(random_.below(live_)));
}

void ChurnPlan::draw_bursts() {
  bursts_.clear();
  while (victims_.size() < pairs_) {
    const std::size_t burst = random_.between(1, std::min({kMostBurst, live_, pairs_ - victims_.size()}));
    for (std::size_t i = 0; i < burst; ++i) {
      std::swap(numbers_[i], numbers_[i + random_.below(live_ - i)]);
      victims_.push_back(numbers_[i]);
    }
    bursts_.push_back(static_cast<std::uint32_t>(burst));
  }
}

ChurnPlan churn_plan(std::uint64_t seed, std::size_t capacity, std::size_t live, std::size_t pairs) {
  return {Random(seed_of("churn") ^ seed), capacity, live, pairs, false};
}

ChurnPlan burst_plan(std::uint64_t seed, std::size_t capacity, std::size_t live, std::size_t pairs) {
  return {Random(seed_of("bursts") ^ seed), capacity, live, pairs, true};
}

IteratePlan iterate_plan(std::size_t capacity, bool searches) {
  // A million slots are too many to be learned.
  const std::size_t moved = capacity <= kCapacity ? capacity / 4 : 0;
  // A search does two or three for each object before: a process must start within a moment.
  return searches ? IteratePlan{capacity, 20'000, moved, 2'000}
                  : IteratePlan{capacity, 1'000'000, moved, std::min<std::size_t>(capacity / 2, 20'000)};
}

std::uint64_t FramePlan::updates() const {
  return std::accumulate(lifetimes.begin(), lifetimes.end(), std::uint64_t{0});
}

namespace {

FramePlan plan_of_frames(Random random, std::size_t capacity, std::size_t spawned) {
  FramePlan plan{capacity, spawned, {}};
  for (std::size_t i = 0; i < kFrames * spawned; ++i)
    plan.lifetimes.push_back(static_cast<std::int32_t>(random.between(1, kFrames - 1)));
  // Every seed has as many updates: pairs of lifetimes that make kFrames together.
  for (std::size_t i = 1; i < plan.lifetimes.size(); i += 2)
    plan.lifetimes[i] = static_cast<std::int32_t>(kFrames) - plan.lifetimes[i - 1];
  return plan;
}

}  // namespace

FramePlan frame_plan(std::uint64_t seed) {
  return plan_of_frames(Random(seed_of("frames") ^ seed), kCapacity, kSpawned);
}

FramePlan printed_frame_plan(std::uint64_t seed) {
  return plan_of_frames(Random(seed_of("printed frames") ^ seed), kPrintedCapacity, kPrintedSpawned);
}

SoundPlan sound_plan(std::uint64_t seed) {
  // About 40 of 64 voices play, and in the burst four times as many are asked for.
  constexpr std::size_t kTicks = 2000, kBurstFrom = 800, kBurstTo = 1000, kLongest = 40;
  SoundPlan plan;
  Random random(seed_of("sounds") ^ seed);
  plan.ticks.resize(kTicks + kLongest);
  for (std::size_t tick = 0; tick < kTicks; ++tick) {
    const std::size_t tenths = tick >= kBurstFrom && tick < kBurstTo ? 64 : 16;
    const std::size_t count = tenths / 10 + (random.below(10) < tenths % 10);
    for (std::size_t i = 0; i < count; ++i)
      plan.ticks[tick].push_back({0, static_cast<std::uint32_t>(random.between(10, kLongest))});
    plan.requests += count;
  }
  std::vector<std::uint32_t> loudness(plan.requests);
  std::iota(loudness.begin(), loudness.end(), 1u);
  for (std::size_t i = loudness.size(); i-- > 1;) std::swap(loudness[i], loudness[random.below(i + 1)]);
  std::size_t next = 0, live = 0;
  std::vector<std::size_t> ends(plan.ticks.size() + kLongest + 1);
  for (std::size_t tick = 0; tick < plan.ticks.size(); ++tick) {
    live -= ends[tick];
    for (SoundRequest& request : plan.ticks[tick]) {
      request.loudness = loudness[next++];
      plan.loudness_ticks += static_cast<double>(request.loudness) * request.ticks;
      ++ends[tick + request.ticks];
      ++live;
    }
    plan.most_at_once = std::max(plan.most_at_once, live);
  }
  return plan;
}

namespace {

/// Half of 256 of the smallest type, half of the rest of the next one, and so on; the last one is of the smallest, too.
std::uint8_t rarely_large(std::size_t at) {
  return static_cast<std::uint8_t>(at == 255 ? 0 : std::countr_one(at));
}

}  // namespace

std::uint32_t first_type(std::size_t slot, SizeMix mix) {
  return mix == SizeMix::kLevels ? static_cast<std::uint32_t>(slot % kSoakTypes) : rarely_large(slot % 256);
}

SoakSteps::SoakSteps(std::uint64_t seed, std::size_t level_pairs, SizeMix mix)
    : state_(Random(seed_of("soak") ^ seed).next() | 1), level_pairs_(level_pairs), mix_(mix) {}

void SoakSteps::begin_level() {
  left_ = level_pairs_;
  if (mix_ == SizeMix::kRarelyLarge) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = rarely_large(i);
    return;
  }
  // Three types make up three quarters of what a level wants.
  std::array<std::uint8_t, 3> favourites;
  for (std::uint8_t& favourite : favourites) favourite = static_cast<std::uint8_t>((draw() >> 32) % kSoakTypes);
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    wanted_[i] = i % 4 == 3 ? static_cast<std::uint8_t>(i / 4 % kSoakTypes) : favourites[i % 4];
}

std::array<std::size_t, kSoakTypes> soak_peaks(std::uint64_t seed, std::size_t level_pairs, std::size_t pairs,
                                               bool repeated, SizeMix mix) {
  std::vector<std::uint8_t> types(kSoakLive);
  std::array<std::size_t, kSoakTypes> live{}, peaks;
  for (std::size_t slot = 0; slot < kSoakLive; ++slot)
    ++live[types[slot] = static_cast<std::uint8_t>(first_type(slot, mix))];
  peaks = live;
  // Every repetition after the first begins with what the one before left.
  for (int round = 0; round <= repeated; ++round) {
    SoakSteps steps(seed, level_pairs, mix);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const SoakSteps::Step step = steps.next();
      --live[types[step.slot]];
      types[step.slot] = static_cast<std::uint8_t>(step.type);
      peaks[step.type] = std::max(peaks[step.type], ++live[step.type]);
    }
  }
  return peaks;
}

}  // namespace lab::object_pool
