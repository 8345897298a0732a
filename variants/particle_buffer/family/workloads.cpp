#include "variants/particle_buffer/family/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/base/random.h"
#include "harness/bench/checksum.h"
#include "variants/common/workloads/workload.h"
#include "variants/particle_buffer/family/exhibits.h"
#include "variants/particle_buffer/family/scenario.h"
#include "variants/particle_buffer/family/simulation.h"

namespace lab::particle_buffer {

namespace {

using enum bench::MetricKind;
using enum bench::Better;

// --- whole lives -----------------------------------------------------------------------------------------------------

/// A scenario from the first frame to the last, on a new buffer in each repetition.
class FramesTask : public bench::Task {
 public:
  FramesTask(Scenario scenario, std::uint64_t seed, MakeBuffer make, std::uint32_t frames_a_digest)
      : scenario_(std::move(scenario)), seed_(seed), make_(std::move(make)), frames_a_digest_(frames_a_digest) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::unique_ptr<Buffer> buffer = make_(setup_of(scenario_));
    Simulation simulation(scenario_, seed_, *buffer);
    const bool records = counters_.empty();
    MemoryRecord memory;
    bench::Checksum sum;
    while (!simulation.ended()) {
      simulation.step(clock);
      if (records) memory.add(*buffer);
      if (simulation.frame() % frames_a_digest_ == 0) sum.word(digest_of(*buffer));
    }
    for (const std::uint64_t count : {simulation.emitted(), simulation.not_emitted(), simulation.replaced()})
      sum.word(count);
    if (records) {
      counters_ = memory.counters(*buffer);
      if (scenario_.rule != LoadRule::kUnlimited) {
        counters_["not_emitted"] = static_cast<double>(simulation.not_emitted());
        counters_["replaced"] = static_cast<double>(simulation.replaced());
      }
    }
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  const Scenario scenario_;
  std::uint64_t seed_;
  MakeBuffer make_;
  std::uint32_t frames_a_digest_;
  std::map<std::string, double> counters_;
};

std::vector<bench::Metric> memory_metrics() {
  return {{"bytes_per_live", "Bytes for each live particle, over all frames", "bytes", kExact},
          {"peak_bytes", "Most bytes after a frame", "bytes", kExact},
          {"extra_bytes", "Most bytes that a copy holds besides", "bytes", kExact},
          {"index_layer_bytes", "Most bytes of new indices", "bytes", kExact},
          {"pages_allocated", "Pages taken from the system", "", kExact},
          {"pages_recycled", "Pages used again", "", kExact, kNeither},
          {"compactions", "Compactions or full copies", "", kExact, kNeither},
          {"moved", "Particles that these have copied", "", kExact}};
}

bench::Workload describe_frames(const Scenario& scenario) {
  bench::Workload workload = make_workload(scenario.name, scenario.title, kFramePhases, scenario.emitted(), "particle");
  workload.metrics = memory_metrics();
  if (scenario.rule != LoadRule::kUnlimited) {
    workload.metrics.push_back({"not_emitted", "Particles that were not emitted", "", kExact, kNeither});
    workload.metrics.push_back({"replaced", "Particles that died for a new one", "", kExact, kNeither});
  }
  return workload;
}

bench::Workload frames(const Scenario& scenario, const MakeBuffer& make, std::uint32_t frames_a_digest = 10) {
  bench::Workload workload = describe_frames(scenario);
  workload.prepare = [scenario, make, frames_a_digest](const bench::Case& inputs) {
    return std::make_unique<FramesTask>(scenario, inputs.seed, make, frames_a_digest);
  };
  return workload;
}

bench::Workload page_sizes(const MakeBuffer& make) {
  bench::Workload workload = describe_frames(varying_lifetimes());
  workload.name = "page_size";
  workload.title += ": over the particles of a page";
  workload.axis = bench::Axis{"particles of a page", "", {}};
  for (std::uint32_t slots = 64; slots <= 16'384; slots *= 4)
    workload.axis->points.push_back({static_cast<double>(slots), 0});
  workload.prepare = [make](const bench::Case& inputs) {
    Scenario scenario = varying_lifetimes();
    scenario.page_slots = static_cast<std::uint32_t>(inputs.point);
    return std::make_unique<FramesTask>(std::move(scenario), inputs.seed, make, 10);
  };
  return workload;
}

/// Thresholds below and above the article's example: compaction as soon as it saves a page, and late.
constexpr double kEarlyLimit = 0, kLateLimit = 0.75;

Scenario with_dead_limit(const char* name, const char* title, double dead_limit) {
  Scenario scenario = varying_lifetimes();
  scenario.name = name;
  scenario.title += title;
  scenario.dead_limit = dead_limit;
  return scenario;
}

std::vector<bench::Workload> dead_limits(const MakeBuffer& make) {
  constexpr double kPercent = 100;
  bench::Workload sweep = describe_frames(
      with_dead_limit("dead_limit", ": over the share of dead slots above which the buffer compacts", kDeadLimit));
  sweep.axis = bench::Axis{"dead slots", "percent", {}};
  for (const double limit : {kEarlyLimit, 0.1, 0.25, kDeadLimit, kLateLimit, 0.9})
    sweep.axis->points.push_back({limit * kPercent, 0});
  sweep.prepare = [make](const bench::Case& inputs) {
    return std::make_unique<FramesTask>(with_dead_limit("dead_limit", "", inputs.point / kPercent), inputs.seed, make,
                                        10);
  };
  return {
      frames(with_dead_limit("compact_early", ": the buffer compacts whenever it can free a page", kEarlyLimit), make),
      frames(with_dead_limit("compact_late", ": the buffer compacts when more than 75 % of its slots are dead",
                             kLateLimit),
             make),
      std::move(sweep)};
}

// --- a buffer with holes ---------------------------------------------------------------------------------------------

/// A bijection of the numbers of `bits` bits that looks random.
std::uint32_t permuted(std::uint32_t number, unsigned bits, std::uint64_t seed) {
  const std::uint32_t mask = (1u << bits) - 1;
  for (unsigned round = 0; round < 3; ++round) {
    const std::uint64_t key = scatter(seed * 4 + round);
    number = (number * (static_cast<std::uint32_t>(key) | 1) + static_cast<std::uint32_t>(key >> 32)) & mask;
    number ^= number >> (bits / 2 + 1);
  }
  return number;
}

/// A power of two of particles, of which exactly this share has died at random places, without any clean-up.
struct Holes {
  unsigned bits;  ///< log2 of the particles
  double percent;
  static constexpr unsigned kFrames = 4;  ///< that emit them
  std::uint32_t page_slots = std::max(64u, (1u << bits) / 64);

  std::uint32_t particles() const { return 1u << bits; }
  std::uint32_t dead() const { return static_cast<std::uint32_t>(percent / 100 * particles()); }
  std::uint32_t live() const { return particles() - dead(); }

  bool is_hole(std::uint32_t id, std::uint64_t seed) const { return permuted(id, bits, seed) < dead(); }

  std::unique_ptr<Buffer> buffer(const MakeBuffer& make, std::uint64_t seed) const {
    std::unique_ptr<Buffer> buffer = make({particles(), page_slots});
    each_emission(seed, [&](std::span<const Particle> born) { buffer->emit(born); });
    buffer->kill([this, seed](std::uint32_t id) { return is_hole(id, seed); });
    return buffer;
  }

  /// What the digest of that buffer must be.
  std::uint64_t digest(std::uint64_t seed) const {
    std::uint64_t sum = live();
    each_emission(seed, [&](std::span<const Particle> born) {
      for (const Particle& particle : born)
        if (!is_hole(particle.id, seed)) sum += digest_of(particle);
    });
    return sum;
  }

 private:
  template <typename Each>
  void each_emission(std::uint64_t seed, Each&& each) const {
    Scenario endless;
    endless.lifetime = [](std::uint64_t) { return kForever; };
    Emitter emitter(endless, seed);
    for (unsigned frame = 0; frame < kFrames; ++frame) each(emitter.next(frame, particles() / kFrames));
  }
};

/// The seed of a repetition: no branch predictor may know its holes from the one before.
std::uint64_t next_seed(std::uint64_t seed) {
  return scatter(seed);
}

std::int64_t sum_of_heights(const Buffer& buffer, std::vector<float>& heights) {
  heights.resize(buffer.live());
  buffer.heights(heights);
  std::int64_t sum = 0;
  for (const float height : heights) sum += static_cast<std::int64_t>(height);
  return sum;
}

/// Walks over a buffer with holes. The heights prove each walk: they are whole numbers, so all rises add up exactly.
class WalkTask : public bench::Task {
 public:
  using Walk = std::function<void(Buffer&)>;

  WalkTask(const Holes& holes, MakeBuffer make, Walk walk, Skip skip, std::uint64_t seed)
      : holes_(holes), make_(std::move(make)), walk_(std::move(walk)), skip_(skip), seed_(seed) {
    begin();
    first_digest_ = digest_of(*buffer_);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    if (walks_ == kMostWalks || (walks_ > 0 && holes_.bits <= kKnownBits)) begin();
    clock.time(0, [this] { walk_(*buffer_); });
    ++walks_;
    const std::int64_t missing = sum_of_heights(*buffer_, heights_) - start_ - rise_ * walks_;
    return first_digest_ + wrong_ + static_cast<std::uint64_t>(missing);
  }

 private:
  void begin() {
    buffer_.reset();
    buffer_ = holes_.buffer(make_, seed_);
    wrong_ = digest_of(*buffer_) - holes_.digest(seed_);
    seed_ = next_seed(seed_);
    rise_ = walks_ = 0;
    buffer_->visit([this](Ref, const Particle& particle) {
      if (skip_ == nullptr || !skip_(particle.id)) rise_ += static_cast<std::int64_t>(particle.velocity[kVertical]);
    });
    start_ = sum_of_heights(*buffer_, heights_);
  }

  static constexpr unsigned kKnownBits = 17;             ///< so many holes could be known from the repetition before
  static constexpr std::int64_t kMostWalks = 1'000'000;  ///< so that heights fit into a float's 24 bits
  Holes holes_;
  MakeBuffer make_;
  Walk walk_;
  Skip skip_;
  std::uint64_t seed_;
  std::unique_ptr<Buffer> buffer_;
  std::vector<float> heights_;
  std::uint64_t first_digest_ = 0, wrong_ = 0;
  std::int64_t rise_ = 0, start_ = 0, walks_ = 0;
};

constexpr unsigned kManyBits = 20;

bench::Workload walks(const char* name, std::string title, const MakeBuffer& make, const WalkTask::Walk& walk,
                      const bench::Axis& axis, const std::function<Holes(double point)>& holes_at,
                      Skip skip = nullptr) {
  bench::Workload workload =
      make_workload(name, std::move(title), {"iterate"}, 1, "live particle");  // each point has its own number
  workload.axis = axis;
  for (bench::AxisPoint& point : workload.axis->points) point.operations = holes_at(point.at).live();
  workload.prepare = [=](const bench::Case& inputs) {
    const Holes holes = holes_at(inputs.point);
    return std::make_unique<WalkTask>(holes, make, walk, skip, inputs.seed);
  };
  return workload;
}

/// One in four is visible.
bool is_hidden(std::uint32_t id) {
  return id % 4 != 0;
}

std::vector<bench::Workload> all_walks(const MakeBuffer& make) {
  const bench::Axis dead{"dead particles", "percent", {{0}, {25}, {50}, {75}, {90}, {97}}};
  const auto of_many = [](double percent) { return Holes{kManyBits, percent}; };
  const WalkTask::Walk fall = [](Buffer& buffer) { buffer.iterate(Motion::kFall); };
  const std::string many = "1,048,576 particles, of which a share is dead at random places";
  bench::Axis counts{"particles", "", {}};
  for (unsigned bits = 10; bits <= kManyBits; bits += 2) counts.points.push_back({static_cast<double>(1u << bits), 0});
  return {
      walks("iterate_fall", fmt::format("move {} along one axis: over that share", many), make, fall, dead, of_many),
      walks(
          "iterate_motion", fmt::format("move {} along all axes: over that share", many), make,
          [](Buffer& buffer) { buffer.iterate(Motion::kAll); }, dead, of_many),
      walks("iterate_count", "move particles along one axis, half of them dead at random places: over their number",
            make, fall, counts,
            [](double count) {
              return Holes{static_cast<unsigned>(std::countr_zero(static_cast<std::uint32_t>(count))), 50};
            }),
      walks(
          "iterate_visible", fmt::format("move one in four of {}, with a skip function: over that share", many), make,
          [](Buffer& buffer) { buffer.iterate_some(is_hidden); }, dead, of_many, is_hidden)};
}

/// How the heights of all live particles are read.
enum class Access { kIterator, kIndex, kRandomIndex };

class AccessTask : public bench::Task {
 public:
  AccessTask(std::unique_ptr<Buffer> buffer, Access access, std::uint64_t seed)
      : buffer_(std::move(buffer)), access_(access) {
    buffer_->visit([this](Ref ref, const Particle&) { refs_.push_back(ref); });
    Random random(seed);
    if (access == Access::kRandomIndex)
      for (std::size_t i = refs_.size(); i > 1; --i) std::swap(refs_[i - 1], refs_[random.below(i)]);
    heights_.resize(refs_.size());
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    if (access_ == Access::kIterator)
      clock.time(0, [this] { std::as_const(*buffer_).heights(heights_); });
    else
      clock.time(0, [this] { buffer_->heights(refs_, heights_); });
    std::uint64_t sum = 0;
    for (const float height : heights_) sum += scatter(static_cast<std::uint64_t>(height));
    return sum;
  }

 private:
  std::unique_ptr<Buffer> buffer_;
  Access access_;
  std::vector<Ref> refs_;
  std::vector<float> heights_;
};

/// Of 131,072 live particles.
constexpr Holes kHalfDead{18, 50}, kAllLive{17, 0};

bench::Workload reads(const char* name, const char* how, Access access, const MakeBuffer& make,
                      const Holes& holes = kHalfDead) {
  bench::Workload workload = make_workload(name,
                                           fmt::format("read the heights of 131,072 live particles{}, {}",
                                                       holes.dead() > 0 ? " among as many dead ones" : "", how),
                                           {"read"}, holes.live(), "live particle");
  workload.prepare = [access, make, holes](const bench::Case& inputs) {
    return std::make_unique<AccessTask>(holes.buffer(make, inputs.seed), access, inputs.seed);
  };
  return workload;
}

// --- compaction ------------------------------------------------------------------------------------------------------

/// A frame that never comes is written as this many.
constexpr double kMostFrames = 10'000;

class CompactionTask : public bench::Task {
 public:
  CompactionTask(Holes holes, MakeBuffer make, std::uint64_t seed)
      : holes_(holes), make_(std::move(make)), seed_(seed), first_(holes.digest(seed)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::unique_ptr<Buffer> buffer = holes_.buffer(make_, seed_);
    const std::uint64_t expected = holes_.digest(seed_);
    seed_ = next_seed(seed_);
    // The article's second step: some particles have a child that knows their index.
    std::vector<Ref> parents;
    buffer->visit([&parents](Ref ref, const Particle& particle) {
      if (particle.id % kParticlesOfChild == 0) parents.push_back(ref);
    });
    buffer->on_move([&parents](const Buffer::NewRefs& new_ref) {
      for (Ref& parent : parents) parent = new_ref(parent);
    });
    const auto fall = [&] { buffer->iterate(Motion::kFall); };
    const Usage before = buffer->usage();
    bench::PhaseClock own(3);  // its times also say when a compaction has paid
    own.time(0, fall);
    own.time(1, [&] { buffer->compact(); });
    fall();  // not timed: in later frames the moved particles are in the caches
    own.time(2, fall);
    for (std::size_t phase = 0; phase < least_.size(); ++phase) {
      clock.add(phase, own.nanoseconds()[phase]);
      least_[phase] = std::min(least_[phase], own.nanoseconds()[phase]);
    }
    const Usage usage = buffer->usage();
    if (counted_) return first_ + difference(expected, *buffer, parents);
    counted_ = true;  // later repetitions have other holes, and an exact metric has one value
    moved_ = usage.moved - before.moved;
    kept_ = static_cast<double>(usage.slots) / static_cast<double>(before.slots);
    index_bytes_ = usage.index_layer_bytes;
    return first_ + difference(expected, *buffer, parents);
  }

  std::map<std::string, double> counters() const override {
    const double saved = least_[0] - least_[2];
    const double frames = saved > 0 ? std::min(kMostFrames, least_[1] / saved) : kMostFrames;
    return {{"payback_frames", frames},
            {"moved", static_cast<double>(moved_)},
            {"kept_share", kept_},
            {"index_layer_bytes", static_cast<double>(index_bytes_)}};
  }

 private:
  static constexpr std::uint32_t kParticlesOfChild = 16;

  /// 0 if all live as before, after three falls, and all children know their parents.
  static std::uint64_t difference(std::uint64_t expected, const Buffer& buffer, const std::vector<Ref>& parents) {
    std::uint64_t found = buffer.live();
    std::map<Ref, float> heights;
    buffer.visit([&](Ref ref, const Particle& moved) {
      Particle particle = moved;
      particle.position[kVertical] -= 3 * particle.velocity[kVertical];
      found += digest_of(particle);
      if (particle.id % kParticlesOfChild == 0) heights[ref] = moved.position[kVertical];
    });
    std::vector<float> of_parents(parents.size());
    buffer.heights(parents, of_parents);
    std::uint64_t lost = parents.size() - heights.size();
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const auto parent = heights.find(parents[i]);
      lost += parent == heights.end() || parent->second != of_parents[i];
    }
    return found - expected + lost;
  }

  Holes holes_;
  MakeBuffer make_;
  std::uint64_t seed_;
  const std::uint64_t first_;  // digest of the first repetition
  bool counted_ = false;
  std::array<double, 3> least_{1e18, 1e18, 1e18};
  std::uint64_t moved_ = 0;
  double kept_ = 0;
  std::size_t index_bytes_ = 0;
};

bench::Workload compaction(const MakeBuffer& make) {
  constexpr unsigned kBits = 16;
  bench::Workload workload = make_workload(
      "compaction",
      "compact 65,536 particles, of which a share is dead at random places, and walk before and after: over that share",
      {"walk_before", "compact", "walk_after"}, 1, "live particle");  // each point has its own number
  workload.repeatable = false;                                        // it reads a clock
  workload.metrics = {
      {"payback_frames", "Walks until a compaction has saved its own time; 10,000: never", "", kQuality},
      {"moved", "Particles that it copies", "", kExact},
      {"kept_share", "Slots afterwards, as a share of those before", "", kExact},
      {"index_layer_bytes", "Bytes of new indices", "bytes", kExact}};
  workload.axis = bench::Axis{"dead particles", "percent", {}};
  for (const double percent : {10, 25, 50, 75, 90})
    workload.axis->points.push_back({percent, Holes{kBits, percent}.live()});
  workload.prepare = [make](const bench::Case& inputs) {
    return std::make_unique<CompactionTask>(Holes{kBits, inputs.point}, make, inputs.seed);
  };
  return workload;
}

/// Nine of ten particles die at once; then the variant cleans up as at the end of a frame.
class ReleaseTask : public bench::Task {
 public:
  ReleaseTask(Holes holes, MakeBuffer make, std::uint64_t seed) : holes_(holes), make_(std::move(make)), seed_(seed) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::unique_ptr<Buffer> buffer = holes_.buffer(make_, seed_);
    clock.time(0, [&] { buffer->clean_up(0); });
    const Usage usage = buffer->usage();
    const auto live = static_cast<double>(buffer->live());
    counters_ = {{"bytes_per_live", static_cast<double>(usage.bytes) / live},
                 {"times_live", static_cast<double>(usage.bytes) / (live * sizeof(Particle))},
                 {"dead_slots", static_cast<double>(usage.slots) - live}};
    return digest_of(*buffer);
  }
  std::map<std::string, double> counters() const override { return counters_; }

 private:
  Holes holes_;
  MakeBuffer make_;
  std::uint64_t seed_;
  std::map<std::string, double> counters_;
};

bench::Workload release(const MakeBuffer& make) {
  static constexpr Holes kHoles{17, 90, 1024};
  bench::Workload workload = make_workload(
      "release", "90 % of 131,072 particles die at random places; what the clean-up of that frame costs and gives back",
      {"clean_up"}, kHoles.live(), "live particle");
  workload.metrics = {{"bytes_per_live", "Bytes for each live particle afterwards", "bytes", kExact},
                      {"times_live", "Bytes, as a multiple of those of the live particles", "", kExact},
                      {"dead_slots", "Slots without a live particle", "", kExact}};
  workload.prepare = [make](const bench::Case& inputs) {
    return std::make_unique<ReleaseTask>(kHoles, make, inputs.seed);
  };
  return workload;
}

// --- what belongs to particles ---------------------------------------------------------------------------------------

float first_number(const std::byte* element) {
  float number;
  std::memcpy(&number, element, sizeof number);
  return number;
}

/// Layers that come and go during an emission.
class LayersTask : public bench::Task {
 public:
  LayersTask(MakeBuffer make, std::uint64_t seed) : make_(std::move(make)), seed_(seed) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::unique_ptr<Buffer> buffer = make_(setup_of(scenario_));
    Simulation simulation(scenario_, seed_, *buffer);
    bench::PhaseClock frames(kFramePhases.size());
    bench::Checksum sum;
    std::vector<unsigned> layers;
    const auto add = [&](std::size_t bytes) {
      clock.time(0, [&] { layers.push_back(buffer->add_layer(bytes).value()); });
    };
    const auto remove_first = [&] {
      clock.time(0, [&] { buffer->remove_layer(layers.front()); });
      layers.erase(layers.begin());
    };
    while (!simulation.ended()) {
      if (simulation.frame() == 20) add(kHairBytes);
      if (simulation.frame() == 20) add(kCustomBytes);
      if (simulation.frame() == 70) remove_first();
      if (simulation.frame() == 75) add(kBoidBytes);
      simulation.step(frames);
      clock.time(1, [&] {
        for (const unsigned layer : layers) buffer->iterate_layer(layer);
      });
      if (simulation.frame() % 10 == 0) sum.word(digest_with(*buffer, layers));
    }
    for (std::size_t phase = 0; phase < kFramePhases.size(); ++phase) clock.add(2, frames.nanoseconds()[phase]);
    return sum.value();
  }

 private:
  static constexpr std::size_t kHairBytes = 32, kCustomBytes = 12, kBoidBytes = 48;

  static std::uint64_t digest_with(const Buffer& buffer, const std::vector<unsigned>& layers) {
    std::uint64_t sum = 0;
    buffer.visit([&](Ref ref, const Particle& particle) {
      std::uint64_t one = digest_of(particle);
      for (const unsigned layer : layers)
        one = scatter(one + static_cast<std::uint64_t>(first_number(buffer.layer_at(layer, ref))));
      sum += one;
    });
    return sum;
  }

  const Scenario scenario_ = varying_lifetimes();
  MakeBuffer make_;
  std::uint64_t seed_;
};

bench::Workload layers(const MakeBuffer& make) {
  bench::Workload workload = make_workload(
      "layers",
      "layers of 32, 12 and 48 bytes are added and removed during an emission with varying lifetimes; each "
      "frame changes all of them",
      {"add_remove", "iterate_layers", "frame"}, varying_lifetimes().emitted(), "particle");
  workload.prepare = [make](const bench::Case& inputs) { return std::make_unique<LayersTask>(make, inputs.seed); };
  return workload;
}

/// Child particles, which keep their parent's index and follow it until it dies.
class ChildrenTask : public bench::Task {
 public:
  ChildrenTask(MakeBuffer make, std::uint64_t seed) : make_(std::move(make)), seed_(seed) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::unique_ptr<Buffer> buffer = make_(setup_of(scenario_));
    parents_.clear();
    ids_.clear();
    std::uint64_t made = 0, updates = 0;
    std::vector<Ref> born;
    buffer->on_move([&](const Buffer::NewRefs& new_ref) {
      ++updates;
      for (Ref& parent : parents_) parent = new_ref(parent);
      for (Ref& parent : born) parent = new_ref(parent);  // if it moves at the end of their first frame
    });
    Simulation simulation(scenario_, seed_, *buffer);
    simulation.keep_refs(born);
    bench::PhaseClock frames(kFramePhases.size());
    bench::Checksum sum;
    while (!simulation.ended()) {
      simulation.step(frames);
      for (const Ref parent : born)
        for (unsigned child = 0; child < kChildren; ++child) {
          parents_.push_back(parent);
          ids_.push_back(made++);
        }
      heights_.resize(parents_.size());
      clock.time(1, [&] { buffer->heights(parents_, heights_); });
      sum.word(drop_orphans());
    }
    for (std::size_t phase = 0; phase < kFramePhases.size(); ++phase) clock.add(0, frames.nanoseconds()[phase]);
    updates_ = static_cast<double>(updates);
    return sum.value();
  }
  std::map<std::string, double> counters() const override { return {{"index_updates", updates_}}; }

 private:
  static constexpr unsigned kChildren = 2;

  /// Returns the digest of the children that live on.
  std::uint64_t drop_orphans() {
    std::uint64_t sum = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      if (heights_[i] == kDeadHeight) continue;
      sum += scatter(ids_[i] << 24 ^ static_cast<std::uint64_t>(heights_[i]));
      parents_[kept] = parents_[i];
      ids_[kept++] = ids_[i];
    }
    parents_.resize(kept);
    ids_.resize(kept);
    return sum;
  }

  const Scenario scenario_ = varying_lifetimes();
  MakeBuffer make_;
  std::uint64_t seed_;
  std::vector<Ref> parents_;
  std::vector<std::uint64_t> ids_;
  std::vector<float> heights_;
  double updates_ = 0;
};

bench::Workload children(const MakeBuffer& make) {
  bench::Workload workload = make_workload(
      "children",
      "each particle of an emission with varying lifetimes has two children, which look up its position by "
      "index in every frame",
      {"frame", "follow"}, varying_lifetimes().emitted(), "particle");
  workload.metrics = {{"index_updates", "Times that all indices changed", "", kExact}};
  workload.prepare = [make](const bench::Case& inputs) { return std::make_unique<ChildrenTask>(make, inputs.seed); };
  return workload;
}

constexpr const char* kWalksAll = "it would walk up to 10 million particles in each of 2,000 frames";
constexpr const char* kNoDeadLimit = "its clean-up does not compact";
constexpr const char* kNoIndices = "no index of it finds a particle for as long as that lives";

}  // namespace

std::vector<bench::Workload> workloads(const MakeBuffer& make, const Abilities& abilities) {
  std::vector<bench::Workload> all{
      with_counts(with_film(frames(animated_emission(), make), animated_emission(), make), animated_emission(), make),
      with_frame_times(with_film(frames(varying_lifetimes(), make), varying_lifetimes(), make), varying_lifetimes(),
                       make),
      supported_if(!abilities.walks_all, kWalksAll, with_frame_times(frames(rain(), make, 200), rain(), make)),
      supported_if(!abilities.walks_all, kWalksAll,
                   with_frame_times(frames(varying_rain(), make, 200), varying_rain(), make)),
      frames(bursts(), make),
      frames(filling_sink(), make),
      frames(under_rule(LoadRule::kStopEmitting), make),
      frames(under_rule(LoadRule::kReplaceOldest), make),
      supported_if(abilities.pages, "it has no pages of a chosen size", page_sizes(make))};
  for (bench::Workload& workload : dead_limits(make))
    all.push_back(supported_if(abilities.dead_limit, kNoDeadLimit, std::move(workload)));
  for (bench::Workload& workload : all_walks(make)) all.push_back(std::move(workload));
  all.push_back(reads("read_by_iterator", "by an iterator", Access::kIterator, make));
  all.push_back(
      supported_if(abilities.indices, kNoIndices, reads("read_by_index", "by index in order", Access::kIndex, make)));
  all.push_back(supported_if(abilities.indices, kNoIndices,
                             reads("read_at_random", "by index in random order", Access::kRandomIndex, make)));
  all.push_back(reads("read_all_by_iterator", "by an iterator", Access::kIterator, make, kAllLive));
  all.push_back(supported_if(abilities.indices, kNoIndices,
                             reads("read_all_by_index", "by index in order", Access::kIndex, make, kAllLive)));
  all.push_back(supported_if(abilities.compacts, "it never moves particles together", compaction(make)));
  all.push_back(release(make));
  all.push_back(supported_if(abilities.layers, "it holds one struct for each particle", layers(make)));
  all.push_back(supported_if(abilities.indices, kNoIndices, children(make)));
  return all;
}

}  // namespace lab::particle_buffer
