#include <fmt/format.h>
#include <gtest/gtest.h>
#include <plf_colony.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "harness/bench/exhibits.h"
#include "variants/common/testing/claims_of_article.h"
#include "variants/particle_buffer/family/checked_buffer.h"
#include "variants/particle_buffer/family/colony_particles.h"
#include "variants/particle_buffer/family/conformance.h"
#include "variants/particle_buffer/family/exhibits.h"
#include "variants/particle_buffer/family/fuzz.h"
#include "variants/particle_buffer/family/monolithic_buffer.h"
#include "variants/particle_buffer/family/paged_buffer.h"
#include "variants/particle_buffer/family/scenario.h"
#include "variants/particle_buffer/family/simulation.h"
#include "variants/particle_buffer/family/swap_pop_particles.h"
#include "variants/particle_buffer/family/workloads.h"

namespace lab::particle_buffer {
namespace {

namespace json = boost::json;

using Names = std::vector<std::string>;

// --- Buffers of every kind -------------------------------------------------------------------------------------------

/// It depends on the frames since.
constexpr double kAnyMemory = -1;

struct Kind {
  std::string name;
  MakeBuffer make;
  Abilities abilities = kCompactingAbilities;
  double times_live = 0;  ///< the most memory that may be left after nine of ten have died; 0: it keeps all
};

Kind paged(const std::string& name, const PagedChoice& choice) {
  // A struct with pointers has 88 bytes, so that even without gaps it is over the limit of the others.
  const double most = choice.layout == Layout::kPointerRows ? 88.0 / 64 * 1.1 : 1.1;
  return {name, [choice](const Setup& setup) { return make_paged(setup, choice); },
          choice.clean_up == CleanUp::kFreeDeadPages ? kPagedAbilities : kCompactingAbilities,
          choice.clean_up == CleanUp::kFreeDeadPages ? 0 : most};
}

Kind good() {
  return paged("good", {.clean_up = CleanUp::kCompactAtShare});
}

template <typename Container>
Kind unindexed(const char* name) {
  using Made = UnindexedBuffer<Container>;
  return {name, [](const Setup& setup) { return std::make_unique<Made>(setup); }, Made::kAbilities};
}

std::vector<Kind> unpaged_kinds() {
  std::vector<Kind> kinds{unindexed<SwapPopRows>("swap-pop rows"), unindexed<SwapPopColumns>("swap-pop columns"),
                          unindexed<ColonyParticles>("colony")};
  for (const auto& [name, growth] :
       {std::pair{"fixed amount", Growth::kFixedAmount}, {"exact copy", Growth::kExact}, {"by half", Growth::kByHalf}})
    kinds.push_back({name, [growth](const Setup& setup) { return make_monolithic(setup, growth); },
                     monolithic_abilities(growth), growth == Growth::kFixedAmount ? 0 : 1.1});
  return kinds;
}

/// Every pair of choices that may disturb each other; how a walk goes matters in columns alone.
std::vector<Kind> all_kinds() {
  using designs::CompactionOrder;
  using designs::PageLoop;
  constexpr std::array kLoops{PageLoop::kSetBits, PageLoop::kDense, PageLoop::kChosen};
  std::vector<Kind> kinds = unpaged_kinds();
  unsigned number = 0;
  for (const Layout layout : {Layout::kRows, Layout::kPointerRows, Layout::kColumns})
    for (const CleanUp clean_up : {CleanUp::kFreeDeadPages, CleanUp::kCompactAtShare, CleanUp::kCompactByForecast})
      for (const CompactionOrder order : {CompactionOrder::kStable, CompactionOrder::kFromEnd})
        for (unsigned i = 0; i < (layout == Layout::kColumns ? kLoops.size() : 1); ++i, ++number) {
          const PageLoop loop = kLoops[layout == Layout::kColumns ? i : number % kLoops.size()];
          const bool recycles = number % 2 == 0;
          const bool knows_deaths = clean_up == CleanUp::kCompactByForecast || number % 5 < 2;
          kinds.push_back(paged(fmt::format("layout {} clean_up {} order {} loop {} recycles {} knows_deaths {}",
                                            static_cast<int>(layout), static_cast<int>(clean_up),
                                            static_cast<int>(order), static_cast<int>(loop), recycles, knows_deaths),
                                {layout, clean_up, order, loop, recycles, knows_deaths}));
        }
  // Parts so small that a compaction takes several frames.
  for (const Layout layout : {Layout::kRows, Layout::kPointerRows, Layout::kColumns}) {
    kinds.push_back(paged(fmt::format("layout {} in parts", static_cast<int>(layout)),
                          {.layout = layout, .clean_up = CleanUp::kCompactAtShare, .most_moved = 150}));
    kinds.back().times_live = kAnyMemory;
  }
  return kinds;
}

/// The failed checks as "name: what is wrong".
Names failures_of(const Kind& kind) {
  Names failures;
  for (const bench::ConformanceCheck& check : checks_of(kind.make, kind.abilities))
    if (const std::string wrong = check.what_is_wrong(); !wrong.empty())
      failures.push_back(fmt::format("{}: {}", check.name, wrong));
  return failures;
}

std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next() >> 56);
  return bytes;
}

TEST(ParticleBuffers, of_every_kind_pass_their_checks) {
  for (const Kind& kind : all_kinds()) EXPECT_EQ(failures_of(kind), Names{}) << kind.name;
}

TEST(ParticleBuffers, of_every_kind_take_any_input_of_the_fuzzer) {
  std::uint64_t seed = 1;
  for (const Kind& kind : all_kinds()) {
    for (const std::size_t length : {0u, 1u, 2u, 3u, 4u})
      EXPECT_EQ(fuzz(kind.make, kind.abilities, random_bytes(length, length)), "") << kind.name << " " << length;
    for (int i = 0; i < 2; ++i, ++seed)
      EXPECT_EQ(fuzz(kind.make, kind.abilities, random_bytes(seed, 500)), "") << kind.name << " seed " << seed;
  }
}

TEST(ParticleBuffers, take_nothing_as_their_first_emission) {
  for (const Kind& kind : all_kinds()) {
    CheckedBuffer buffer(kind.make, kind.abilities, {1'000, 64});
    buffer.add_layer(12);
    buffer.emit(0, 5);
    buffer.iterate(Motion::kAll);
    buffer.iterate_layers();
    buffer.retire();
    buffer.kill_oldest(3);
    buffer.clean_up();
    buffer.compact();
    EXPECT_EQ(buffer.difference(), "") << kind.name;
    buffer.remove_layer(0);
    buffer.emit(10, 5);
    EXPECT_EQ(buffer.difference(), "") << kind.name;
  }
}

// --- Digests ---------------------------------------------------------------------------------------------------------

Particle example(std::uint32_t id) {
  const auto number = static_cast<float>(id);
  return {{number + 1, number + 2, number + 3}, {4, 5, 6}, {1, 0, 0, 0}, {7, 8, 9}, id, 1, 30 + id};
}

std::uint64_t digest_of(const std::vector<Particle>& particles) {
  const std::unique_ptr<Buffer> buffer = good().make({100, 64});
  buffer->emit(particles);
  return digest_of(*buffer);
}

TEST(Digests, do_not_depend_on_the_order) {
  const std::vector<Particle> particles{example(0), example(1), example(2)};
  EXPECT_EQ(digest_of({example(2), example(0), example(1)}), digest_of(particles));
  for (const Kind& kind : unpaged_kinds()) {
    const std::unique_ptr<Buffer> buffer = kind.make({100, 64});
    buffer->emit(particles);
    EXPECT_EQ(digest_of(*buffer), digest_of(particles)) << kind.name;
  }
}

TEST(Digests, of_a_dropped_doubled_or_changed_particle_are_others) {
  const std::vector<Particle> particles{example(0), example(1), example(2)};
  std::vector<std::vector<Particle>> others{{},
                                            {example(0), example(1)},
                                            {example(0), example(2)},
                                            {example(0), example(1), example(1)},
                                            {example(0), example(1), example(2), example(2)},
                                            {example(0), example(1), example(3)}};
  const auto changed = [&](auto change) {
    others.push_back(particles);
    change(others.back()[1]);
  };
  for (unsigned axis = 0; axis < 3; ++axis) {
    changed([axis](Particle& one) { one.position[axis] += 1; });
    changed([axis](Particle& one) { one.position[axis] = -one.position[axis]; });
    changed([axis](Particle& one) { one.velocity[axis] += 1; });
  }
  changed([](Particle& one) { std::swap(one.position[0], one.position[2]); });
  changed([](Particle& one) { std::swap(one.position[1], one.velocity[1]); });
  changed([](Particle& one) { ++one.id; });
  changed([](Particle& one) { ++one.dies; });
  changed([](Particle& one) { std::swap(one.id, one.dies); });
  std::set<std::uint64_t> digests{digest_of(particles)};
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_TRUE(digests.insert(digest_of(others[i])).second) << i;
}

// --- Scenarios -------------------------------------------------------------------------------------------------------

/// Every particle of a scenario.
std::vector<Particle> particles_of(const Scenario& scenario, std::uint32_t frames, std::uint64_t seed = 1) {
  Emitter emitter(scenario, seed);
  std::vector<Particle> all;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const std::span<const Particle> born = emitter.next(frame, scenario.rate(frame));
    all.insert(all.end(), born.begin(), born.end());
  }
  return all;
}

/// By the lifetime.
std::map<std::uint32_t, std::size_t> lifetimes_of(const std::vector<Particle>& particles) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const Particle& particle : particles) ++counts[particle.dies - particle.born];
  return counts;
}

/// Live particles after each frame.
std::vector<std::size_t> live_over(const Scenario& scenario, std::uint32_t frames) {
  const std::unique_ptr<Buffer> buffer = good().make(setup_of(scenario));
  Simulation simulation(scenario, 1, *buffer);
  bench::PhaseClock clock(kFramePhases.size());
  std::vector<std::size_t> live;
  while (simulation.frame() < frames) {
    simulation.step(clock);
    live.push_back(buffer->live());
  }
  return live;
}

TEST(Scenarios, of_rain_are_10_million_particles_of_which_100_000_live) {
  const Scenario scenario = rain();
  EXPECT_EQ(scenario.emitted(), 10'000'000u);
  EXPECT_EQ(setup_of(scenario).amount, 10'000'000u);
  EXPECT_EQ(scenario.frames, 2'000u);
  EXPECT_EQ(lifetimes_of(particles_of(scenario, 40)), (std::map<std::uint32_t, std::size_t>{{20, 200'000}}));
  std::vector<std::size_t> expected;
  for (std::size_t frame = 0; frame < 50; ++frame) expected.push_back(5'000 * std::min<std::size_t>(frame + 1, 20));
  EXPECT_EQ(live_over(scenario, 50), expected);
}

TEST(Scenarios, of_the_animated_emission_let_each_particle_live_for_24_frames) {
  const Scenario scenario = animated_emission();
  EXPECT_EQ(lifetimes_of(particles_of(scenario, scenario.frames)),
            (std::map<std::uint32_t, std::size_t>{{24, scenario.emitted()}}));
  std::vector<std::size_t> expected;
  for (std::uint32_t frame = 0; frame < scenario.frames; ++frame) {
    std::size_t live = 0;
    for (std::uint32_t born = frame < 24 ? 0 : frame - 23; born <= frame; ++born) live += scenario.rate(born);
    expected.push_back(live);
  }
  EXPECT_EQ(live_over(scenario, scenario.frames), expected);
  EXPECT_EQ(*std::ranges::max_element(scenario.rates), 2'000u) << "a burst";
  EXPECT_EQ(std::ranges::count(scenario.rates, 0u), 10) << "a pause";
}

TEST(Scenarios, with_varying_lifetimes_let_nine_of_ten_live_for_2_to_12_frames_and_the_others_for_50_to_150) {
  const Scenario scenario = varying_lifetimes();
  EXPECT_EQ(scenario.rates, animated_emission().rates);
  std::set<std::uint32_t> lifetimes, expected;
  std::size_t brief = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const auto& [lifetime, count] : lifetimes_of(particles_of(scenario, scenario.frames, seed))) {
      lifetimes.insert(lifetime);
      brief += lifetime <= 12 ? count : 0;
      all += count;
    }
  for (std::uint32_t frames = 2; frames <= 12; ++frames) expected.insert(frames);
  for (std::uint32_t frames = 50; frames <= 150; ++frames) expected.insert(frames);
  EXPECT_EQ(lifetimes, expected);
  EXPECT_EQ(all, 5 * scenario.emitted());
  EXPECT_NEAR(static_cast<double>(brief) / static_cast<double>(all), 0.9, 0.005);
}

TEST(Scenarios, of_a_sink_keep_every_particle) {
  const Scenario scenario = filling_sink();
  std::vector<std::size_t> expected;
  for (std::size_t frame = 1; frame <= 60; ++frame) expected.push_back(1'000 * frame);
  EXPECT_EQ(live_over(scenario, scenario.frames), expected);
}

TEST(Scenarios, are_the_same_for_equal_seeds_alone) {
  const auto digest = [](std::uint64_t seed) {
    std::uint64_t sum = 0;
    for (const Particle& particle : particles_of(varying_lifetimes(), 40, seed)) sum += digest_of(particle);
    return sum;
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

/// Passes all calls on. Base of buffers with one fault each, and of one that looks.
class Delegating : public Buffer {
 public:
  explicit Delegating(std::unique_ptr<Buffer> inner) : inner_(std::move(inner)) {}

  void emit(std::span<const Particle> born, std::span<Ref> refs) override { inner_->emit(born, refs); }
  void iterate(Motion motion) override { inner_->iterate(motion); }
  void iterate_some(Skip skip) override { inner_->iterate_some(skip); }
  std::size_t retire(std::uint32_t frame) override { return inner_->retire(frame); }
  void kill_oldest(std::size_t count) override { inner_->kill_oldest(count); }
  void clean_up(std::uint32_t frame) override { inner_->clean_up(frame); }
  std::size_t live() const override { return inner_->live(); }
  Usage usage() const override { return inner_->usage(); }
  std::vector<Span> spans() const override { return inner_->spans(); }
  void visit(const std::function<void(Ref, const Particle&)>& each) const override { inner_->visit(each); }
  void kill(const std::function<bool(std::uint32_t id)>& chosen) override { inner_->kill(chosen); }
  void heights(std::span<float> out) const override { inner_->heights(out); }
  void heights(std::span<const Ref> refs, std::span<float> out) const override { inner_->heights(refs, out); }
  void on_move(std::function<void(const NewRefs&)> owner) override { inner_->on_move(std::move(owner)); }
  void compact() override { inner_->compact(); }
  std::optional<unsigned> add_layer(std::size_t bytes) override { return inner_->add_layer(bytes); }
  void remove_layer(unsigned layer) override { inner_->remove_layer(layer); }
  void iterate_layer(unsigned layer) override { inner_->iterate_layer(layer); }
  const std::byte* layer_at(unsigned layer, Ref ref) const override { return inner_->layer_at(layer, ref); }

 protected:
  std::unique_ptr<Buffer> inner_;
};

class RemembersMostLive : public Delegating {
 public:
  using Delegating::Delegating;
  void emit(std::span<const Particle> born, std::span<Ref> refs) override {
    Delegating::emit(born, refs);
    most_live = std::max(most_live, live());
  }
  std::size_t most_live = 0;
};

struct UnderRule {
  std::size_t live = 0;
  std::uint64_t emitted = 0, not_emitted = 0, replaced = 0;
  bool operator==(const UnderRule&) const = default;
};

/// What a rule does over the frames, from the rates and lifetimes alone.
std::vector<UnderRule> expected_under(const Scenario& scenario) {
  std::vector<UnderRule> frames;
  UnderRule now;
  std::map<std::uint32_t, std::size_t> by_birth;
  for (std::uint32_t frame = 0; frame < scenario.frames; ++frame) {
    for (std::uint32_t i = 0; i < scenario.rate(frame); ++i) {
      const bool full = now.live == scenario.most_live;
      if (full && (scenario.rule == LoadRule::kStopEmitting || by_birth.begin()->first == frame)) {
        ++now.not_emitted;
        continue;
      }
      if (full) {
        if (--by_birth.begin()->second == 0) by_birth.erase(by_birth.begin());
        --now.live;
        ++now.replaced;
      }
      ++by_birth[frame];
      ++now.live;
      ++now.emitted;
    }
    for (; !by_birth.empty() && by_birth.begin()->first + 24 <= frame; by_birth.erase(by_birth.begin()))
      now.live -= by_birth.begin()->second;
    frames.push_back(now);
  }
  return frames;
}

TEST(LoadRules, never_let_more_live_than_there_is_room_for_and_count_what_they_do) {
  for (const LoadRule rule : {LoadRule::kStopEmitting, LoadRule::kReplaceOldest})
    for (const std::size_t most_live : {2'500u, 1'000u, 1u})
      for (const Kind& kind : {good(), unpaged_kinds()[0], unpaged_kinds()[4]}) {
        Scenario scenario = under_rule(rule);
        EXPECT_EQ(scenario.most_live, 2'500u);
        scenario.most_live = most_live;
        RemembersMostLive buffer(kind.make(setup_of(scenario)));
        Simulation simulation(scenario, 1, buffer);
        bench::PhaseClock clock(kFramePhases.size());
        std::vector<UnderRule> frames;
        while (!simulation.ended()) {
          simulation.step(clock);
          frames.push_back({buffer.live(), simulation.emitted(), simulation.not_emitted(), simulation.replaced()});
        }
        EXPECT_EQ(buffer.most_live, most_live) << kind.name;
        EXPECT_TRUE(frames == expected_under(scenario)) << kind.name << " of " << most_live;
        EXPECT_EQ(frames.back().replaced > 0, rule == LoadRule::kReplaceOldest);
        EXPECT_EQ(frames.back().emitted + frames.back().not_emitted, scenario.emitted());
      }
}

// --- Buffers with one fault each -------------------------------------------------------------------------------------

/// A compaction drops the particle that a walk meets first.
class LosesOneInCompaction : public Delegating {
 public:
  using Delegating::Delegating;
  void compact() override {
    Delegating::compact();
    lose_one();
  }
  void clean_up(std::uint32_t frame) override {
    const std::uint64_t before = usage().compactions;
    Delegating::clean_up(frame);
    if (usage().compactions != before) lose_one();
  }

 private:
  void lose_one() {
    std::optional<std::uint32_t> first;
    visit([&](Ref, const Particle& particle) {
      if (!first) first = particle.id;
    });
    if (first) kill([&](std::uint32_t id) { return id == *first; });
  }
};

/// Tells its owner the index of the particle beside.
class SwapsIndices : public Delegating {
 public:
  using Delegating::Delegating;
  void on_move(std::function<void(const NewRefs&)> owner) override {
    Delegating::on_move([owner](const NewRefs& new_ref) {
      owner([&](Ref old) {
        const Ref to = new_ref(old);
        return to == kNone ? kNone : to ^ 1;
      });
    });
  }
};

class ForgetsToZeroLayers : public Delegating {
 public:
  using Delegating::Delegating;
  std::optional<unsigned> add_layer(std::size_t bytes) override {
    const std::optional<unsigned> layer = Delegating::add_layer(bytes);
    if (layer) iterate_layer(*layer);
    return layer;
  }
};

/// In every tenth frame, what should die lives for a frame more.
class KeepsDead : public Delegating {
 public:
  using Delegating::Delegating;
  std::size_t retire(std::uint32_t frame) override { return Delegating::retire(frame % 10 == 9 ? frame - 1 : frame); }
};

/// A walk leaves out every 64th particle, as one that forgets the last slot of a word.
class SkipsEvery64th : public Delegating {
 public:
  using Delegating::Delegating;
  void iterate(Motion motion) override {
    if (motion == Motion::kAll) return Delegating::iterate(motion);
    Delegating::iterate_some([](std::uint32_t id) { return id % 64 == 63; });
  }
};

/// An index of a dead particle has a height.
class AnswersStaleIndices : public Delegating {
 public:
  using Delegating::Delegating;
  using Delegating::heights;
  void heights(std::span<const Ref> refs, std::span<float> out) const override {
    Delegating::heights(refs, out);
    std::ranges::replace(out, kDeadHeight, 1.0f);
  }
};

/// The last of every ninth lot comes twice.
class EmitsTwice : public Delegating {
 public:
  using Delegating::Delegating;
  void emit(std::span<const Particle> born, std::span<Ref> refs) override {
    Delegating::emit(born, refs);
    if (++lots_ % 9 == 0 && !born.empty()) Delegating::emit(born.last(1), {});
  }

 private:
  unsigned lots_ = 0;
};

/// Skips those that are not to be skipped.
class SkipsTheWrongOnes : public Delegating {
 public:
  using Delegating::Delegating;
  void iterate_some(Skip skip) override {
    skip_ = skip;
    Delegating::iterate_some([](std::uint32_t id) { return id % 1'000 != 1 && skip_(id); });
  }

 private:
  inline static Skip skip_;
};

struct Fault {
  Kind kind;
  Names checks;          ///< that find it
  std::string workload;  ///< whose checksum shows it
  double point = 0;
};

template <typename Faulty>
Fault fault(const char* name, Names checks, const char* workload, double point = 0) {
  return {{name, [](const Setup& setup) { return std::make_unique<Faulty>(good().make(setup)); }},
          std::move(checks),
          workload,
          point};
}

const std::string kLives = "particles live as long as they should, and an emptied buffer fills again",
                  kModel = "what lives is the same as in a model after every frame",
                  kOldest = "the oldest particles can be killed first",
                  kCompacts =
                      "indices and contents survive every compaction, which takes no more than one page besides",
                  kLayers = "layers that come and go keep the values of each particle";

std::vector<Fault> faults() {
  return {
      fault<LosesOneInCompaction>("LosesOneInCompaction", {kModel, kOldest, kCompacts, kLayers}, "compaction", 50),
      fault<LosesOneInCompaction>("LosesOneInCompaction", {kModel, kOldest, kCompacts, kLayers}, "varying_lifetimes"),
      fault<SwapsIndices>("SwapsIndices", {kModel, kOldest, kCompacts, kLayers}, "children"),
      fault<ForgetsToZeroLayers>("ForgetsToZeroLayers", {kLayers}, "layers"),
      fault<KeepsDead>("KeepsDead", {kModel, kOldest, kLayers}, "varying_lifetimes"),
      fault<SkipsEvery64th>("SkipsEvery64th", {kLives, kModel}, "iterate_count", 1'024),
      fault<AnswersStaleIndices>("AnswersStaleIndices", {kLives, kModel, kOldest, kLayers}, "children"),
      fault<EmitsTwice>("EmitsTwice", {kModel, kOldest, kCompacts, kLayers}, "sink"),
      fault<SkipsTheWrongOnes>("SkipsTheWrongOnes", {kModel}, "iterate_visible", 97)};
}

/// One repetition.
std::uint64_t checksum_of(const Kind& kind, const std::string& name, double point = 0) {
  for (const bench::Workload& workload : workloads(kind.make, kind.abilities)) {
    if (workload.name != name) continue;
    bench::PhaseClock clock(workload.phases.size());
    return workload.prepare({.seed = 1, .point = point})->repeat(clock);
  }
  ADD_FAILURE() << "no workload " << name;
  return 0;
}

TEST(Conformance, names_every_fault) {
  EXPECT_EQ(failures_of(fault<Delegating>("none", {}, "").kind), Names{});
  for (const Fault& each : faults()) {
    Names failed;
    for (const std::string& failure : failures_of(each.kind)) failed.push_back(failure.substr(0, failure.find(": ")));
    EXPECT_EQ(failed, each.checks) << each.kind.name;
  }
}

TEST(Conformance, says_what_is_wrong_in_one_sentence) {
  const auto wrong = [](const Fault& each, auto steps) {
    CheckedBuffer buffer(each.kind.make, kPagedAbilities, {1'000, 64});
    buffer.emit(200, kForever);
    steps(buffer);
    return buffer.difference();
  };
  const auto compact = [](CheckedBuffer& buffer) {
    buffer.kill_every(2, 0);
    buffer.compact();
  };
  const std::vector<Fault> all = faults();
  EXPECT_EQ(wrong(all[0], compact), "99 particles live, not 100");
  EXPECT_EQ(wrong(all[2], compact), "particle 199 has index 99, not 98");
  EXPECT_EQ(wrong(all[3], [](CheckedBuffer& buffer) { buffer.add_layer(32); }),
            "particle 199 has 1 in a layer of 32 bytes, not 0");
  EXPECT_EQ(wrong(all[4],
                  [](CheckedBuffer& buffer) {
                    for (int frame = 0; frame < 8; ++frame) buffer.retire();
                    buffer.emit(3, 0);
                    buffer.retire();
                  }),
            "0 particles were retired, not 3");
  EXPECT_EQ(wrong(all[5], [](CheckedBuffer& buffer) { buffer.iterate(Motion::kFall); }), "particle 191 has changed");
  EXPECT_EQ(wrong(all[6], [](CheckedBuffer& buffer) { buffer.kill_every(200, 7); }),
            "index 7 names a particle at height 1, not -1");
  EXPECT_EQ(wrong(all[7],
                  [](CheckedBuffer& buffer) {
                    for (int lot = 0; lot < 8; ++lot) buffer.emit(2, kForever);
                  }),
            "217 particles live, not 216");
}

TEST(Checksums, show_every_fault) {
  for (const Fault& each : faults())
    EXPECT_NE(checksum_of(each.kind, each.workload, each.point), checksum_of(good(), each.workload, each.point))
        << each.kind.name << " in " << each.workload;
}

TEST(Fuzz, finds_every_fault) {
  for (const Fault& each : faults()) {
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 40 && !found; ++seed)
      found = !fuzz(each.kind.make, kPagedAbilities, random_bytes(seed, 1'000)).empty();
    EXPECT_TRUE(found) << each.kind.name;
  }
}

// --- Workloads -------------------------------------------------------------------------------------------------------

/// Of all workloads but rain, rain_varying and those over a million particles.
std::map<std::string, std::uint64_t> checksums_of(const Kind& kind) {
  std::map<std::string, std::uint64_t> sums;
  for (const bench::Workload& workload : workloads(kind.make, kind.abilities)) {
    const std::string& name = workload.name;
    if (!workload.unsupported.empty() || name.starts_with("rain") ||
        (name.starts_with("iterate_") && name != "iterate_count"))
      continue;
    const auto task = workload.prepare({.seed = 1, .point = workload.axis ? workload.axis->points[1].at : 0});
    bench::PhaseClock clock(workload.phases.size());
    sums[name] = task->repeat(clock);
    EXPECT_EQ(task->repeat(clock), sums[name]) << kind.name << " " << name << " a second time";
  }
  return sums;
}

TEST(Workloads, have_one_checksum_for_all_kinds_of_buffers) {
  const std::map<std::string, std::uint64_t> expected = checksums_of(good());
  EXPECT_EQ(expected.size(), 20u);
  std::vector<Kind> kinds = unpaged_kinds();
  kinds.push_back(paged("free dead pages", {}));
  kinds.push_back(paged("gaps", {.clean_up = CleanUp::kCompactAtShare, .order = designs::CompactionOrder::kFromEnd}));
  kinds.push_back(paged("pointers", {.layout = Layout::kPointerRows, .clean_up = CleanUp::kCompactAtShare}));
  for (const auto loop : {designs::PageLoop::kSetBits, designs::PageLoop::kDense, designs::PageLoop::kChosen})
    kinds.push_back(paged("columns", {Layout::kColumns, CleanUp::kCompactByForecast, designs::CompactionOrder::kStable,
                                      loop, true, true}));
  for (const Kind& kind : kinds)
    for (const auto& [name, sum] : checksums_of(kind)) EXPECT_EQ(sum, expected.at(name)) << kind.name << " " << name;
}

TEST(Workloads, leave_little_more_memory_than_the_live_particles_need_if_the_buffer_compacts) {
  for (const Kind& kind : all_kinds())
    for (const bench::Workload& workload : workloads(kind.make, kind.abilities)) {
      if (workload.name != "release") continue;
      const auto task = workload.prepare({.seed = 1});
      bench::PhaseClock clock(1);
      task->repeat(clock);
      const double times = task->counters().at("times_live");
      if (kind.times_live == kAnyMemory) continue;
      if (kind.times_live != 0) {
        EXPECT_LE(times, kind.times_live) << kind.name;
      } else {
        EXPECT_GT(times, 9) << kind.name;
      }
      EXPECT_GE(times, 1) << kind.name;
    }
}

TEST(Workloads, with_another_limit_of_dead_slots_trade_memory_for_copies) {
  const auto counted = [](const std::string& name) {
    std::map<std::string, double> counters;
    for (const bench::Workload& workload : workloads(good().make, kCompactingAbilities))
      if (workload.name == name) {
        const std::unique_ptr<bench::Task> task = workload.prepare(bench::Case{.seed = 1});
        bench::PhaseClock clock(kFramePhases.size());
        task->repeat(clock);
        counters = task->counters();
      }
    return counters;
  };
  std::map<std::string, double> early = counted("compact_early"), at_half = counted("varying_lifetimes"),
                                late = counted("compact_late");
  EXPECT_LT(early["bytes_per_live"], at_half["bytes_per_live"]);
  EXPECT_LT(at_half["bytes_per_live"], late["bytes_per_live"]);
  EXPECT_GT(early["moved"], at_half["moved"]);
  EXPECT_GT(at_half["moved"], late["moved"]);
  EXPECT_GT(late["moved"], 0);
}

TEST(Workloads, leave_no_dead_slot_but_in_the_last_page_if_the_buffer_compacts) {
  for (const bench::Workload& workload : workloads(good().make, kCompactingAbilities)) {
    if (workload.name != "release") continue;
    const std::unique_ptr<bench::Task> task = workload.prepare(bench::Case{.seed = 1});
    bench::PhaseClock clock(1);
    task->repeat(clock);
    EXPECT_LT(task->counters().at("dead_slots"), 1024);
    EXPECT_GE(task->counters().at("dead_slots"), 0);
  }
}

TEST(Workloads, are_not_supported_for_reasons_that_follow_from_abilities) {
  const auto reasons = [](const Abilities& abilities) {
    std::map<std::string, std::string> unsupported;
    for (const bench::Workload& workload : workloads(good().make, abilities)) {
      EXPECT_EQ(workload.unsupported.empty(), static_cast<bool>(workload.prepare)) << workload.name;
      EXPECT_TRUE(workload.unsupported.empty() || (workload.exhibits.empty() && !workload.exhibit)) << workload.name;
      if (!workload.unsupported.empty()) unsupported[workload.name] = workload.unsupported;
    }
    return unsupported;
  };
  using Reasons = std::map<std::string, std::string>;
  const std::string no_indices = "no index of it finds a particle for as long as that lives",
                    no_pages = "it has no pages of a chosen size",
                    walks_all = "it would walk up to 10 million particles in each of 2,000 frames";
  const auto without_limit = [](Reasons others) {
    for (const char* const name : {"compact_early", "compact_late", "dead_limit"})
      others[name] = "its clean-up does not compact";
    return others;
  };
  EXPECT_EQ(reasons(kCompactingAbilities), Reasons{});
  EXPECT_EQ(reasons(kPagedAbilities), without_limit({}));
  EXPECT_EQ(reasons(UnindexedBuffer<SwapPopRows>::kAbilities),
            without_limit({{"children", no_indices},
                           {"compaction", "it never moves particles together"},
                           {"layers", "it holds one struct for each particle"},
                           {"page_size", no_pages},
                           {"read_all_by_index", no_indices},
                           {"read_at_random", no_indices},
                           {"read_by_index", no_indices}}));
  EXPECT_EQ(reasons(monolithic_abilities(Growth::kFixedAmount)),
            without_limit({{"compaction", "it never moves particles together"},
                           {"page_size", no_pages},
                           {"rain", walks_all},
                           {"rain_varying", walks_all}}));
  EXPECT_EQ(reasons(monolithic_abilities(Growth::kExact)), without_limit({{"page_size", no_pages}}));
  EXPECT_EQ(reasons(monolithic_abilities(Growth::kByHalf)), without_limit({{"page_size", no_pages}}));
}

TEST(Workloads, have_the_same_names_whatever_is_supported) {
  const auto names = [](const Abilities& abilities) {
    Names all;
    for (const bench::Workload& workload : workloads(good().make, abilities)) all.push_back(workload.name);
    return all;
  };
  const Names expected{"emission",
                       "varying_lifetimes",
                       "rain",
                       "rain_varying",
                       "bursts",
                       "sink",
                       "load_stop",
                       "load_replace",
                       "page_size",
                       "compact_early",
                       "compact_late",
                       "dead_limit",
                       "iterate_fall",
                       "iterate_motion",
                       "iterate_count",
                       "iterate_visible",
                       "read_by_iterator",
                       "read_by_index",
                       "read_at_random",
                       "read_all_by_iterator",
                       "read_all_by_index",
                       "compaction",
                       "release",
                       "layers",
                       "children"};
  EXPECT_EQ(names(kCompactingAbilities), expected);
  EXPECT_EQ(names({.indices = false}), expected);
}

TEST(Claims, are_about_variants_workloads_and_metrics_that_exist) {
  EXPECT_EQ(unknown_in_articles("particle_buffer", workloads(good().make, kCompactingAbilities)), Names{});
}

// --- Exhibits --------------------------------------------------------------------------------------------------------

/// What a run of a scenario should show.
struct Shown {
  std::vector<double> frames, emitted, live, slots, bytes_per_live;
  std::size_t page_frames = 0;  ///< the sum over all frames of the pages there
  Usage usage;
};

Shown shown(const Scenario& scenario, const Kind& kind, std::uint64_t seed) {
  Shown all;
  const std::unique_ptr<Buffer> buffer = kind.make(setup_of(scenario));
  Simulation simulation(scenario, seed, *buffer);
  bench::PhaseClock clock(kFramePhases.size());
  while (!simulation.ended()) {
    simulation.step(clock);
    const auto live = static_cast<double>(buffer->live());
    all.frames.push_back(simulation.frame());
    all.emitted.push_back(static_cast<double>(simulation.emitted()));
    all.live.push_back(live);
    all.slots.push_back(static_cast<double>(buffer->usage().slots));
    all.bytes_per_live.push_back(live == 0 ? 0 : static_cast<double>(buffer->usage().bytes) / live);
    all.page_frames += buffer->spans().size();
  }
  all.usage = buffer->usage();
  return all;
}

json::value read_json(const ScratchFolder& folder, const char* file) {
  return json::parse(*read_file(folder.path() / file));
}

using Lines = std::map<std::string, std::vector<float>>;

/// As floats: Boost.JSON reads some doubles one unit off.
std::vector<float> floats(const std::vector<double>& values) {
  std::vector<float> rounded;
  for (const double value : values) rounded.push_back(static_cast<float>(value));
  return rounded;
}

Lines lines_of(const json::value& series) {
  Lines lines;
  for (const json::value& line : series.at("lines").as_array())
    lines[line.at("name").as_string().c_str()] = floats(json::value_to<std::vector<double>>(line.at("y")));
  return lines;
}

/// Width and height, from the head of a PNG file.
std::pair<unsigned, unsigned> size_of_picture(const std::string& png) {
  const auto number = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png.at(at + i));
    return value;
  };
  return {number(16), number(20)};
}

TEST(Exhibits, show_each_frame_of_the_run) {
  for (const Scenario& scenario : {animated_emission(), varying_lifetimes()}) {
    std::vector<Kind> kinds = unpaged_kinds();
    kinds.push_back(good());
    kinds.push_back(paged("free dead pages", {.recycles = true}));
    for (const Kind& kind : kinds) {
      const ScratchFolder folder;
      const bench::Workload workload = with_counts(with_film({}, scenario, kind.make), scenario, kind.make);
      bench::ExhibitFiles files(folder.path(), workload.exhibits);
      workload.exhibit({.seed = 3}, files);
      const Expected<void> written = files.finish();
      ASSERT_TRUE(written) << kind.name << ": " << written.error().what;

      const Shown expected = shown(scenario, kind, 3);
      const json::value bytes = read_json(folder, "bytes.json"), particles = read_json(folder, "particles.json");
      EXPECT_EQ(json::value_to<std::vector<double>>(bytes.at("x")), expected.frames);
      EXPECT_EQ(lines_of(bytes), (Lines{{"bytes", floats(expected.bytes_per_live)}})) << kind.name;
      EXPECT_EQ(json::value_to<std::vector<double>>(particles.at("x")).size(), 120u);
      EXPECT_EQ(lines_of(particles), (Lines{{"emitted so far", floats(expected.emitted)},
                                            {"allocated", floats(expected.slots)},
                                            {"live", floats(expected.live)}}))
          << kind.name;

      const json::value events = read_json(folder, "page_events.trace.json");
      std::map<std::string, double> figures;
      for (const auto& [name, value] : events.at("otherData").as_object()) figures[name] = value.to_number<double>();
      EXPECT_EQ(figures,
                (std::map<std::string, double>{{"emitted", static_cast<double>(scenario.emitted())},
                                               {"most allocated", *std::ranges::max_element(expected.slots)},
                                               {"most live", *std::ranges::max_element(expected.live)},
                                               {"compactions", static_cast<double>(expected.usage.compactions)},
                                               {"pages allocated", static_cast<double>(expected.usage.pages_allocated)},
                                               {"pages recycled", static_cast<double>(expected.usage.pages_recycled)}}))
          << kind.name;
      double microseconds = 0;
      for (const json::value& event : events.at("traceEvents").as_array()) {
        microseconds += event.at("dur").to_number<double>();
        const json::value& args = event.at("args");
        EXPECT_EQ(args.at("live").to_number<std::int64_t>() + args.at("dead").to_number<std::int64_t>(),
                  args.at("slots").to_number<std::int64_t>());
        const bool mostly_live =
            2 * args.at("live").to_number<std::int64_t>() >= args.at("slots").to_number<std::int64_t>();
        EXPECT_EQ(event.at("name").as_string(), mostly_live ? "half or more live" : "less than half live");
      }
      EXPECT_EQ(microseconds, 1'000.0 * static_cast<double>(expected.page_frames)) << "a millisecond a page and frame";

      const auto [width, height] = size_of_picture(*read_file(folder.path() / "pages.png"));
      EXPECT_EQ(width, 4 * scenario.frames);
      EXPECT_GE(height, 60u) << kind.name;
      EXPECT_LE(height, 240u) << kind.name;
    }
  }
}

TEST(Exhibits, have_the_time_of_each_frame) {
  const ScratchFolder folder;
  const bench::Workload workload = with_frame_times({}, animated_emission(), good().make);
  bench::ExhibitFiles files(folder.path(), workload.exhibits);
  workload.exhibit({.seed = 1}, files);
  EXPECT_TRUE(files.finish());
  EXPECT_EQ(read_file(folder.path() / "frame.u32")->size(), 120 * sizeof(std::uint32_t));
}

TEST(Exhibits, belong_to_the_workloads_of_emission_and_rain) {
  std::map<std::string, Names> exhibits;
  for (const bench::Workload& workload : workloads(good().make, kPagedAbilities))
    for (const bench::ExhibitInfo& exhibit : workload.exhibits) exhibits[workload.name].push_back(exhibit.name);
  EXPECT_EQ(exhibits,
            (std::map<std::string, Names>{{"emission", {"bytes", "pages", "page_events", "particles"}},
                                          {"rain", {"frame"}},
                                          {"rain_varying", {"frame"}},
                                          {"varying_lifetimes", {"bytes", "pages", "page_events", "frame"}}}));
}

// --- The executables -------------------------------------------------------------------------------------------------

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char part[4096];
  for (std::size_t got; (got = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
  const int status = pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << "\n" << text;
  return text;
}

/// Paths by variant.
std::map<std::string, std::string> executables() {
  std::map<std::string, std::string> found;
  const json::value list = json::parse(*read_file(LAB_BUILD_DIR "/variants.json"));
  for (const json::value& entry : list.as_array())
    if (entry.at("family").as_string() == "particle_buffer")
      found[entry.at("variant").as_string().c_str()] =
          LAB_BUILD_DIR "/" + std::string(entry.at("executable").as_string());
  return found;
}

TEST(ParticleBufferExecutables, describe_themselves_in_four_lines) {
  const std::map<std::string, std::string> all = executables();
  EXPECT_TRUE(all.contains("grown_copy") && all.contains("columns"));
  for (const auto& [variant, path] : all) {
    const json::value description = json::parse(output_of(path + " --describe"));
    for (const char* line : {"idea", "cost", "source", "weakness"})
      EXPECT_FALSE(description.at(line).as_string().empty()) << variant << " " << line;
    EXPECT_EQ(description.at("workloads").as_array().size(), workloads(good().make, kCompactingAbilities).size())
        << variant;
  }
}

TEST(ParticleBufferExecutables, compute_the_same_checksum) {
  std::set<std::string> checksums;
  for (const auto& [variant, path] : executables())
    checksums.insert(
        json::serialize(json::parse(output_of(path + " --run varying_lifetimes --seconds 0")).at("checksum")));
  EXPECT_EQ(checksums.size(), 1u);
}

}  // namespace
}  // namespace lab::particle_buffer
