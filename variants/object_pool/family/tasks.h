/// The timed loops: all that is compiled again for each variant. Everything else is in tasks.cpp and workloads.cpp.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/random.h"
#include "harness/bench/task.h"
#include "variants/designs/objects/id_table.h"
#include "variants/designs/objects/overflow_pool.h"
#include "variants/designs/objects/pool_per_size.h"
#include "variants/object_pool/family/object_pool.h"
#include "variants/object_pool/family/objects.h"
#include "variants/object_pool/family/plans.h"

namespace lab::object_pool {

/// As many references as there are slots or objects. A vector would have its growth compiled for each type of them.
template <typename Ref>
class Refs {
 public:
  explicit Refs(std::size_t count) : count_(count), begin_(new Ref[count]()) {}

  std::size_t size() const { return count_; }
  Ref* begin() const { return begin_.get(); }
  Ref* end() const { return begin_.get() + count_; }
  Ref& operator[](std::size_t index) const { return begin_[index]; }
  /// Forgets the last ones.
  void shorten(std::size_t count) { count_ = count; }

 private:
  std::size_t count_;
  std::unique_ptr<Ref[]> begin_;
};

/// Destroys what a pool does not end by itself.
template <ObjectPool P>
void end_objects(P& pool, const Refs<typename P::Ref>& refs) {
  if constexpr (!Walkable<P>)
    for (const auto& ref : refs)
      if (ref != typename P::Ref{}) pool.destroy(ref);
}

/// A task whose counters are the memory of its pool and of what lives in it.
class MemoryTask : public bench::Task {
 public:
  ~MemoryTask() override;
  std::map<std::string, double> counters() const final;

 protected:
  virtual std::size_t memory_bytes() const = 0;
  virtual std::size_t live_bytes() const = 0;
};

/// A random object is destroyed and another one with its id is created: what lives is the same after any number of
/// pairs. Every variant begins with its first `live` slots in use, and all of its memory touched.
class ChurnTask : public MemoryTask {
 public:
  explicit ChurnTask(const ChurnPlan& plan);
  ~ChurnTask() override;
  /// Nanoseconds of each pair that the plan draws next.
  std::vector<std::uint32_t> pair_times();

 protected:
  virtual void replace_one(std::uint32_t victim) = 0;

  ChurnPlan plan_;
};

template <ObjectPool P>
class ChurnOf final : public ChurnTask {
 public:
  using Ref = typename P::Ref;

  explicit ChurnOf(const ChurnPlan& plan) : ChurnTask(plan), pool_(plan_.capacity()), refs_(plan_.capacity()) {
    for (std::size_t id = 0; id < plan_.capacity(); ++id) {
      refs_[id] = fill_next(pool_, id);
      pool_.get(refs_[id])->id = id;
    }
    for (std::size_t id = plan_.capacity(); id-- > plan_.live();) pool_.destroy(refs_[id]);
    refs_.shorten(plan_.live());
  }
  ~ChurnOf() override { end_objects(pool_, refs_); }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    plan_.draw();
    clock.time(0, [&] {
      if (plan_.bursts().empty())
        for (const std::uint32_t victim : plan_.victims()) replace(refs_[victim]);
      else
        replace_bursts();
    });
    std::uint64_t sum = pool_.size();
    for (const Ref& ref : refs_) sum += scatter(pool_.get(ref)->id);
    return sum;
  }

 protected:
  std::size_t memory_bytes() const override { return pool_.memory_bytes(); }
  std::size_t live_bytes() const override { return pool_.size() * sizeof(typename P::Object); }
  void replace_one(std::uint32_t victim) override { replace(refs_[victim]); }

 private:
  void replace(Ref& ref) {
    const std::uint64_t id = pool_.get(ref)->id;
    pool_.destroy(ref);
    ref = pool_.create();
    pool_.get(ref)->id = id;
  }
  void replace_bursts() {
    const std::uint32_t* victims = plan_.victims().data();
    std::array<std::uint64_t, kMostBurst> ids;
    for (const std::uint32_t burst : plan_.bursts()) {
      for (std::uint32_t i = 0; i < burst; ++i) {
        const Ref& ref = refs_[victims[i]];
        ids[i] = pool_.get(ref)->id;
        pool_.destroy(ref);
      }
      for (std::uint32_t i = 0; i < burst; ++i) {
        Ref& ref = refs_[victims[i]];
        ref = pool_.create();
        pool_.get(ref)->id = ids[i];
      }
      victims += burst;
    }
  }

  P pool_;
  Refs<Ref> refs_;
};

/// The objects' members are set by the pool, or by its user.
class AnyInit : public bench::Task {
 public:
  explicit AnyInit(const ChurnPlan& plan);
  ~AnyInit() override;

 protected:
  ChurnPlan plan_;
};

template <ObjectPool P>
class InitTask final : public AnyInit {
 public:
  explicit InitTask(const ChurnPlan& plan) : AnyInit(plan), pool_(plan_.capacity()), refs_(plan_.live()) {
    for (std::size_t id = 0; id < plan_.live(); ++id) {
      refs_[id] = fill_next(pool_, id);
      pool_.get(refs_[id])->set(id);
    }
  }
  ~InitTask() override { end_objects(pool_, refs_); }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    plan_.draw();
    clock.time(0, [&] {
      for (const std::uint32_t victim : plan_.victims()) {
        const std::uint64_t id = pool_.get(refs_[victim])->id;
        pool_.destroy(refs_[victim]);
        refs_[victim] = pool_.create(id);
      }
    });
    plan_.draw();
    clock.time(1, [&] {
      for (const std::uint32_t victim : plan_.victims()) {
        const std::uint64_t id = pool_.get(refs_[victim])->id;
        pool_.destroy(refs_[victim]);
        refs_[victim] = pool_.create();
        pool_.get(refs_[victim])->set(id);
      }
    });
    std::uint64_t sum = pool_.size();
    for (const auto& ref : refs_) {
      const Filled& object = *pool_.get(ref);
      sum += scatter(object.id) + object.values[0] * object.values[5];
    }
    return sum;
  }

 private:
  P pool_;
  Refs<typename P::Ref> refs_;
};

/// A walk over what lives, half of the capacity, after a random half was destroyed. Objects are then replaced in
/// bursts: as many are created, with the ids of random ones, which are destroyed afterwards. In this order no pool can
/// use the slots of those that it replaces. It is done before every walk, because a processor learns the holes that it
/// meets again. With small bursts alone a free list would have nearly all of them again, so one burst is large.
template <Walkable P>
class IterateTask final : public MemoryTask {
 public:
  IterateTask(std::uint64_t seed, const IteratePlan& plan)
      : random_(seed_of("iterate") ^ seed),
        pool_(plan.capacity),
        moved_(plan.moved),
        replaced_(plan.replaced),
        refs_(plan.capacity),
        created_(UnstableRefs<P> ? 0 : std::max(plan.moved, kMostBurst)) {
    for (std::size_t id = 0; id < plan.capacity; ++id) refs_[id] = fill_next(pool_, id);
    // Which objects live is the same in all variants; where they lie is not. A pool without stable references destroys
    // at random places and gives the survivors their ids afterwards.
    while (pool_.size() > plan.capacity / 2) {
      const std::size_t at = random_.below(pool_.size());
      if constexpr (UnstableRefs<P>) {
        pool_.destroy(pool_.ref_at(at));
      } else {
        pool_.destroy(refs_[at]);
        refs_.shorten(refs_.size() - 1);
        refs_[at] = refs_[refs_.size()];
      }
    }
    std::uint64_t id = 0;
    pool_.each([&](Object& object) { object.id = id++; });
    replace(plan.replaced_before);
    memory_bytes_ = pool_.memory_bytes();
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    replace_burst(moved_);
    replace(replaced_);
    std::uint64_t sum = 0;
    clock.time(0, [&] { pool_.each([&](const Object& object) { sum += object.id; }); });
    sum += pool_.size();
    pool_.each([&](const Object& object) { sum += scatter(object.id); });
    return sum;
  }

 protected:
  std::size_t memory_bytes() const override { return memory_bytes_; }
  std::size_t live_bytes() const override { return pool_.size() * sizeof(Object); }

 private:
  using Object = typename P::Object;
  using Ref = typename P::Ref;

  void replace(std::size_t count) {
    while (count > 0) {
      const std::size_t burst = random_.between(1, std::min({kMostBurst, count, pool_.size() / 2}));
      replace_burst(burst);
      count -= burst;
    }
  }
  void replace_burst(std::size_t burst) requires UnstableRefs<P> {
    for (std::size_t i = 0; i < burst; ++i) replace_one();
  }
  void replace_burst(std::size_t burst) requires(!UnstableRefs<P>) {
    const std::size_t kept = refs_.size() - burst;
    for (std::size_t i = refs_.size(); i-- > kept;) {
      // No std::swap: a colony's iterator must not be moved to itself.
      const std::size_t at = random_.below(i + 1);
      const Ref victim = refs_[at];
      refs_[at] = refs_[i];
      refs_[i] = victim;
    }
    for (std::size_t i = 0; i < burst; ++i) {
      created_[i] = pool_.create();
      pool_.get(created_[i])->id = pool_.get(refs_[kept + i])->id;
    }
    for (std::size_t i = 0; i < burst; ++i) {
      pool_.destroy(refs_[kept + i]);
      refs_[kept + i] = created_[i];
    }
  }
  // The next destruction moves the object that was created last into the place of the destroyed one.
  void replace_one() requires UnstableRefs<P> {
    const std::size_t at = random_.below(pool_.size());
    const Ref created = pool_.create();
    pool_.get(created)->id = pool_.get(pool_.ref_at(at))->id;
    pool_.destroy(pool_.ref_at(at));
  }

  Random random_;
  P pool_;
  std::size_t moved_, replaced_;
  std::size_t memory_bytes_ = 0;  // before the first walk: a pool may give some back, after any number of walks
  Refs<Ref> refs_;                // of what lives; unused if they do not stay valid
  Refs<Ref> created_;             // in the last burst
};

/// The chapter's particle system: in each frame all particles move, those whose time is over die, and new ones are
/// created.
class AnyFrame : public bench::Task {
 public:
  /// `by_phase`: updates and creations are timed apart. Frames of few particles are too short for that: all of a
  /// repetition is then one phase.
  AnyFrame(const FramePlan& plan, bool by_phase);
  ~AnyFrame() override;

 protected:
  const FramePlan plan_;
  const bool by_phase_;
};

template <Walkable P>
class FrameTask final : public AnyFrame {
 public:
  FrameTask(const FramePlan& plan, bool by_phase) : AnyFrame(plan, by_phase), pool_(plan_.capacity) {
    run(kUntimed, kUntimed);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    if (by_phase_)
      run([&clock](auto update) { clock.time(0, update); }, [&clock](auto create) { clock.time(1, create); });
    else
      clock.time(0, [this] { run(kUntimed, kUntimed); });
    std::uint64_t sum = pool_.size();
    pool_.each([&](const Particle& particle) {
      sum += scatter(particle.id ^ static_cast<std::uint64_t>(particle.frames_left) << 32 ^
                     std::bit_cast<std::uint64_t>(particle.x + particle.y));
    });
    return sum;
  }

 private:
  static constexpr auto kUntimed = [](auto part) { part(); };

  template <typename Update, typename Create>
  void run(Update updates, Create creates) {
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      updates([&] {
        pool_.update([](Particle& particle) {
          particle.x += particle.x_velocity;
          particle.y += particle.y_velocity;
          return --particle.frames_left == 0;
        });
      });
      creates([&] {
        for (std::size_t id = frame * plan_.spawned; id < (frame + 1) * plan_.spawned; ++id) {
          Particle& particle = *pool_.get(pool_.create());
          particle.id = id;
          particle.frames_left = plan_.lifetimes[id];
          particle.x = particle.y = static_cast<double>(id);
          particle.x_velocity = 0.5;
          particle.y_velocity = 0.25;
        }
      });
    }
  }

  P pool_;
};

/// From no pool to a full one. All memory is fresh from the system.
template <ObjectPool P>
class StartUpTask final : public bench::Task {
 public:
  explicit StartUpTask(std::size_t capacity) : refs_(capacity) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    // What malloc keeps of the last repetition would be no fresh memory.
    malloc_trim(0);
    std::optional<P> pool;
    clock.time(0, [&] { pool.emplace(refs_.size()); });
    clock.time(1, [&] { fill(*pool, 0, 1); });
    clock.time(2, [&] { fill(*pool, 1, refs_.size()); });
    std::uint64_t sum = pool->size();
    for (const auto& ref : refs_) sum += scatter(pool->get(ref)->id);
    end_objects(*pool, refs_);
    return sum;
  }

 private:
  void fill(P& pool, std::size_t first, std::size_t end) {
    for (std::size_t id = first; id < end; ++id) {
      refs_[id] = fill_next(pool, id);
      pool.get(refs_[id])->id = id;
    }
  }

  Refs<typename P::Ref> refs_;
};

/// What happens when the pool of sounds is full.
enum class LoadRule { kSized, kIgnore, kReplace, kGrow };

struct LoadCounts {
  std::size_t created = 0, dropped = 0, replaced = 0, grown = 0, given_back = 0, peak_bytes = 0, bytes_after = 0;
  double heard = 0;  ///< loudness times ticks
};

class AnyOverload : public bench::Task {
 public:
  explicit AnyOverload(const SoundPlan& plan);
  ~AnyOverload() override;
  std::map<std::string, double> counters() const final;

 protected:
  const SoundPlan plan_;
  LoadCounts counted_;  ///< of a run that is not timed
};

template <Walkable P>
class OverloadTask final : public AnyOverload {
 public:
  OverloadTask(const SoundPlan& plan, LoadRule rule)
      : AnyOverload(plan), rule_(rule), pool_(rule == LoadRule::kSized ? plan_.most_at_once : kVoices) {
    play<true>();
    counted_ = counts_;
    counted_.bytes_after = pool_.memory_bytes();
    if constexpr (requires { pool_.grown(); }) {
      counted_.grown = pool_.grown();
      counted_.given_back = pool_.given_back();
    }
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [&] { play<false>(); });
    return sum_ + pool_.size();
  }

 private:
  template <bool kWatched>
  void play() {
    sum_ = 0;
    counts_ = {};
    for (const std::vector<SoundRequest>& requests : plan_.ticks) {
      pool_.update([this](Sound& sound) {
        ++sound.ticks_heard;
        if (--sound.ticks_left > 0) return false;
        hear(sound);
        return true;
      });
      for (const SoundRequest& request : requests) ask_for(request);
      if constexpr (kWatched) counts_.peak_bytes = std::max(counts_.peak_bytes, pool_.memory_bytes());
    }
  }
  void ask_for(const SoundRequest& request) {
    if (const auto ref = pool_.create(); ref != typename P::Ref{}) {
      ++counts_.created;
      begin(*pool_.get(ref), request);
      return;
    }
    if (rule_ != LoadRule::kReplace) {
      ++counts_.dropped;
      return;
    }
    // Also a louder one: no sound may stay silent.
    Sound* quietest = nullptr;
    pool_.each([&](Sound& sound) {
      if (quietest == nullptr || sound.loudness < quietest->loudness) quietest = &sound;
    });
    ++counts_.replaced;
    hear(*quietest);
    begin(*quietest, request);
  }
  static void begin(Sound& sound, const SoundRequest& request) {
    sound.id = sound.loudness = request.loudness;
    sound.ticks_left = request.ticks;
    sound.ticks_heard = 0;
  }
  void hear(const Sound& sound) {
    sum_ += scatter(sound.id << 32 | sound.ticks_heard);
    counts_.heard += static_cast<double>(sound.loudness) * sound.ticks_heard;
  }

  const LoadRule rule_;
  P pool_;
  std::uint64_t sum_ = 0;
  LoadCounts counts_;
};

/// Objects that refer to targets, and are destroyed without and with clearing the reference.
class AnyReferences : public bench::Task {
 public:
  static constexpr std::size_t kObjects = 1024, kRounds = 8;
  AnyReferences();
  ~AnyReferences() override;
  std::map<std::string, double> counters() const final;

 protected:
  // Targets that somebody still refers to. Nothing lives.
  std::uint64_t kept() const;

  std::vector<std::uint32_t> targets_;
  std::uint64_t kept_ = 0, kept_cleared_ = 0;
};

template <ObjectPool P>
class ReferencesTask final : public AnyReferences {
 public:
  ReferencesTask() : pool_(kObjects), refs_(kObjects) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [&] { run<false>(); });
    kept_ = kept();
    clock.time(1, [&] { run<true>(); });
    kept_cleared_ = kept();
    return kept_ * 1'000'003 + kept_cleared_;
  }

 private:
  template <bool kClears>
  void run() {
    std::fill(targets_.begin(), targets_.end(), 0);
    for (std::size_t round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < kObjects; ++i) {
        refs_[i] = fill_next(pool_, i);
        Referring& object = *pool_.get(refs_[i]);
        object.id = i;
        object.refer(targets_[round * kObjects + i]);
      }
      for (const auto& ref : refs_) {
        if constexpr (kClears) pool_.get(ref)->clear();
        pool_.destroy(ref);
      }
    }
  }

  P pool_;
  Refs<typename P::Ref> refs_;
};

/// Objects that others hold. Phase 0: by pointers, and the object tells its holders when it ends. Phase 1: by IDs.
class AnyHolders : public bench::Task {
 public:
  static constexpr std::size_t kObjects = 1024, kHeldBy = 4, kCreations = 512;

  AnyHolders(std::uint64_t seed, std::size_t accesses);
  ~AnyHolders() override;

 protected:
  /// Before the objects end.
  void let_go();

  std::size_t accesses_;  ///< for each creation
  std::vector<std::uint32_t> victims_, accessed_;
  designs::IdTable<Watched> table_;
  std::vector<designs::Holder<Watched>> holders_;
};

template <ObjectPool P>
class HoldersTask final : public AnyHolders {
 public:
  HoldersTask(std::uint64_t seed, std::size_t accesses)
      : AnyHolders(seed, accesses),
        noted_(2 * kObjects),
        named_(2 * kObjects),
        noted_refs_(kObjects),
        named_refs_(kObjects),
        ids_(kObjects * kHeldBy) {
    for (std::size_t i = 0; i < kObjects; ++i) {
      create_noted(i, i);
      create_named(i, i);
    }
  }
  ~HoldersTask() override {
    let_go();
    end_objects(noted_, noted_refs_);
    end_objects(named_, named_refs_);
  }

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    std::uint64_t by_pointer = 0, by_id = 0;
    clock.time(0, [&] {
      run(
          [&](std::size_t victim) {
            Watched& object = *noted_.get(noted_refs_[victim]);
            const std::uint64_t id = object.id;
            object.holders.notify();
            noted_.destroy(noted_refs_[victim]);
            create_noted(victim, id);
          },
          [&](std::size_t holder) {
            if (const Watched* const object = holders_[holder].get(); object != nullptr) by_pointer += object->id;
          });
    });
    clock.time(1, [&] {
      run(
          [&](std::size_t victim) {
            const std::uint64_t id = named_.get(named_refs_[victim])->id;
            if constexpr (!FindsStale<P>) table_.remove(ids_[victim * kHeldBy]);
            named_.destroy(named_refs_[victim]);
            create_named(victim, id);
          },
          [&](std::size_t holder) {
            if (const Watched* const object = look_up(ids_[holder]); object != nullptr) by_id += object->id;
          });
    });
    return by_pointer * 3 + by_id;
  }

 private:
  // The pool's own handles where it has any.
  template <bool kOwn, typename Pool>
  struct IdOf {
    using Type = designs::ObjectHandle;
  };
  template <typename Pool>
  struct IdOf<true, Pool> {
    using Type = typename Pool::Ref;
  };
  using Id = typename IdOf<FindsStale<P>, P>::Type;

  template <typename Replace, typename Access>
  void run(Replace replace, Access access) {
    const std::uint32_t* at = accessed_.data();
    for (const std::uint32_t victim : victims_) {
      replace(victim);
      for (std::size_t i = 0; i < accesses_; ++i) access(*at++);
    }
  }
  void create_noted(std::size_t object, std::uint64_t id) {
    noted_refs_[object] = noted_.create();
    Watched& created = *noted_.get(noted_refs_[object]);
    created.id = id;
    for (std::size_t i = 0; i < kHeldBy; ++i) holders_[object * kHeldBy + i].hold(created);
  }
  void create_named(std::size_t object, std::uint64_t id) {
    named_refs_[object] = named_.create();
    Watched& created = *named_.get(named_refs_[object]);
    created.id = id;
    Id name;
    if constexpr (FindsStale<P>)
      name = named_refs_[object];
    else
      name = table_.add(&created);
    for (std::size_t i = 0; i < kHeldBy; ++i) ids_[object * kHeldBy + i] = name;
  }
  Watched* look_up(Id id) const {
    if constexpr (FindsStale<P>)
      return named_.get(id);
    else
      return table_.get(id);
  }

  P noted_, named_;
  Refs<typename P::Ref> noted_refs_, named_refs_;
  Refs<Id> ids_;
};

/// Objects of eight sizes, a pool for each.
template <template <typename> class Pool>
using SoakPools = designs::PoolPerSize<Pool, Object<16>, Object<32>, Object<48>, Object<64>, Object<96>, Object<128>,
                                       Object<256>, Object<512>>;
/// The same objects in one pool, whose slots are as large as the largest.
template <template <typename> class Pool>
class LargestSlots {
 public:
  static constexpr auto kBytes = SoakPools<Pool>::kBytes;

  /// As many slots as objects live, whatever their types.
  explicit LargestSlots(const std::array<std::size_t, kSoakTypes>& /*capacities*/) : pool_(kSoakLive) {}

  template <std::size_t kType>
  auto& pool() {
    return pool_;
  }
  std::size_t memory_bytes() const { return pool_.memory_bytes(); }

 private:
  static constexpr std::size_t kLargest = *std::max_element(kBytes.begin(), kBytes.end());
  Pool<Object<kLargest>> pool_;
};

/// A run of any length. It replaces one object after the other and keeps the number of objects.
class AnySoak {
 public:
  virtual ~AnySoak();
  virtual void fill(SizeMix mix) = 0;  ///< once, before all else
  virtual void run(SoakSteps& steps, std::size_t pairs) = 0;
  virtual std::uint64_t digest() = 0;
  virtual std::size_t live_bytes() const = 0;
  virtual std::size_t memory_bytes() const = 0;  ///< of the pools

 protected:
  AnySoak();

  std::vector<std::uint8_t> types_;  ///< of the object in each slot
};

template <template <typename> class Pool, typename Pools = SoakPools<Pool>>
class SoakOf final : public AnySoak {
 public:
  explicit SoakOf(const std::array<std::size_t, kSoakTypes>& capacities) : pools_(capacities) {}
  void fill(SizeMix mix) override {
    for (std::uint32_t slot = 0; slot < kSoakLive; ++slot) begin(slot, first_type(slot, mix), slot);
  }
  ~SoakOf() override {
    for (std::uint32_t slot = 0; slot < kSoakLive; ++slot) end(slot);
  }

  void run(SoakSteps& steps, std::size_t pairs) override {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const SoakSteps::Step step = steps.next();
      begin(step.slot, step.type, end(step.slot));
    }
  }
  std::uint64_t digest() override {
    std::uint64_t sum = live_bytes_;
    for (std::uint32_t slot = 0; slot < kSoakLive; ++slot)
      of_type(types_[slot],
              [&](auto& pool, auto& refs) { sum += scatter(pool.get(refs[slot])->id << 8 | types_[slot]); });
    return sum;
  }
  std::size_t live_bytes() const override { return live_bytes_; }
  std::size_t memory_bytes() const override { return pools_.memory_bytes(); }

 private:
  template <typename Index>
  struct RefsOf;
  template <std::size_t... kType>
  struct RefsOf<std::index_sequence<kType...>> {
    template <std::size_t kOne>
    struct Of : Refs<typename std::remove_cvref_t<decltype(std::declval<Pools&>().template pool<kOne>())>::Ref> {
      Of() : Of::Refs(kSoakLive) {}
    };
    using Type = std::tuple<Of<kType>...>;
  };

  // Not inlined: eight pools' code would be compiled in each place.
  [[gnu::noinline]] void begin(std::uint32_t slot, std::uint32_t type, std::uint64_t id) {
    types_[slot] = static_cast<std::uint8_t>(type);
    of_type(type, [&](auto& pool, auto& refs) {
      refs[slot] = pool.create();
      pool.get(refs[slot])->id = id;
    });
    live_bytes_ += Pools::kBytes[type];
  }
  [[gnu::noinline]] std::uint64_t end(std::uint32_t slot) {
    std::uint64_t id = 0;
    of_type(types_[slot], [&](auto& pool, auto& refs) {
      id = pool.get(refs[slot])->id;
      pool.destroy(refs[slot]);
    });
    live_bytes_ -= Pools::kBytes[types_[slot]];
    return id;
  }
  template <typename F>
  void of_type(std::uint32_t type, F f) {
    static_assert(kSoakTypes == 8);
    switch (type) {
      case 0:
        return f(pools_.template pool<0>(), std::get<0>(refs_));
      case 1:
        return f(pools_.template pool<1>(), std::get<1>(refs_));
      case 2:
        return f(pools_.template pool<2>(), std::get<2>(refs_));
      case 3:
        return f(pools_.template pool<3>(), std::get<3>(refs_));
      case 4:
        return f(pools_.template pool<4>(), std::get<4>(refs_));
      case 5:
        return f(pools_.template pool<5>(), std::get<5>(refs_));
      case 6:
        return f(pools_.template pool<6>(), std::get<6>(refs_));
      default:
        return f(pools_.template pool<7>(), std::get<7>(refs_));
    }
  }

  Pools pools_;
  typename RefsOf<std::make_index_sequence<kSoakTypes>>::Type refs_;
  std::size_t live_bytes_ = 0;
};

}  // namespace lab::object_pool
