#include "variants/object_pool/family/object_pool.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "variants/common/testing/claims_of_article.h"
#include "variants/designs/objects/bitmask_pool.h"
#include "variants/designs/objects/free_list_pool.h"
#include "variants/designs/objects/generational_pool.h"
#include "variants/designs/objects/marks.h"
#include "variants/designs/objects/next_fit_pool.h"
#include "variants/designs/objects/scan_pool.h"
#include "variants/object_pool/family/conformance.h"
#include "variants/object_pool/family/fuzz.h"
#include "variants/object_pool/family/new_delete_pool.h"
#include "variants/object_pool/family/plans.h"
#include "variants/object_pool/family/workloads.h"

namespace lab::object_pool {
namespace {

template <typename T>
using FreeList = designs::FreeListPool<T>;
template <typename T>
using NextFit = designs::NextFitPool<T>;
template <typename T>
using Filling =
    designs::FreeListPool<T, designs::InsideMarks, designs::ListStart::kThreaded, designs::DeadObjects::kFilled>;

std::uint64_t sum_of_one_repetition(bench::Task& task, std::size_t phases = 3) {
  bench::PhaseClock clock(phases);
  return task.repeat(clock);
}

/// Forgets every tenth destruction: the object still lives.
template <typename T>
class Keeps : public FreeList<T> {
 public:
  using FreeList<T>::FreeList;
  void destroy(T* object) {
    if (++destroyed_ % 10 != 0) FreeList<T>::destroy(object);
  }

 private:
  int destroyed_ = 0;
};
/// Gives the slot of the last object to the next one, too, every tenth time, and destroys it with the last of them:
/// a pool that checks lives refuses a second destruction.
template <typename T>
class Doubles : public FreeList<T> {
 public:
  using FreeList<T>::FreeList;
  template <typename... Arguments>
  T* create(Arguments&&... arguments) {
    if (++created_ % 10 == 0 && last_ != nullptr) {
      if constexpr (sizeof...(Arguments) > 0) *last_ = T(arguments...);
      ++shared_[last_];
      return last_;
    }
    return last_ = FreeList<T>::create(arguments...);
  }
  void destroy(T* object) {
    if (const auto shared = shared_.find(object); shared != shared_.end()) {
      if (--shared->second == 0) shared_.erase(shared);
      return;
    }
    if (object == last_) last_ = nullptr;
    FreeList<T>::destroy(object);
  }

 private:
  int created_ = 0;
  T* last_ = nullptr;
  std::map<T*, int> shared_;
};
/// Has one slot fewer than it says.
template <typename T>
class Short : public FreeList<T> {
 public:
  explicit Short(std::size_t capacity) : FreeList<T>(capacity > 1 ? capacity - 1 : 1), says_(capacity) {}
  std::size_t capacity() const { return says_; }

 private:
  std::size_t says_;
};
/// Forgets the generation.
template <typename T>
class NeverStale : public designs::GenerationalPool<T> {
 public:
  using designs::GenerationalPool<T>::GenerationalPool;
  typename NeverStale::Ref create(auto&&... arguments) {
    const auto ref = designs::GenerationalPool<T>::create(arguments...);
    if (ref != typename NeverStale::Ref{}) last_ = designs::GenerationalPool<T>::get(ref);
    return ref;
  }
  T* get(typename NeverStale::Ref ref) const {
    T* const object = designs::GenerationalPool<T>::get(ref);
    return object == nullptr ? last_ : object;
  }

 private:
  T* last_ = nullptr;
};

std::set<std::string> failed_checks(const Subject& subject) {
  std::set<std::string> failed;
  for (const bench::ConformanceCheck& check : checks_of(subject))
    if (!check.what_is_wrong().empty()) failed.insert(check.name);
  return failed;
}

TEST(Conformance, finds_what_is_wrong) {
  const std::string contents =
                        "objects keep their contents, are walked once each, and are as many as the capacity at most",
                    stale = "a reference to a destroyed object is stale, also when its slot is in use again";
  EXPECT_EQ(failed_checks(subject_of<FreeList<Probe>>()), std::set<std::string>{});
  EXPECT_EQ(failed_checks(subject_of<NewDeletePool<Probe>>()), std::set<std::string>{});
  EXPECT_EQ(failed_checks(subject_of<designs::GenerationalPool<Probe>>()), std::set<std::string>{});
  EXPECT_TRUE(failed_checks(subject_of<Keeps<Probe>>()).contains(contents));
  EXPECT_TRUE(failed_checks(subject_of<Doubles<Probe>>()).contains(contents));
  EXPECT_TRUE(failed_checks(subject_of<Short<Probe>>()).contains(contents));
  EXPECT_TRUE(failed_checks(subject_of<NeverStale<Probe>>()).contains(stale));
}

TEST(Fuzz, takes_any_input_and_finds_a_fault) {
  std::string input;
  std::uint32_t state = 1;
  for (int i = 0; i < 4000; ++i) input += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  for (std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{700}, input.size()})
    EXPECT_EQ(fuzz(subject_of<FreeList<Probe>>(), nullptr, bytes.first(length)), "") << length;
  EXPECT_NE(fuzz(subject_of<Keeps<Probe>>(), nullptr, bytes), "");
  EXPECT_NE(fuzz(subject_of<Doubles<Probe>>(), nullptr, bytes), "");
  EXPECT_NE(fuzz(subject_of<NeverStale<Probe>>(), nullptr, bytes), "");
}

/// Runs the destructor before the handle is stale, as a pool should not.
template <typename T>
class LateStale : public designs::GenerationalPool<T> {
 public:
  using designs::GenerationalPool<T>::GenerationalPool;
  T* get(designs::ObjectHandle handle) const {
    T* const object = designs::GenerationalPool<T>::get(handle);
    return object == nullptr && handle.generation != 0 ? last_ : last_ = object;
  }

 private:
  mutable T* last_ = nullptr;
};

TEST(Fuzz, lets_objects_act_where_they_may) {
  std::string input = "\xff";
  std::uint32_t state = 1;
  for (int i = 0; i < 1000; ++i) input += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  EXPECT_EQ(fuzz(subject_of<FreeList<Probe>>(), acting_of<FreeList>(), bytes), "");
  EXPECT_EQ(fuzz(subject_of<LateStale<Probe>>(), nullptr, bytes.first(1)), "");
  EXPECT_EQ(fuzz(subject_of<LateStale<Probe>>(), acting_of<LateStale>(), bytes),
            "the reference to a dead object is not stale");
  EXPECT_EQ(acting_of<NewDeletePool>(), nullptr);
}

TEST(Digest, is_another_if_an_object_is_dropped_doubled_or_changed) {
  const auto digest = [](std::vector<std::uint64_t> ids) {
    std::uint64_t sum = ids.size();
    for (const std::uint64_t id : ids) sum += scatter(id);
    return sum;
  };
  const std::uint64_t whole = digest({0, 1, 2, 3});
  EXPECT_EQ(digest({3, 1, 0, 2}), whole) << "in any order";
  EXPECT_NE(digest({1, 2, 3}), whole);
  EXPECT_NE(digest({0, 1, 2, 3, 3}), whole);
  EXPECT_NE(digest({0, 1, 2, 2}), whole);
  EXPECT_NE(digest({0, 1, 2, 4}), whole);
}

TEST(Digest, of_a_pool_that_doubles_objects_differs) {
  const ChurnPlan plan = churn_plan(1, 100, 60, 500);
  ChurnOf<FreeList<Object<64>>> sound(plan);
  ChurnOf<Doubles<Object<64>>> faulty(plan);
  const std::uint64_t expected = sum_of_one_repetition(sound);
  EXPECT_EQ(sum_of_one_repetition(sound), expected) << "every repetition has the same";
  EXPECT_NE(sum_of_one_repetition(faulty), expected);
}

// The pairs of a search are fewer, and what lives is the same.
TEST(Churn, leaves_the_same_objects_after_any_number_of_pairs) {
  ChurnOf<FreeList<Object<64>>> many(churn_plan(1, 1000, 600, 5000));
  ChurnOf<designs::ScanPool<Object<64>>> few(churn_plan(1, 1000, 600, 7));
  ChurnOf<designs::BitmaskPool<Object<64>>> bursts(burst_plan(2, 1000, 600, 5000));
  const std::uint64_t expected = sum_of_one_repetition(many);
  EXPECT_EQ(sum_of_one_repetition(few), expected);
  EXPECT_EQ(sum_of_one_repetition(bursts), expected);
}

TEST(Iterate, walks_over_the_same_objects_in_all_pools_however_often_they_are_replaced) {
  const IteratePlan plan{512, 2000, 128, 256};
  IterateTask<FreeList<Object<64>>> task(1, plan), again(1, plan);
  IterateTask<designs::BitmaskPool<Object<64>>> other(1, plan);
  IterateTask<Listed<NewDeletePool<Object<64>>>> listed(1, plan);
  const std::uint64_t expected = sum_of_one_repetition(task);
  EXPECT_EQ(sum_of_one_repetition(task), expected);
  EXPECT_EQ(sum_of_one_repetition(again), expected);
  EXPECT_EQ(sum_of_one_repetition(other), expected);
  EXPECT_EQ(sum_of_one_repetition(listed), expected);
}

TEST(Plans, have_bursts_of_different_objects) {
  ChurnPlan plan = burst_plan(3, 1000, 600, 5000);
  for (int repetition = 0; repetition < 3; ++repetition) {
    plan.draw();
    std::size_t at = 0;
    for (const std::uint32_t burst : plan.bursts()) {
      const std::set<std::uint32_t> victims(plan.victims().begin() + static_cast<std::ptrdiff_t>(at),
                                            plan.victims().begin() + static_cast<std::ptrdiff_t>(at + burst));
      EXPECT_EQ(victims.size(), burst);
      at += burst;
    }
    EXPECT_EQ(at, 5000u);
    EXPECT_EQ(plan.victims().size(), 5000u);
  }
}

TEST(Plans, have_new_victims_for_each_repetition_and_the_same_for_each_seed) {
  for (const auto make : {churn_plan, burst_plan}) {
    ChurnPlan plan = make(1, 1000, 600, 500), again = make(1, 1000, 600, 500);
    plan.draw();
    again.draw();
    const std::vector<std::uint32_t> first = plan.victims();
    EXPECT_EQ(again.victims(), first);
    const std::uint32_t* const memory = plan.victims().data();
    plan.draw();
    again.draw();
    EXPECT_NE(plan.victims(), first);
    EXPECT_EQ(again.victims(), plan.victims());
    EXPECT_EQ(plan.victims().data(), memory);
  }
}

TEST(Plans, have_as_many_updates_of_particles_for_every_seed) {
  for (std::uint64_t seed = 1; seed < 4; ++seed)
    EXPECT_EQ(frame_plan(seed).updates(), kFrames * kSpawned * kFrames / 2) << seed;
}

TEST(Plans, of_the_printed_pool_never_fill_it) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const FramePlan plan = printed_frame_plan(seed);
    EXPECT_EQ(plan.updates(), kFrames * kPrintedSpawned * kFrames / 2);
    // In the second round as many live as in all later ones.
    std::size_t most = 0;
    for (std::size_t frame = kFrames; frame < 2 * kFrames; ++frame) {
      std::size_t live = 0;
      for (std::size_t age = 0; age < kFrames; ++age)
        for (std::size_t i = 0; i < plan.spawned; ++i)
          live += plan.lifetimes[(frame - age) % kFrames * plan.spawned + i] > static_cast<std::int32_t>(age);
      most = std::max(most, live);
    }
    EXPECT_LE(most, plan.capacity) << seed;
  }
}

TEST(Frames, leave_the_same_particles_in_all_pools_and_in_the_heap) {
  for (const bool by_phase : {true, false}) {
    const FramePlan plan = by_phase ? frame_plan(1) : printed_frame_plan(1);
    FrameTask<FreeList<Particle>> list(plan, by_phase);
    FrameTask<designs::ScanPool<Particle>> scan(plan, by_phase);
    FrameTask<Listed<NewDeletePool<Particle>>> heap(plan, by_phase);
    const std::uint64_t expected = sum_of_one_repetition(list);
    EXPECT_EQ(sum_of_one_repetition(scan), expected);
    EXPECT_EQ(sum_of_one_repetition(heap), expected);
  }
}

TEST(DebugFill, finds_a_use_after_free_that_a_plain_free_list_does_not) {
  const auto scribbled = [](AnyPool& pool) {
    for (std::uint64_t id = 1; id <= 3; ++id) pool.create(id);
    pool.destroy(2);
    pool.scribble(2);  // somebody kept a pointer to the dead object and writes through it
    pool.create(4);
    return pool.overwritten();
  };
  EXPECT_EQ(scribbled(*subject_of<Filling<Probe>>()(3)), 1u);
  EXPECT_EQ(scribbled(*subject_of<FreeList<Probe>>()(3)), 0u);
}

TEST(References, are_kept_by_dead_objects_unless_they_are_cleared) {
  ReferencesTask<FreeList<Referring>> task;
  sum_of_one_repetition(task);
  constexpr double kTargets = AnyReferences::kObjects * AnyReferences::kRounds;
  EXPECT_EQ(task.counters(), (std::map<std::string, double>{{"kept_targets", kTargets}, {"kept_targets_cleared", 0}}));
}

/// A reference that clears itself: what C++ offers where the pool runs destructors.
struct Owning {
  static constexpr std::size_t kMarkAt = 8;
  explicit Owning(int& count) noexcept : target(&count) { ++*target; }
  ~Owning() { --*target; }
  std::uint64_t id = 0;
  std::uint32_t mark;
  int* target;
};
TEST(References, are_not_kept_where_a_destructor_clears_them) {
  int count = 0;
  FreeList<Owning> pool(4);
  Owning* const object = pool.create(count);
  EXPECT_EQ(count, 1);
  pool.destroy(object);
  EXPECT_EQ(count, 0);
}

TEST(Overload, is_answered_by_each_rule) {
  const SoundPlan plan = sound_plan(1);
  EXPECT_GT(plan.most_at_once, kVoices) << "the burst is no overload";
  std::map<LoadRule, std::map<std::string, double>> counted;
  for (const LoadRule rule : {LoadRule::kSized, LoadRule::kIgnore, LoadRule::kReplace}) {
    OverloadTask<FreeList<Sound>> task(plan, rule);
    counted[rule] = task.counters();
  }
  OverloadTask<designs::OverflowPool<FreeList<Sound>>> growing(plan, LoadRule::kGrow);
  counted[LoadRule::kGrow] = growing.counters();
  for (auto& [rule, counts] : counted)
    EXPECT_EQ(counts["created"] + counts["dropped"] + counts["replaced"], static_cast<double>(plan.requests));
  EXPECT_EQ(counted[LoadRule::kSized]["dropped"], 0);
  EXPECT_EQ(counted[LoadRule::kReplace]["dropped"], 0) << "a new sound is never silent";
  EXPECT_NEAR(counted[LoadRule::kSized]["unheard_share"], 0, 1e-12);
  EXPECT_GT(counted[LoadRule::kIgnore]["dropped"], 0);
  EXPECT_GT(counted[LoadRule::kReplace]["replaced"], 0);
  EXPECT_LT(counted[LoadRule::kReplace]["unheard_share"], counted[LoadRule::kIgnore]["unheard_share"]);
  EXPECT_GT(counted[LoadRule::kGrow]["grown"], 0);
  EXPECT_EQ(counted[LoadRule::kGrow]["given_back"], counted[LoadRule::kGrow]["grown"]);
  EXPECT_NEAR(counted[LoadRule::kGrow]["unheard_share"], 0, 1e-12);
  EXPECT_LT(counted[LoadRule::kGrow]["bytes_after"], counted[LoadRule::kGrow]["peak_bytes"]);
  EXPECT_LT(counted[LoadRule::kGrow]["bytes_after"], counted[LoadRule::kSized]["bytes_after"]);
}

TEST(Holders, read_the_same_through_pointers_and_ids) {
  HoldersTask<FreeList<Watched>> table(1, 4);
  HoldersTask<designs::GenerationalPool<Watched>> own(1, 4);
  const std::uint64_t sum = sum_of_one_repetition(table);
  EXPECT_EQ(sum % 4, 0u) << "phase 0 counts three times, phase 1 once";
  EXPECT_EQ(sum_of_one_repetition(own), sum);
}

TEST(Soak, replaces_the_same_objects_in_pools_and_in_the_heap) {
  const auto peaks = soak_peaks(1, 1000, 4000, true);
  SoakOf<FreeList> pools(peaks);
  SoakOf<NewDeletePool> heap(peaks);
  for (AnySoak* const soak : {static_cast<AnySoak*>(&pools), static_cast<AnySoak*>(&heap)}) {
    soak->fill(SizeMix::kLevels);
    std::uint64_t first = 0;
    for (int round = 0; round < 3; ++round) {
      SoakSteps steps(1, 1000);
      soak->run(steps, 4000);
      if (round == 0) first = soak->digest();
      EXPECT_EQ(soak->digest(), first);
    }
  }
  EXPECT_EQ(pools.digest(), heap.digest());
  EXPECT_EQ(pools.live_bytes(), heap.live_bytes());
}

TEST(Soak, of_sizes_that_are_rarely_large_replaces_the_same_objects_in_one_pool_and_in_a_pool_for_each_size) {
  const auto peaks = soak_peaks(1, 1000, 4000, true, SizeMix::kRarelyLarge);
  for (std::size_t type = 1; type < kSoakTypes; ++type) EXPECT_LT(peaks[type], peaks[type - 1]) << type;
  SoakOf<FreeList> apart(peaks);
  SoakOf<FreeList, LargestSlots<FreeList>> largest(peaks);
  for (AnySoak* const soak : {static_cast<AnySoak*>(&apart), static_cast<AnySoak*>(&largest)}) {
    soak->fill(SizeMix::kRarelyLarge);
    SoakSteps steps(1, 1000, SizeMix::kRarelyLarge);
    soak->run(steps, 4000);
  }
  EXPECT_EQ(largest.digest(), apart.digest());
  EXPECT_EQ(largest.live_bytes(), apart.live_bytes());
  EXPECT_GE(largest.memory_bytes(), kSoakLive * 512);
  EXPECT_LT(apart.memory_bytes(), largest.memory_bytes());
}

TEST(Soak, in_one_full_pool_is_not_for_what_would_search_all_of_it) {
  for (const auto& [tasks, can] : {std::pair(tasks_of<NextFit>(), false), std::pair(tasks_of<FreeList>(), true)}) {
    const std::vector<bench::Workload> all = workloads(tasks);
    const auto largest = std::ranges::find(all, "sizes_largest", &bench::Workload::name);
    ASSERT_NE(largest, all.end());
    EXPECT_EQ(largest->unsupported.empty(), can);
  }
}

TEST(Soak, declares_all_that_it_counts) {
  for (const bench::Workload& workload : workloads(tasks_of<NewDeletePool>())) {
    if (workload.name != "soak" && !workload.name.starts_with("sizes_")) continue;
    const std::unique_ptr<bench::Task> task = workload.prepare(bench::Case{.seed = 1});
    for (const auto& [name, value] : task->counters())
      EXPECT_TRUE(std::ranges::find(workload.metrics, name, &bench::Metric::name) != workload.metrics.end())
          << workload.name << " " << name;
  }
}

TEST(FreeMemory, has_its_largest_piece_in_what_malloc_says) {
  EXPECT_EQ(free_memory_of(R"(<malloc version="1"><heap nr="0"><sizes>
<size from="33" to="48" total="96" count="2"/>
<size from="1025" to="4096" total="8192" count="3"/>
<unsorted from="17" to="640" total="700" count="4"/>
</sizes><total type="rest" count="7" size="8892"/></heap></malloc>)")
                .largest,
            4096u);
  EXPECT_EQ(free_memory_of("<malloc version=\"1\"></malloc>").largest, 0u);
}

TEST(FreeMemory, of_a_heap_with_holes_is_not_in_one_piece) {
  if (mallinfo2().arena == 0) GTEST_SKIP() << "this malloc says nothing about its heap";
  constexpr std::size_t kBlocks = 1000, kBlockBytes = 4096;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(std::make_unique<char[]>(kBlockBytes));
  for (std::size_t i = 0; i < kBlocks; i += 2) blocks[i].reset();
  const FreeMemory holes = free_memory();
  EXPECT_GE(holes.largest, kBlockBytes);
  EXPECT_GE(holes.bytes, holes.largest + kBlocks / 4 * kBlockBytes);
}

TEST(Soak, draws_a_line_for_the_heap_and_one_for_the_pools) {
  TaskTable tasks;
  tasks.soak = [](const std::array<std::size_t, kSoakTypes>& capacities) -> std::unique_ptr<AnySoak> {
    return std::make_unique<SoakOf<FreeList>>(capacities);
  };
  const SoakSeries series = soak_series(tasks, 1, 400'000);
  ASSERT_EQ(series.memory.lines.size(), 3u);
  ASSERT_EQ(series.share.lines.size(), 2u);
  const std::vector<double>& pools = series.memory.lines[2].y;
  EXPECT_EQ(std::set<double>(pools.begin(), pools.end()).size(), 1u) << "pools hold the same at all times";
  EXPECT_EQ(series.memory.x.back(), 400'000);
}

TEST(Claims, are_about_variants_workloads_and_metrics_that_exist) {
  using Unknown = std::vector<std::string>;
  const auto all = workloads(tasks_of<FreeList>());
  EXPECT_EQ(unknown_in_articles("object_pool", all), Unknown{});
  const auto unknown = [&](const std::string& claim) {
    return unknown_in_claims(R"({"workload": "churn", "claims": [{"claim": "c", )" + claim + "}]}", {"scan", "handles"},
                             all);
  };
  EXPECT_EQ(unknown(R"("kind": "text")"), Unknown{});
  EXPECT_EQ(unknown(R"("kind": "order", "metric": "time", "order": ["scan", "handles/frame"])"), Unknown{});
  EXPECT_EQ(unknown(R"("kind": "order", "metric": "update", "order": ["scan/frame", "scan"])"),
            Unknown{"'c': churn has no metric update"});
  EXPECT_EQ(unknown(R"("kind": "order", "metric": "time", "workload": "chrun", "order": ["scan", "list"])"),
            (Unknown{"'c': no workload is chrun", "'c': no variant is list", "'c': no workload is chrun"}));
  EXPECT_EQ(unknown(R"("kind": "ratio", "metric": "time", "from": "scans", "to": "scan")"),
            Unknown{"'c': no variant is scans"});
  EXPECT_EQ(unknown(R"("kind": "bound", "metric": "memory_bytes", "over": "bytes", "benchmarks": "*/churn")"),
            Unknown{"'c': churn has no metric bytes"});
  EXPECT_EQ(unknown(R"("kind": "exact", "metric": "time")"), Unknown{"'c' is about no benchmark"});
}

// An erratum: the chapter calls it a bit field.
TEST(BitField, takes_an_eighth_of_the_printed_array_of_bool) {
  const designs::Slots<Probe> slots(128);
  EXPECT_EQ(sizeof(bool[100]), 100u);
  EXPECT_EQ(designs::BoolMarks<Probe>(slots).bytes(), 128u);
  EXPECT_EQ(designs::BitMarks<Probe>(slots).bytes(), 16u);
}

}  // namespace
}  // namespace lab::object_pool
